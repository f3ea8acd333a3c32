// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Arguments and members that other HTTP clients have. The compiler says what to write.

extension HTTPRequest {
    @available(
        *,
        unavailable,
        message: "Name the method first: HTTPRequest(.get, \"/users\"), or HTTPRequest(.get, url)."
    )
    @_alwaysEmitIntoClient public init(path: RequestPath, method: HTTPMethod = .get) { self.init(method, path) }
    @available(
        *,
        unavailable,
        message: "Name the method first: HTTPRequest(.get, \"/users\"), or HTTPRequest(.get, url)."
    )
    @_alwaysEmitIntoClient public init(
        method: HTTPMethod,
        path: RequestPath,
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil
    ) { self.init(method, path) }
    @available(
        *,
        unavailable,
        message: "Name the method first: HTTPRequest(.get, \"/users\"), or HTTPRequest(.get, url)."
    )
    @_alwaysEmitIntoClient public init(method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: HTTPBody? = nil)
    { self.init(method, url) }
    @available(
        *,
        unavailable,
        message: "Name the method first: HTTPRequest(.get, \"/users\"), or HTTPRequest(.get, url)."
    )
    @_alwaysEmitIntoClient public init(_ method: HTTPMethod, url: URL) { self.init(method, url) }
    @available(
        *,
        unavailable,
        message: "Name the method first: HTTPRequest(.get, \"/users\"), or HTTPRequest(.get, url)."
    )
    @_alwaysEmitIntoClient public init(_ url: URL) { self.init(.get, url) }
    @available(*, unavailable, message: "Pass the value as the body: HTTPRequest(.post, path, body: .json(value)).")
    @_alwaysEmitIntoClient public init(
        _ method: HTTPMethod,
        _ path: RequestPath,
        headers: HTTPHeaders = [:],
        json: some Encodable & Sendable
    ) { self.init(method, path) }
    @available(*, unavailable, renamed: "init(_:_:query:headers:body:)")
    @_alwaysEmitIntoClient public init(_ method: HTTPMethod, _ path: RequestPath, params: QueryBuilder) {
        self.init(method, path)
    }
    @available(*, unavailable, renamed: "init(_:_:query:headers:body:)")
    @_alwaysEmitIntoClient public init(_ method: HTTPMethod, _ path: RequestPath, parameters: QueryBuilder) {
        self.init(method, path)
    }
    @available(
        *,
        unavailable,
        message: "Put the items into the URL, or write the rest as a path: HTTPRequest(.get, \"/users\", query: items)."
    )
    @_alwaysEmitIntoClient public init(
        _ method: HTTPMethod,
        _ url: URL,
        query: QueryBuilder,
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil
    ) { self.init(method, url) }
    @available(*, unavailable, message: "Write HTTPRequest(.get, path).")
    @_alwaysEmitIntoClient public static func get(_ path: RequestPath) -> HTTPRequest { HTTPRequest(.get, path) }
    @available(*, unavailable, message: "Write HTTPRequest(.post, path).")
    @_alwaysEmitIntoClient public static func post(_ path: RequestPath) -> HTTPRequest { HTTPRequest(.post, path) }
    @available(
        *,
        unavailable,
        message: "Pass the path when you create the request: HTTPRequest(.get, path); its whole target is url."
    )
    @_alwaysEmitIntoClient public var path: String {
        get { "" }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Pass the query when you create the request: HTTPRequest(.get, path, query:).")
    @_alwaysEmitIntoClient public var queryItems: [URLQueryItem] {
        get { [] }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Set the field of a name: request.headers[name] = value.")
    @_alwaysEmitIntoClient public var header: OtherName { OtherName() }
}

extension HTTPBody {
    @available(*, unavailable, message: "Write .data(bytes).")
    @_alwaysEmitIntoClient public init(_ data: Data) { self = .data(data) }
    @available(*, unavailable, message: "Write .text(text).")
    @_alwaysEmitIntoClient public init(_ text: String) { self = .text(text) }
    @available(*, unavailable, message: "Write .json(value).")
    @_alwaysEmitIntoClient public init(json: some Encodable & Sendable) { self = .json(json) }
    @available(*, unavailable, renamed: "file(at:offset:length:contentType:)")
    @_alwaysEmitIntoClient public static func file(_ file: URL) -> HTTPBody { .file(at: file) }
    @available(*, unavailable, renamed: "file(at:offset:length:contentType:)")
    @_alwaysEmitIntoClient public static func file(url: URL) -> HTTPBody { .file(at: url) }
    @available(*, unavailable, message: "Pass a coder: .json(value, coder: .snakeCase), or .standard.with(encoder:).")
    @_alwaysEmitIntoClient public static func json(_ value: some Encodable & Sendable, encoder: JSONEncoder) -> HTTPBody
    { .json(value) }
}

extension HTTPHeaders {
    @available(*, unavailable, message: "Write the name as a text: headers[\"Content-Type\"].")
    @_alwaysEmitIntoClient public subscript(_ name: OtherName) -> String? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add another field: headers.add(name, value).")
    @_alwaysEmitIntoClient public mutating func append(name: String, value: String) {}
    @available(*, unavailable, message: "Remove the fields of a name: headers.remove(name), or headers[name] = nil.")
    @_alwaysEmitIntoClient public mutating func removeValue(forKey name: String) {}
    @available(*, unavailable, message: "Remove the fields of a name: headers.remove(name), or headers[name] = nil.")
    @_alwaysEmitIntoClient public mutating func remove(name: String) {}
    @available(*, unavailable, message: "Read the field of a name: headers[name].")
    @_alwaysEmitIntoClient public func get(_ name: String) -> String? { self[name] }
    @available(*, unavailable, renamed: "contains(_:)")
    @_alwaysEmitIntoClient public func contains(name: String) -> Bool { contains(name) }
    @available(*, unavailable, message: "Read the field of a name, headers[name], or all of them: headers.fields.")
    @_alwaysEmitIntoClient public var dictionary: [String: String] { [:] }
    @available(
        *,
        unavailable,
        message: "Add AuthInterceptor.bearer(token) to the client, or set headers[\"Authorization\"]."
    )
    @_alwaysEmitIntoClient public var bearerAuthorization: String? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Read or set headers[\"Content-Type\"]; a body sets it for itself.")
    @_alwaysEmitIntoClient public var contentType: String? {
        get { nil }
        set { _ = newValue }
    }

}

// Constants of other clients for the names of fields, as in `headers[.accept]`.
extension OtherName {
    @_alwaysEmitIntoClient public static var accept: OtherName { OtherName() }
    @_alwaysEmitIntoClient public static var authorization: OtherName { OtherName() }
    @_alwaysEmitIntoClient public static var cacheControl: OtherName { OtherName() }
    @_alwaysEmitIntoClient public static var contentLength: OtherName { OtherName() }
    @_alwaysEmitIntoClient public static var contentType: OtherName { OtherName() }
    @_alwaysEmitIntoClient public static var cookie: OtherName { OtherName() }
    @_alwaysEmitIntoClient public static var location: OtherName { OtherName() }
    @_alwaysEmitIntoClient public static var userAgent: OtherName { OtherName() }
}

extension HTTPHeaders.Field {
    @available(*, unavailable, renamed: "name")
    @_alwaysEmitIntoClient public var key: String { name }
}

extension HTTPResponse {
    @available(*, unavailable, renamed: "json(_:upTo:)")
    @_alwaysEmitIntoClient public func json<Value: Decodable & Sendable>(as type: Value.Type) async throws -> Value {
        throw CancellationError()
    }
    @available(
        *,
        unavailable,
        message:
            "Pass a coder to the body: response.body.json(User.self, upTo: limit, coder: .snakeCase), or set configuration.json."
    )
    @_alwaysEmitIntoClient public func json<Value: Decodable & Sendable>(decoder: JSONDecoder) async throws -> Value {
        throw CancellationError()
    }
    @available(*, unavailable, renamed: "data(upTo:)")
    @_alwaysEmitIntoClient public var content: OtherName { OtherName() }
    @available(*, unavailable, renamed: "body")
    @_alwaysEmitIntoClient public var chunks: ResponseBody { body }
    @available(*, unavailable, renamed: "body")
    @_alwaysEmitIntoClient public var stream: ResponseBody { body }
    @available(*, unavailable, renamed: "body")
    @_alwaysEmitIntoClient public var bytes: ResponseBody { body }
    @available(*, unavailable, renamed: "status.reasonPhrase")
    @_alwaysEmitIntoClient public var reasonPhrase: String { status.reasonPhrase }
    @available(*, unavailable, renamed: "status.reasonPhrase")
    @_alwaysEmitIntoClient public var statusText: String { status.reasonPhrase }
    @available(*, unavailable, renamed: "status.reasonPhrase")
    @_alwaysEmitIntoClient public var reason: String { status.reasonPhrase }
    @available(*, unavailable, renamed: "status.isSuccess")
    @_alwaysEmitIntoClient public var isSuccess: Bool { status.isSuccess }
    @available(*, unavailable, renamed: "timings.total")
    @_alwaysEmitIntoClient public var elapsed: Duration? { timings.total }
    @available(*, unavailable, message: "Read the fields: response.headers.values(of: \"Set-Cookie\").")
    @_alwaysEmitIntoClient public var cookies: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message:
            "A verb such as get throws for a status outside 200…299. After send(request), check response.status.isSuccess."
    )
    @_alwaysEmitIntoClient public var validate: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message:
            "A verb such as get throws for a status outside 200…299. After send(request), check response.status.isSuccess."
    )
    @_alwaysEmitIntoClient public var raiseForStatus: OtherName { OtherName() }
    @available(*, unavailable, renamed: "init(status:headers:body:url:history:timings:)")
    @_alwaysEmitIntoClient public init(_ status: HTTPStatus) { self.init(status: status) }
    @available(*, unavailable, renamed: "init(status:headers:body:url:history:timings:)")
    @_alwaysEmitIntoClient public init(statusCode: HTTPStatus, headers: HTTPHeaders = [:]) {
        self.init(status: statusCode)
    }
    @available(*, unavailable, message: "Wrap the bytes: HTTPResponse(status: .ok, body: ResponseBody(data)).")
    @_alwaysEmitIntoClient public init(status: HTTPStatus, headers: HTTPHeaders = [:], body: Data) {
        self.init(status: status)
    }
    @available(
        *,
        unavailable,
        message: "In a handler, return MockResponse.json(value) from .respond { request, context in … }."
    )
    @_alwaysEmitIntoClient public init(status: HTTPStatus, headers: HTTPHeaders = [:], json: some Encodable) {
        self.init(status: status)
    }
}

