// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import Foundation

// Names that other HTTP clients use. None of them can be called: the compiler says what to write instead.

extension HTTPRequest {
    @available(*, unavailable, renamed: "method")
    @_alwaysEmitIntoClient public var httpMethod: String {
        get { "\(method)" }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "body")
    @_alwaysEmitIntoClient public var httpBody: Data? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "headers")
    @_alwaysEmitIntoClient public var allHTTPHeaderFields: HTTPHeaders {
        get { headers }
        set { headers = newValue }
    }

    @available(*, unavailable, message: "Set the field of a name: request.headers[name] = value.")
    @_alwaysEmitIntoClient public var setValue: OtherName { OtherName() }
    @available(*, unavailable, renamed: "headers.add(_:_:)")
    @_alwaysEmitIntoClient public var addValue: OtherName { OtherName() }
    @available(*, unavailable, message: "Set the field of a name: request.headers[name] = value.")
    @_alwaysEmitIntoClient public var setHeader: OtherName { OtherName() }
    @available(*, unavailable, renamed: "headers.add(_:_:)")
    @_alwaysEmitIntoClient public var addHeader: OtherName { OtherName() }
    @available(*, unavailable, message: "Pass the limit to the call: send(request, timeout: .seconds(10)).")
    @_alwaysEmitIntoClient public var timeoutInterval: Double {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Pass the limit to the call: send(request, timeout: .seconds(10)).")
    @_alwaysEmitIntoClient public var timeout: Duration? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "init(_:_:headers:body:)")
    @_alwaysEmitIntoClient
    public init(url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: HTTPBody? = nil) {
        self.init(method, url, headers: headers, body: body)
    }

    @available(*, unavailable, message: "Name the method: HTTPRequest(.get, path).")
    @_alwaysEmitIntoClient public init(_ path: RequestPath) { self.init(.get, path) }
    @available(*, unavailable, message: "Pass the query when you create the request: HTTPRequest(.get, path, query:).")
    @_alwaysEmitIntoClient public var query: [String: String] {
        get { [:] }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Pass the policy to the call: CallOptions(cachePolicy:).")
    @_alwaysEmitIntoClient public var cachePolicy: OtherName { OtherName() }
}

@available(
    *,
    unavailable,
    message:
        "Write the path as a literal with the values in it: \"/users/\\(id)\". For a text that is a whole path, write \"\\(raw: path)\"."
)
extension HTTPRequest {
    @_disfavoredOverload
    @_alwaysEmitIntoClient public init(
        _ method: HTTPMethod,
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil
    ) { self.init(method, RequestPath(raw: path), query: query, headers: headers, body: body) }
}

extension HTTPResponse {
    @available(*, unavailable, renamed: "status.code")
    @_alwaysEmitIntoClient public var statusCode: Int { status.code }
    @available(*, unavailable, renamed: "status.code")
    @_alwaysEmitIntoClient public var code: Int { status.code }
    @available(*, unavailable, renamed: "status.isSuccess")
    @_alwaysEmitIntoClient public var isSuccessful: Bool { status.isSuccess }
    @available(*, unavailable, renamed: "status.isSuccess")
    @_alwaysEmitIntoClient public var ok: Bool { status.isSuccess }
    @available(*, unavailable, renamed: "headers")
    @_alwaysEmitIntoClient public var allHeaderFields: HTTPHeaders { headers }
    @available(*, unavailable, message: "Read the field of a name: response.headers[name], or the body with json().")
    @_alwaysEmitIntoClient public var value: OtherName { OtherName() }
    @available(*, unavailable, message: "Read the field of a name: response.headers[name].")
    @_alwaysEmitIntoClient public var header: OtherName { OtherName() }
    @available(*, unavailable, renamed: "body.lines")
    @_alwaysEmitIntoClient public var lines: ResponseBody { body }
    @available(*, unavailable, renamed: "text()")
    @_alwaysEmitIntoClient public var string: OtherName { OtherName() }
    @available(*, unavailable, renamed: "json(_:)")
    @_alwaysEmitIntoClient public var decode: OtherName { OtherName() }
}

extension ResponseBody {
    @available(*, unavailable, renamed: "text(upTo:)")
    @_alwaysEmitIntoClient public var string: OtherName { OtherName() }
    @available(*, unavailable, renamed: "collect(upTo:)")
    @_alwaysEmitIntoClient public var bytes: OtherName { OtherName() }
    @available(*, unavailable, renamed: "collect(upTo:)")
    @_alwaysEmitIntoClient public var data: OtherName { OtherName() }
    @available(*, unavailable, renamed: "json(_:upTo:)")
    @_alwaysEmitIntoClient public var decode: OtherName { OtherName() }
}

