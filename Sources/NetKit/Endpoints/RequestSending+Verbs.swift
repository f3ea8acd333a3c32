/// The verbs, for a call in one line; an ``Endpoint`` has more settings.
extension RequestSending {
    /// Sends a `GET` request and decodes the body of the response.
    ///
    /// ```swift
    /// let user = try await client.get("/users/\(id)", as: User.self)
    /// ```
    @concurrent
    public func get<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.get(path, query: query, headers: headers)
        return try await send(endpoint, timeout: timeout, options: options)
    }

    /// Sends a `GET` request and decodes the body of the response, or returns `nil` if it has one of some statuses.
    ///
    /// ```swift
    /// let user = try await client.get("/users/\(id)", as: User.self, nilFor: .notFound)
    /// ```
    @concurrent
    public func get<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self,
        nilFor status: HTTPStatus,
        _ otherStatuses: HTTPStatus...,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> Value? {
        let endpoint = Endpoint<Value>.get(path, query: query, headers: headers)
            .optional(nilFor: Set([status] + otherStatuses))
        return try await send(endpoint, timeout: timeout, options: options)
    }

    /// Sends a `GET` request and returns the response with its body in memory.
    ///
    /// A status outside 200…299 throws `.server`.
    @concurrent
    @discardableResult
    public func get(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.get(path, query: query, headers: headers)
        return try await send(endpoint, timeout: timeout, options: options)
    }

    /// Sends a `DELETE` request and decodes the body of the response.
    @concurrent
    public func delete<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.delete(path, query: query, headers: headers)
        return try await send(endpoint, timeout: timeout, options: options)
    }

    /// Sends a `DELETE` request and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func delete(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.delete(path, query: query, headers: headers)
        return try await send(endpoint, timeout: timeout, options: options)
    }

    /// Sends a `HEAD` request and returns the response.
    @concurrent
    @discardableResult
    public func head(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.head(path, query: query, headers: headers)
        return try await send(endpoint, timeout: timeout, options: options)
    }
}

extension RequestSending {
    /// Sends a `POST` request with a body or none, and decodes the body of the response.
    ///
    /// ```swift
    /// let user: User = try await client.post("/users", json: ["name": .string(name), "age": 36, "tags": ["new", nil]])
    /// let token: Token = try await client.post("/login", form: ["user": "ada"])
    /// let photo: Photo = try await client.post("/photos", body: .file(at: url)) { @MainActor in fraction = $0.fractionCompleted }
    /// ```
    /// `json:` takes a literal whose values may differ in type, or a value of your own type. A literal of values of one
    /// type, such as `["a": 1]`, is a dictionary of that type. `json: nil` is no body; `json: .null`, or a nil value of
    /// your own type, is the `null` of JSON.
    ///
    /// A call has one body. Two bodies throw `.invalidRequest` before anything is sent.
    @concurrent
    public func post<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let body = HTTPBody.one(of: body, json, form, multipart)
        let endpoint = Endpoint<Value>.post(path, query: query, headers: headers, body: body)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `POST` request with a body or none, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let body = HTTPBody.one(of: body, json, form, multipart)
        let endpoint = Endpoint<HTTPResponse>.post(path, query: query, headers: headers, body: body)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `POST` request with a value as JSON, and decodes the body of the response.
    @concurrent
    public func post<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.post(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `POST` request with a value as JSON, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.post(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }
}

extension RequestSending {
    /// Sends a `PUT` request with a body or none, and decodes the body of the response.
    @concurrent
    public func put<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let body = HTTPBody.one(of: body, json)
        let endpoint = Endpoint<Value>.put(path, query: query, headers: headers, body: body)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PUT` request with a body or none, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let body = HTTPBody.one(of: body, json)
        let endpoint = Endpoint<HTTPResponse>.put(path, query: query, headers: headers, body: body)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PUT` request with a value as JSON, and decodes the body of the response.
    @concurrent
    public func put<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.put(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PUT` request with a value as JSON, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.put(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }
}

extension RequestSending {
    /// Sends a `PATCH` request with a body or none, and decodes the body of the response.
    @concurrent
    public func patch<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let body = HTTPBody.one(of: body, json)
        let endpoint = Endpoint<Value>.patch(path, query: query, headers: headers, body: body)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PATCH` request with a body or none, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let body = HTTPBody.one(of: body, json)
        let endpoint = Endpoint<HTTPResponse>.patch(path, query: query, headers: headers, body: body)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PATCH` request with a value as JSON, and decodes the body of the response.
    @concurrent
    public func patch<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.patch(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PATCH` request with a value as JSON, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.patch(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }
}
