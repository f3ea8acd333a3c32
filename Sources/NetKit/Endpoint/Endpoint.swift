public import Foundation

/// A typed call: where it goes, what it sends, and what it gives.
///
/// ```swift
/// extension Endpoint where Response == User {
///     static func user(_ id: String) -> Self { .get("/users/\(id)") }
/// }
/// let user = try await client.send(.user("42"))
/// let created: User = try await client.send(.post("/users", json: NewUser(name: "Ada")))
/// ```
/// `Response` is anything `Decodable`, or `Void`, `Data`, `String` or `HTTPResponse`. A status outside 200…299 throws
/// `.server`, a body of another shape `.decoding`.
public struct Endpoint<Response: Sendable>: Sendable {
    /// What the call does.
    public var method: HTTPMethod
    /// Where it goes, below the client's base URL.
    public var path: RequestPath
    /// The query items, in order.
    public var query: [URLQueryItem]
    /// The header fields, besides those the client adds.
    public var headers: HTTPHeaders
    /// What is sent along.
    public var body: HTTPBody?
    /// Whether a credential is added: false for login and refresh.
    public var requiresAuth = true
    /// The limit for the whole call.
    public var timeout: Duration?
    /// How urgent the call is.
    public var priority = TaskPriority.medium
    /// The key under which the server recognises repetitions.
    public var idempotencyKey: IdempotencyKey?

    let parser: ResponseParser<Response>

    init(
        _ method: HTTPMethod,
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders,
        body: HTTPBody?,
        parser: ResponseParser<Response>
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.parser = parser
        self.body = body
    }

    /// The request the endpoint stands for.
    public var request: HTTPRequest {
        var request = HTTPRequest(method, path, query: query, headers: headers, body: body)
        request.requiresAuth = requiresAuth
        if let accept = parser.accept, !headers.contains("Accept") { request.headers.add("Accept", accept) }
        return request
    }
}