extension HTTPBody {
    @available(*, unavailable, renamed: "data(_:)")
    @_alwaysEmitIntoClient public static func bytes(_ data: some Sequence<UInt8>) -> HTTPBody { .data(Data(data)) }
    @available(*, unavailable, renamed: "text(_:)")
    @_alwaysEmitIntoClient public static func string(_ text: String) -> HTTPBody { .text(text) }
    @available(*, unavailable, renamed: "data(_:)")
    @_alwaysEmitIntoClient public static func raw(_ data: Data) -> HTTPBody { .data(data) }
    @available(*, unavailable, message: "A request without a body has the body nil.")
    @_alwaysEmitIntoClient public static var empty: HTTPBody { .data(Data()) }
    @available(*, unavailable, renamed: "form(_:)")
    @_alwaysEmitIntoClient public static func urlEncoded(_ fields: QueryBuilder) -> HTTPBody { .form(fields) }
    @available(*, unavailable, renamed: "form(_:)")
    @_alwaysEmitIntoClient public static func formURLEncoded(_ fields: QueryBuilder) -> HTTPBody { .form(fields) }
    @available(
        *,
        unavailable,
        message: "Wrap the values: [\"name\": .string(name), \"age\": .integer(age)], or encode a type of your own."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func json(_ values: [String: Any]) -> HTTPBody { .json(JSONValue.null) }
}

extension MultipartForm {
    @available(*, unavailable, message: "Use field(_:_:) for a text, data(_:_:) for bytes, and file(_:at:) for a file.")
    @_alwaysEmitIntoClient public var append: OtherName { OtherName() }
    @available(*, unavailable, renamed: "field(_:_:)")
    @_alwaysEmitIntoClient public mutating func add(_ name: String, _ value: String) {}
    @available(*, unavailable, renamed: "file(_:at:fileName:contentType:headers:)")
    @_alwaysEmitIntoClient public mutating func file(
        _ name: String,
        at file: URL,
        filename: String?,
        contentType: String? = nil,
        mimeType: String? = nil,
        headers: HTTPHeaders = [:]
    ) {}
    @available(*, unavailable, renamed: "data(_:_:fileName:contentType:headers:)")
    @_alwaysEmitIntoClient public mutating func data(
        _ name: String,
        _ data: Data,
        filename: String?,
        contentType: String? = nil,
        mimeType: String? = nil,
        headers: HTTPHeaders = [:]
    ) {}
}

extension HTTPHeaders {
    @available(*, unavailable, renamed: "add(_:_:)")
    @_alwaysEmitIntoClient public mutating func add(name: String, value: String) { add(name, value) }
    @available(*, unavailable, message: "Set the field of a name: headers[name] = value.")
    @_alwaysEmitIntoClient public mutating func replaceOrAdd(name: String, value: String) { self[name] = value }
    @available(*, unavailable, message: "Set the field of a name: headers[name] = value.")
    @_alwaysEmitIntoClient public mutating func update(name: String, value: String) { self[name] = value }
    @available(*, unavailable, message: "Set the field of a name: headers[name] = value.")
    @_alwaysEmitIntoClient public mutating func set(_ name: String, _ value: String) { self[name] = value }
    @available(*, unavailable, message: "Add an AuthInterceptor to the client, or set headers[\"Authorization\"].")
    @_alwaysEmitIntoClient public var authorization: String? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Read the field of a name: headers[name].")
    @_alwaysEmitIntoClient public func first(name: String) -> String? { self[name] }
    @available(*, unavailable, message: "Read the field of a name: headers[name].")
    @_alwaysEmitIntoClient public func value(for name: String) -> String? { self[name] }
}

extension HTTPStatus {
    @available(*, unavailable, renamed: "code")
    @_alwaysEmitIntoClient public var rawValue: Int { code }
}

extension ServerSentEvent {
    @available(*, unavailable, renamed: "type")
    @_alwaysEmitIntoClient public var name: String { type }
    @available(*, unavailable, renamed: "type")
    @_alwaysEmitIntoClient public var event: String { type }
}

extension QueryBuilder {
    @available(*, unavailable, message: "Pass a literal as the query, or call add(name, value) for each item.")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public init(_ items: [String: Any]) { self.init() }
}

extension HTTPMethod {
    @available(*, unavailable, message: "Pass nil for each method.")
    @_alwaysEmitIntoClient public static var any: HTTPMethod { .get }
    @available(*, unavailable, renamed: "get")
    @_alwaysEmitIntoClient public static var GET: HTTPMethod { .get }
    @available(*, unavailable, renamed: "post")
    @_alwaysEmitIntoClient public static var POST: HTTPMethod { .post }
    @available(*, unavailable, renamed: "put")
    @_alwaysEmitIntoClient public static var PUT: HTTPMethod { .put }
    @available(*, unavailable, renamed: "patch")
    @_alwaysEmitIntoClient public static var PATCH: HTTPMethod { .patch }
    @available(*, unavailable, renamed: "delete")
    @_alwaysEmitIntoClient public static var DELETE: HTTPMethod { .delete }
    @available(*, unavailable, renamed: "head")
    @_alwaysEmitIntoClient public static var HEAD: HTTPMethod { .head }
    @available(*, unavailable, renamed: "options")
    @_alwaysEmitIntoClient public static var OPTIONS: HTTPMethod { .options }
}
