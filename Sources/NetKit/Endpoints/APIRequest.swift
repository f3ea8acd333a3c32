/// A call as a type of its own, as an alternative to a static function on `Endpoint`.
///
/// ```swift
/// struct FindUsers: APIRequest {
///     typealias Response = [User]
///     var name: String
///     var path: RequestPath { "/users" }
///     var queryParameters: QueryBuilder { ["name": name] }
/// }
/// let users = try await client.send(FindUsers(name: "Ada"))
/// ```
/// Everything except `Response` and `path` has a default. `endpoint` is the same call as a value; implement it for rare
/// settings.
///
/// Declare each member with exactly its type, such as `HTTPBody?`. A member of another type or with another name is
/// ignored, and the request is sent without it. The compiler warns about a wrong type if the conformance is in an
/// extension.
public protocol APIRequest<Response>: Sendable {
    /// The result of the call.
    associatedtype Response: Sendable

    /// The HTTP method.
    var method: HTTPMethod { get }
    /// The path below the client's base URL.
    var path: RequestPath { get }
    /// The query items, in order.
    var queryParameters: QueryBuilder { get }
    /// The header fields, in addition to those that the client adds.
    var headers: HTTPHeaders { get }
    /// The body of the request.
    var body: HTTPBody? { get }
    /// Whether a credential is added; `false` for login and refresh.
    var requiresAuth: Bool { get }
    /// The urgency of the call.
    var priority: TaskPriority { get }
    /// The time limit for the whole call.
    var timeout: Duration? { get }
    /// The key by which the server recognizes repetitions.
    var idempotencyKey: IdempotencyKey? { get }
    /// The cache policy of the call; `nil` leaves the decision to the cache.
    var cachePolicy: CachePolicy? { get }
    /// The reader of the response; `Decodable` types, `Void` and ``EndpointResponse`` types have one already.
    var reader: ResponseReader<Response> { get }
    /// The call as a value.
    var endpoint: Endpoint<Response> { get }
}

extension APIRequest {
    /// The method `GET`.
    public var method: HTTPMethod { .get }
    /// No query parameters.
    public var queryParameters: QueryBuilder { QueryBuilder() }
    /// No header fields.
    public var headers: HTTPHeaders { HTTPHeaders() }
    /// No body.
    public var body: HTTPBody? { nil }
    /// Whether a credential is added; `true` by default.
    public var requiresAuth: Bool { true }
    /// The medium priority.
    public var priority: TaskPriority { .medium }
    /// No timeout of its own.
    public var timeout: Duration? { nil }
    /// No idempotency key of its own.
    public var idempotencyKey: IdempotencyKey? { nil }
    /// No cache policy of its own.
    public var cachePolicy: CachePolicy? { nil }

    /// The call as a value, made from the other members.
    public var endpoint: Endpoint<Response> {
        var endpoint = Endpoint(
            path: path,
            method: method,
            query: queryParameters,
            headers: headers,
            body: body,
            reader: reader
        )
        endpoint.requiresAuth = requiresAuth
        endpoint.priority = priority
        endpoint.timeout = timeout
        endpoint.idempotencyKey = idempotencyKey
        endpoint.cachePolicy = cachePolicy
        return endpoint
    }
}

extension APIRequest where Response: Decodable {
    /// A reader that decodes the body.
    public var reader: ResponseReader<Response> { .decoded }
}

extension APIRequest where Response == Void {
    /// A reader that ignores the body.
    public var reader: ResponseReader<Response> { .ignored }
}

extension APIRequest where Response: EndpointResponse {
    /// The reader of the response type itself.
    public var reader: ResponseReader<Response> { .own }
}

extension APIRequest where Response: EndpointResponse & Decodable {
    /// The reader of the response type itself, instead of JSON.
    public var reader: ResponseReader<Response> { .decoded }
}
