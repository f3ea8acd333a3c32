/// Adds header fields to every request, as defaults or as replacements of existing fields.
///
/// ```swift
/// HeadersInterceptor(["Accept-Language": "es"])
/// HeadersInterceptor(overriding: ["X-Client": "shop/7"])
/// HeadersInterceptor { request, context in ["X-Request-ID": "\(context.id)"] }
/// ```
/// The interceptor runs once for a call. Retries and redirects keep the values, but secret fields do not follow to
/// another origin. Use `AuthInterceptor` for credentials, because it knows their identity.
public struct HeadersInterceptor: InspectableInterceptor, CallBound {
    /// A closure that returns the fields for a call.
    public typealias Values = @Sendable (HTTPRequest, RequestContext) async throws -> HTTPHeaders

    private enum Source: Sendable {
        case fixed(HTTPHeaders)
        case computed(Values)
    }

    /// Whether existing fields are replaced.
    public let isOverriding: Bool
    private let source: Source

    private init(_ source: Source, isOverriding: Bool) {
        self.source = source
        self.isOverriding = isOverriding
    }

    /// Creates an interceptor that adds the fields that a request does not have yet.
    public init(_ headers: HTTPHeaders) { self.init(.fixed(headers), isOverriding: false) }

    /// Creates an interceptor that adds the fields, from a dictionary, that a request does not have yet.
    @_disfavoredOverload
    public init(_ fields: [String: String]) { self.init(HTTPHeaders(fields)) }

    /// Creates an interceptor whose fields replace those of the same names.
    public init(overriding headers: HTTPHeaders) { self.init(.fixed(headers), isOverriding: true) }

    /// Creates an interceptor whose fields, from a dictionary, replace those of the same names.
    @_disfavoredOverload
    public init(overriding fields: [String: String]) { self.init(overriding: HTTPHeaders(fields)) }

    /// Creates an interceptor that asks a closure for the fields of each call.
    ///
    /// - Parameters:
    ///   - isOverriding: Whether existing fields are replaced.
    ///   - values: A closure that returns the fields. It may send requests through another client.
    public init(overriding isOverriding: Bool = false, _ values: @escaping Values) {
        self.init(.computed(values), isOverriding: isOverriding)
    }

    /// The names of the fields, if they are known.
    public var summary: String {
        let names =
            switch source {
            case .fixed(let headers): headers.fields.map(\.name).joined(separator: ", ")
            case .computed: "computed for each call"
            }
        return "headers\(isOverriding ? ", overriding" : ""): \(names)"
    }

    /// Adds the fields and passes the request on.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        let headers: HTTPHeaders
        switch source {
        case .fixed(let fixed): headers = fixed
        case .computed(let values): headers = try await compute(values, request, context)
        }
        return try await next(adding(headers, to: request), context)
    }

    @inline(never)
    private func compute(
        _ values: @escaping Values,
        _ request: HTTPRequest,
        _ context: RequestContext
    ) async throws -> HTTPHeaders {
        do {
            let message = "The closure of HeadersInterceptor makes a call that needs the closure itself."
            let depth = try ClosureDepth.next(or: "\(message) Use another client for that call.")
            return try await context.endingWithCall {
                try await ClosureDepth.$current.withValue(depth) { try await values(request, context) }
            }
        } catch {
            throw context.call.failure(error, of: "The closure of HeadersInterceptor")
        }
    }

    @inline(never)
    private func adding(_ fields: HTTPHeaders, to request: HTTPRequest) -> HTTPRequest {
        var request = request
        if isOverriding {
            request.headers.set(contentsOf: fields)
        } else {
            request.headers.addMissing(fields)
        }
        return request
    }

    /// The names of the fields; `nil` if a closure returns them.
    var fixedNames: [String]? {
        guard case .fixed(let headers) = source else { return nil }
        return headers.map(\.name)
    }

    /// Returns warnings about secret fields, which would be sent to every origin.
    public func warnings(in client: ClientInspection) -> [String] {
        guard case .fixed(let headers) = source else { return [] }
        return headers.fields.filter { client.redaction.isSensitive(header: $0.name) }.map { field in
            "HeadersInterceptor sends \(field.name) to every origin. Use AuthInterceptor, which knows where it belongs."
        }
    }
}

extension HTTPHeaders {
    /// Adds the fields whose names are missing, including several fields of one name.
    mutating func addMissing(_ other: HTTPHeaders) {
        let present = self
        for field in other.fields where !present.contains(field.name) { add(field.name, field.value) }
    }
}
