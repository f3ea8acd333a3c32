public import Foundation

// The memberwise initializer, once for each kind of result.

extension Endpoint where Response: Decodable {
    /// Creates an endpoint that decodes the response body.
    ///
    /// The items of `queryItems` follow those of `query`.
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        queryItems: [URLQueryItem] = [],
        body: HTTPBody? = nil,
        requiresAuth: Bool = true,
        timeout: Duration? = nil,
        priority: TaskPriority = .medium,
        idempotencyKey: IdempotencyKey? = nil,
        cachePolicy: CachePolicy? = nil,
        retry: RetryPolicy? = nil,
        acceptedStatuses: AcceptedStatuses = .successful,
        json: JSONCoder? = nil,
        errorBody: (any (Decodable & Sendable).Type)? = nil,
        tags: CallTags = CallTags()
    ) {
        let query = query.adding(queryItems)
        self.init(path: path, method: method, query: query, headers: headers, body: body, reader: .decoded)
        (self.requiresAuth, self.timeout, self.priority) = (requiresAuth, timeout, priority)
        (self.idempotencyKey, self.cachePolicy) = (idempotencyKey, cachePolicy)
        (self.acceptedStatuses, self.json, self.errorBody, self.tags) = (acceptedStatuses, json, errorBody, tags)
        if let retry { self.retry = retry }
    }
}

extension Endpoint where Response == Void {
    /// Creates an endpoint that ignores the response body.
    ///
    /// The items of `queryItems` follow those of `query`.
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        queryItems: [URLQueryItem] = [],
        body: HTTPBody? = nil,
        requiresAuth: Bool = true,
        timeout: Duration? = nil,
        priority: TaskPriority = .medium,
        idempotencyKey: IdempotencyKey? = nil,
        cachePolicy: CachePolicy? = nil,
        retry: RetryPolicy? = nil,
        acceptedStatuses: AcceptedStatuses = .successful,
        json: JSONCoder? = nil,
        errorBody: (any (Decodable & Sendable).Type)? = nil,
        tags: CallTags = CallTags()
    ) {
        let query = query.adding(queryItems)
        self.init(path: path, method: method, query: query, headers: headers, body: body, reader: .ignored)
        (self.requiresAuth, self.timeout, self.priority) = (requiresAuth, timeout, priority)
        (self.idempotencyKey, self.cachePolicy) = (idempotencyKey, cachePolicy)
        (self.acceptedStatuses, self.json, self.errorBody, self.tags) = (acceptedStatuses, json, errorBody, tags)
        if let retry { self.retry = retry }
    }
}

extension Endpoint where Response: EndpointResponse {
    /// Creates an endpoint whose response type reads the response.
    ///
    /// The items of `queryItems` follow those of `query`.
    @_disfavoredOverload
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        queryItems: [URLQueryItem] = [],
        body: HTTPBody? = nil,
        requiresAuth: Bool = true,
        timeout: Duration? = nil,
        priority: TaskPriority = .medium,
        idempotencyKey: IdempotencyKey? = nil,
        cachePolicy: CachePolicy? = nil,
        retry: RetryPolicy? = nil,
        acceptedStatuses: AcceptedStatuses = .successful,
        json: JSONCoder? = nil,
        errorBody: (any (Decodable & Sendable).Type)? = nil,
        tags: CallTags = CallTags()
    ) {
        let query = query.adding(queryItems)
        self.init(path: path, method: method, query: query, headers: headers, body: body, reader: .own)
        (self.requiresAuth, self.timeout, self.priority) = (requiresAuth, timeout, priority)
        (self.idempotencyKey, self.cachePolicy) = (idempotencyKey, cachePolicy)
        (self.acceptedStatuses, self.json, self.errorBody, self.tags) = (acceptedStatuses, json, errorBody, tags)
        if let retry { self.retry = retry }
    }
}
