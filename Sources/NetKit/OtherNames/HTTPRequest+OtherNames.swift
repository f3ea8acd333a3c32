// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import Foundation

// Names that other HTTP clients use. None of them can be called: the compiler says what to write instead.

extension HTTPRequest {
    @available(*, unavailable, renamed: "method")
    public var httpMethod: String {
        get { "\(method)" }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "body")
    public var httpBody: Data? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "headers")
    public var allHTTPHeaderFields: HTTPHeaders {
        get { headers }
        set { headers = newValue }
    }

    @available(*, unavailable, message: "Set the field of a name: request.headers[name] = value.")
    public var setValue: OtherName { OtherName() }
    @available(*, unavailable, renamed: "headers.add(_:_:)")
    public var addValue: OtherName { OtherName() }
    @available(*, unavailable, message: "Set the field of a name: request.headers[name] = value.")
    public var setHeader: OtherName { OtherName() }
    @available(*, unavailable, renamed: "headers.add(_:_:)")
    public var addHeader: OtherName { OtherName() }
    @available(*, unavailable, message: "Pass the limit to the call: send(request, timeout: .seconds(10)).")
    public var timeoutInterval: Double {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Pass the limit to the call: send(request, timeout: .seconds(10)).")
    public var timeout: Duration? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "init(_:_:headers:body:)")
    public init(url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: HTTPBody? = nil) {
        self.init(method, url, headers: headers, body: body)
    }

    @available(*, unavailable, message: "Name the method: HTTPRequest(.get, path).")
    public init(_ path: RequestPath) { self.init(.get, path) }
    @available(*, unavailable, message: "Pass the query when you create the request: HTTPRequest(.get, path, query:).")
    public var query: [String: String] {
        get { [:] }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Pass the policy to the call: CallOptions(cachePolicy:).")
    public var cachePolicy: OtherName { OtherName() }
}

@available(
    *,
    unavailable,
    message:
        "Write the path as a literal with the values in it: \"/users/\\(id)\". For a text that is a whole path, write \"\\(raw: path)\"."
)
extension HTTPRequest {
    @_disfavoredOverload
    public init(
        _ method: HTTPMethod,
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil
    ) { self.init(method, RequestPath(raw: path), query: query, headers: headers, body: body) }
}

extension HTTPResponse {
    @available(*, unavailable, renamed: "status.code")
    public var statusCode: Int { status.code }
    @available(*, unavailable, renamed: "status.code")
    public var code: Int { status.code }
    @available(*, unavailable, renamed: "status.isSuccess")
    public var isSuccessful: Bool { status.isSuccess }
    @available(*, unavailable, renamed: "status.isSuccess")
    public var ok: Bool { status.isSuccess }
    @available(*, unavailable, renamed: "headers")
    public var allHeaderFields: HTTPHeaders { headers }
    @available(*, unavailable, message: "Read the field of a name: response.headers[name], or the body with json().")
    public var value: OtherName { OtherName() }
    @available(*, unavailable, message: "Read the field of a name: response.headers[name].")
    public var header: OtherName { OtherName() }
    @available(*, unavailable, renamed: "body.lines")
    public var lines: ResponseBody { body }
    @available(*, unavailable, renamed: "text()")
    public var string: OtherName { OtherName() }
    @available(*, unavailable, renamed: "json(_:)")
    public var decode: OtherName { OtherName() }
}

extension ResponseBody {
    @available(*, unavailable, renamed: "text(upTo:)")
    public var string: OtherName { OtherName() }
    @available(*, unavailable, renamed: "collect(upTo:)")
    public var bytes: OtherName { OtherName() }
    @available(*, unavailable, renamed: "collect(upTo:)")
    public var data: OtherName { OtherName() }
    @available(*, unavailable, renamed: "json(_:upTo:)")
    public var decode: OtherName { OtherName() }
}

