public import Foundation

// The memberwise initialiser, once for each kind of result, with `query` as a builder or `queryItems` as a list.

extension Endpoint where Response: Decodable {
    /// Makes an endpoint of its parts; gives a decoded value.
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil,
        requiresAuth: Bool = true,
        timeout: Duration? = nil,
        priority: TaskPriority = .medium,
        idempotencyKey: IdempotencyKey? = nil,
        cachePolicy: CachePolicy? = nil,
        acceptedStatuses: AcceptedStatuses = .successful,
        json: JSONCoder? = nil,
        errorBody: (any (Decodable & Sendable).Type)? = nil
    ) {
        self.init(path: path, method: method, query: query, headers: headers, body: body, reader: .decoded)
        self.requiresAuth = requiresAuth
        self.timeout = timeout
        self.priority = priority
        self.idempotencyKey = idempotencyKey
        self.cachePolicy = cachePolicy
        self.acceptedStatuses = acceptedStatuses
        self.json = json
        self.errorBody = errorBody
    }

    /// Makes an endpoint of its parts with query items; gives a decoded value.
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = HTTPHeaders(),
        queryItems: [URLQueryItem],
        body: HTTPBody? = nil,
        cachePolicy: CachePolicy? = nil
    ) {
        let query = QueryBuilder(queryItems)
        self.init(path: path, method: method, query: query, headers: headers, body: body, cachePolicy: cachePolicy)
    }

    /// Makes an endpoint of its parts with query items; gives a decoded value.
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) {
        self.init(path: path, method: method, query: QueryBuilder(query), headers: headers, body: body)
    }
}

extension Endpoint where Response == Void {
    /// Makes an endpoint of its parts; gives nothing.
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil,
        requiresAuth: Bool = true,
        timeout: Duration? = nil,
        priority: TaskPriority = .medium,
        idempotencyKey: IdempotencyKey? = nil,
        cachePolicy: CachePolicy? = nil,
        acceptedStatuses: AcceptedStatuses = .successful,
        json: JSONCoder? = nil,
        errorBody: (any (Decodable & Sendable).Type)? = nil
    ) {
        self.init(path: path, method: method, query: query, headers: headers, body: body, reader: .ignored)
        self.requiresAuth = requiresAuth
        self.timeout = timeout
        self.priority = priority
        self.idempotencyKey = idempotencyKey
        self.cachePolicy = cachePolicy
        self.acceptedStatuses = acceptedStatuses
        self.json = json
        self.errorBody = errorBody
    }

    /// Makes an endpoint of its parts with query items; gives nothing.
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = HTTPHeaders(),
        queryItems: [URLQueryItem],
        body: HTTPBody? = nil,
        cachePolicy: CachePolicy? = nil
    ) {
        let query = QueryBuilder(queryItems)
        self.init(path: path, method: method, query: query, headers: headers, body: body, cachePolicy: cachePolicy)
    }

    /// Makes an endpoint of its parts with query items; gives nothing.
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) {
        self.init(path: path, method: method, query: QueryBuilder(query), headers: headers, body: body)
    }
}

extension Endpoint where Response == HTTPResponse {
    /// Makes an endpoint of its parts; gives the answer as it is.
    @_disfavoredOverload
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil,
        requiresAuth: Bool = true,
        timeout: Duration? = nil,
        priority: TaskPriority = .medium,
        idempotencyKey: IdempotencyKey? = nil,
        cachePolicy: CachePolicy? = nil,
        acceptedStatuses: AcceptedStatuses = .successful,
        json: JSONCoder? = nil,
        errorBody: (any (Decodable & Sendable).Type)? = nil
    ) {
        self.init(path: path, method: method, query: query, headers: headers, body: body, reader: .whole)
        self.requiresAuth = requiresAuth
        self.timeout = timeout
        self.priority = priority
        self.idempotencyKey = idempotencyKey
        self.cachePolicy = cachePolicy
        self.acceptedStatuses = acceptedStatuses
        self.json = json
        self.errorBody = errorBody
    }

    /// Makes an endpoint of its parts with query items; gives the answer as it is.
    @_disfavoredOverload
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = HTTPHeaders(),
        queryItems: [URLQueryItem],
        body: HTTPBody? = nil,
        cachePolicy: CachePolicy? = nil
    ) {
        let query = QueryBuilder(queryItems)
        self.init(path: path, method: method, query: query, headers: headers, body: body, cachePolicy: cachePolicy)
    }

    /// Makes an endpoint of its parts with query items; gives the answer as it is.
    @_disfavoredOverload
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) {
        self.init(path: path, method: method, query: QueryBuilder(query), headers: headers, body: body)
    }
}

extension Endpoint where Response: EndpointResponse {
    /// Makes an endpoint of its parts; gives what the type makes of the answer.
    @_disfavoredOverload
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil,
        requiresAuth: Bool = true,
        timeout: Duration? = nil,
        priority: TaskPriority = .medium,
        idempotencyKey: IdempotencyKey? = nil,
        cachePolicy: CachePolicy? = nil,
        acceptedStatuses: AcceptedStatuses = .successful,
        json: JSONCoder? = nil,
        errorBody: (any (Decodable & Sendable).Type)? = nil
    ) {
        self.init(path: path, method: method, query: query, headers: headers, body: body, reader: .own)
        self.requiresAuth = requiresAuth
        self.timeout = timeout
        self.priority = priority
        self.idempotencyKey = idempotencyKey
        self.cachePolicy = cachePolicy
        self.acceptedStatuses = acceptedStatuses
        self.json = json
        self.errorBody = errorBody
    }

    /// Makes an endpoint of its parts with query items; gives what the type makes of the answer.
    @_disfavoredOverload
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = HTTPHeaders(),
        queryItems: [URLQueryItem],
        body: HTTPBody? = nil,
        cachePolicy: CachePolicy? = nil
    ) {
        let query = QueryBuilder(queryItems)
        self.init(path: path, method: method, query: query, headers: headers, body: body, cachePolicy: cachePolicy)
    }

    /// Makes an endpoint of its parts with query items; gives what the type makes of the answer.
    @_disfavoredOverload
    public init(
        path: RequestPath,
        method: HTTPMethod = .get,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) {
        self.init(path: path, method: method, query: QueryBuilder(query), headers: headers, body: body)
    }
}
