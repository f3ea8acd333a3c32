/// A call as a type, for those who prefer one type a request to a static function a request.
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
/// Everything but `Response` and `path` has a default. `endpoint` is the same as a value, and the place for what is rarely set.
public protocol APIRequest<Response>: Sendable {
    /// What the call gives.
    associatedtype Response: Sendable

    /// What the call does.
    var method: HTTPMethod { get }
    /// Where it goes, below the client's base URL.
    var path: RequestPath { get }
    /// The query items, in order.
    var queryParameters: QueryBuilder { get }
    /// The header fields, besides those the client adds.
    var headers: HTTPHeaders { get }
    /// What is sent along.
    var body: HTTPBody? { get }
    /// Whether a credential is added: false for login and refresh.
    var requiresAuth: Bool { get }
    /// How urgent the call is.
    var priority: TaskPriority { get }
    /// The limit for the whole call.
    var timeout: Duration? { get }
    /// The key under which the server recognises repetitions.
    var idempotencyKey: IdempotencyKey? { get }
    /// Whether a cache may answer; nil leaves that to the cache.
    var cachePolicy: CachePolicy? { get }
    /// How the answer is read; types that are `Decodable`, `Void` or an ``EndpointResponse`` have it already.
    var reader: ResponseReader<Response> { get }
    /// The call as a value.
    var endpoint: Endpoint<Response> { get }
}

extension APIRequest {
    /// GET.
    public var method: HTTPMethod { .get }
    /// None.
    public var queryParameters: QueryBuilder { QueryBuilder() }
    /// None.
    public var headers: HTTPHeaders { HTTPHeaders() }
    /// None.
    public var body: HTTPBody? { nil }
    /// True.
    public var requiresAuth: Bool { true }
    /// Medium.
    public var priority: TaskPriority { .medium }
    /// None of its own.
    public var timeout: Duration? { nil }
    /// None of its own.
    public var idempotencyKey: IdempotencyKey? { nil }
    /// None of its own.
    public var cachePolicy: CachePolicy? { nil }

    /// The members as a value.
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
    /// A decoded value.
    public var reader: ResponseReader<Response> { .decoded }
}

extension APIRequest where Response == Void {
    /// Nothing.
    public var reader: ResponseReader<Response> { .ignored }
}

extension APIRequest where Response: EndpointResponse {
    /// What the type makes of the answer.
    public var reader: ResponseReader<Response> { .own }
}

extension APIRequest where Response: EndpointResponse & Decodable {
    /// What the type makes of the answer, and not JSON.
    public var reader: ResponseReader<Response> { .decoded }
}

extension APIRequest where Response == HTTPResponse {
    /// The answer as it is.
    public var reader: ResponseReader<Response> { .whole }
}