extension HTTPBody {
    @available(*, unavailable, renamed: "data(_:)")
    public static func bytes(_ data: some Sequence<UInt8>) -> HTTPBody { .data(Data(data)) }
    @available(*, unavailable, renamed: "text(_:)")
    public static func string(_ text: String) -> HTTPBody { .text(text) }
    @available(*, unavailable, renamed: "data(_:)")
    public static func raw(_ data: Data) -> HTTPBody { .data(data) }
    @available(*, unavailable, message: "A request without a body has the body nil.")
    public static var empty: HTTPBody { .data(Data()) }
    @available(*, unavailable, renamed: "form(_:)")
    public static func urlEncoded(_ fields: QueryBuilder) -> HTTPBody { .form(fields) }
    @available(*, unavailable, renamed: "form(_:)")
    public static func formURLEncoded(_ fields: QueryBuilder) -> HTTPBody { .form(fields) }
    @available(
        *,
        unavailable,
        message: "Wrap the values: [\"name\": .string(name), \"age\": .integer(age)], or encode a type of your own."
    )
    @_disfavoredOverload
    public static func json(_ values: [String: Any]) -> HTTPBody { .json(JSONValue.null) }
}

extension MultipartForm {
    @available(*, unavailable, message: "Use field(_:_:) for a text, data(_:_:) for bytes, and file(_:at:) for a file.")
    public var append: OtherName { OtherName() }
    @available(*, unavailable, renamed: "field(_:_:)")
    public mutating func add(_ name: String, _ value: String) {}
    @available(*, unavailable, renamed: "file(_:at:fileName:contentType:)")
    public mutating func file(_ name: String, at file: URL, filename: String?, contentType: String? = nil) {}
    @available(*, unavailable, renamed: "data(_:_:fileName:contentType:)")
    public mutating func data(_ name: String, _ data: Data, filename: String?, contentType: String? = nil) {}
}

extension HTTPHeaders {
    @available(*, unavailable, renamed: "add(_:_:)")
    public mutating func add(name: String, value: String) { add(name, value) }
    @available(*, unavailable, message: "Set the field of a name: headers[name] = value.")
    public mutating func replaceOrAdd(name: String, value: String) { self[name] = value }
    @available(*, unavailable, message: "Set the field of a name: headers[name] = value.")
    public mutating func update(name: String, value: String) { self[name] = value }
    @available(*, unavailable, message: "Set the field of a name: headers[name] = value.")
    public mutating func set(_ name: String, _ value: String) { self[name] = value }
    @available(*, unavailable, message: "Add an AuthInterceptor to the client, or set headers[\"Authorization\"].")
    public var authorization: String? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Read the field of a name: headers[name].")
    public func first(name: String) -> String? { self[name] }
    @available(*, unavailable, message: "Read the field of a name: headers[name].")
    public func value(for name: String) -> String? { self[name] }
}

extension HTTPStatus {
    @available(*, unavailable, renamed: "code")
    public var rawValue: Int { code }
}

extension ServerSentEvent {
    @available(*, unavailable, renamed: "type")
    public var name: String { type }
    @available(*, unavailable, renamed: "type")
    public var event: String { type }
}

extension QueryBuilder {
    @available(*, unavailable, message: "Pass a literal as the query, or call add(name, value) for each item.")
    @_disfavoredOverload
    public init(_ items: [String: Any]) { self.init() }
}

extension HTTPMethod {
    @available(*, unavailable, message: "Pass nil for each method.")
    public static var any: HTTPMethod { .get }
    @available(*, unavailable, renamed: "get")
    public static var GET: HTTPMethod { .get }
    @available(*, unavailable, renamed: "post")
    public static var POST: HTTPMethod { .post }
    @available(*, unavailable, renamed: "put")
    public static var PUT: HTTPMethod { .put }
    @available(*, unavailable, renamed: "patch")
    public static var PATCH: HTTPMethod { .patch }
    @available(*, unavailable, renamed: "delete")
    public static var DELETE: HTTPMethod { .delete }
    @available(*, unavailable, renamed: "head")
    public static var HEAD: HTTPMethod { .head }
    @available(*, unavailable, renamed: "options")
    public static var OPTIONS: HTTPMethod { .options }
}
