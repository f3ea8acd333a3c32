/// A typed call: the request, and the type of its result.
///
/// ```swift
/// extension Endpoint where Response == User {
///     static func user(_ id: String) -> Self { .get("/users/\(id)") }
/// }
/// let user = try await client.send(.user("42"))
/// let created: User = try await client.send(.post("/users", json: NewUser(name: "Ada")))
/// ```
/// `Response` is `Void`, ``HTTPResponse``, ``DynamicResponse``, an ``EndpointResponse`` of your own, or any `Decodable`
/// type. `Data` and `String` are the body itself. An optional type is `nil` if there is no body. A status that is not
/// accepted throws `.server`, and a body of another shape throws `.decoding`.
public struct Endpoint<Response: Sendable>: Sendable {
    /// The HTTP method.
    public var method: HTTPMethod
    /// The path below the client's base URL.
    public var path: RequestPath
    /// The query items, in order.
    public var query: QueryBuilder
    /// The header fields, in addition to those that the client adds.
    public var headers: HTTPHeaders
    /// The body of the request.
    public var body: HTTPBody?
    /// Whether a credential is added; `false` for login and refresh.
    public var requiresAuth = true
    /// The time limit for the whole call.
    public var timeout: Duration?
    /// The urgency of the call.
    public var priority = TaskPriority.medium
    /// The key by which the server recognizes repetitions.
    public var idempotencyKey: IdempotencyKey?
    /// The cache policy of the call; `nil` leaves the decision to the cache.
    public var cachePolicy: CachePolicy?
    /// The retry policy of each call, instead of that of the client.
    ///
    /// A policy in the options of a call takes precedence. If none is set, the policy of the client applies, although
    /// this property then reads as ``RetryPolicy/standard``.
    public var retry: RetryPolicy {
        get { tags.retry }
        set { tags.retry = newValue }
    }
    /// The statuses that are not errors.
    public var acceptedStatuses = AcceptedStatuses.successful
    /// The JSON coder of this endpoint; `nil` uses the client's coder.
    public var json: JSONCoder?
    /// The type of an error's body, for `error.body(as:)`; `nil` uses the client's type.
    public var errorBody: (any (Decodable & Sendable).Type)?
    /// Your own values that are passed along with each call.
    ///
    /// The retry policy of the endpoint is kept among them. Replacing all of them at once removes it.
    public var tags = CallTags()

    let reader: ResponseReader<Response>

    /// Creates an endpoint with its own reader of the response.
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        reader: ResponseReader<Response>
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.reader = reader
    }

    /// The request that the endpoint describes.
    public var request: HTTPRequest {
        let coded = json.map { body?.encoded(with: $0) } ?? body
        var request = HTTPRequest(method, path, query: query, headers: headers, body: coded)
        request.requiresAuth = requiresAuth
        if let accept = reader.accept { request.headers.addIfMissing("Accept", accept) }
        return request
    }

    /// Returns an endpoint with a transformed result.
    ///
    /// An error of the closure surfaces from `send` as the cause of `.custom`.
    public func map<Mapped: Sendable>(
        _ transform: @escaping @Sendable (Response) async throws -> Mapped
    ) -> Endpoint<Mapped> {
        let reader = reader
        return reading(
            reader.making { response, settings in
                try await transform(try await reader.read(response, settings))
            }
        )
    }

    /// Returns the same call with another reader of the response.
    func reading<Other: Sendable>(_ reader: ResponseReader<Other>) -> Endpoint<Other> {
        var mapped = Endpoint<Other>(
            path: path,
            method: method,
            query: query,
            headers: headers,
            body: body,
            reader: reader
        )
        mapped.requiresAuth = requiresAuth
        mapped.timeout = timeout
        mapped.priority = priority
        mapped.idempotencyKey = idempotencyKey
        mapped.cachePolicy = cachePolicy
        mapped.acceptedStatuses = acceptedStatuses
        mapped.json = json
        mapped.errorBody = errorBody
        mapped.tags = tags
        return mapped
    }
}