extension HTTPStatus {
    @available(*, unavailable, renamed: "isSuccess")
    @_alwaysEmitIntoClient public var isOK: Bool { isSuccess }
    @available(*, unavailable, renamed: "isSuccess")
    @_alwaysEmitIntoClient public var isSuccessful: Bool { isSuccess }
}

extension ResponseBody {
    @available(
        *,
        unavailable,
        message: "Name a bound: collect(upTo: 1 << 20), or use response.data() with the default bound."
    )
    @_alwaysEmitIntoClient public func collect() async throws -> Data { throw CancellationError() }
    @available(
        *,
        unavailable,
        message: "Name a bound: text(upTo: 1 << 20), or use response.text() with the default bound."
    )
    @_alwaysEmitIntoClient public func text() async throws -> String { throw CancellationError() }
    @available(
        *,
        unavailable,
        message: "Name a bound: json(User.self, upTo: 1 << 20), or use response.json() with the default bound."
    )
    @_alwaysEmitIntoClient public func json<Value: Decodable & Sendable>(_ type: Value.Type = Value.self) async throws
        -> Value
    { throw CancellationError() }
    @available(*, unavailable, renamed: "save(to:upTo:)")
    @_alwaysEmitIntoClient public var write: OtherName { OtherName() }
    @available(*, unavailable, message: "The length is known only if the server names it: body.length == 0.")
    @_alwaysEmitIntoClient public var isEmpty: Bool { true }
    @available(*, unavailable, renamed: "length")
    @_alwaysEmitIntoClient public var count: Int { 0 }
}

extension RedirectHop {
    @available(*, unavailable, renamed: "to")
    @_alwaysEmitIntoClient public var url: URL { to }
}

extension ExchangeTimings {
    @available(*, unavailable, renamed: "total")
    @_alwaysEmitIntoClient public var duration: Duration? { total }
}

extension ServerSentEvent {
    @available(*, unavailable, message: "Name the type: event.decode(as: User.self).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func json() throws -> OtherName { OtherName() }
    @available(*, unavailable, renamed: "decode(as:coder:)")
    @_alwaysEmitIntoClient public func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        throw CancellationError()
    }
    @available(*, unavailable, renamed: "decode(as:coder:)")
    @_alwaysEmitIntoClient public func json<Value: Decodable>(as type: Value.Type) throws -> Value {
        throw CancellationError()
    }
    @available(*, unavailable, renamed: "decode(as:coder:)")
    @_alwaysEmitIntoClient public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        throw CancellationError()
    }
}
