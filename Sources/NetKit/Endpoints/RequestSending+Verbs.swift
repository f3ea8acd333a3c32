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
    /// Sends a `POST` request with a body, and decodes the body of the response.
    ///
    /// ```swift
    /// let photo: Photo = try await client.post("/photos", body: .file(url)) { @MainActor in fraction = $0.fractionCompleted }
    /// ```
    @concurrent
    public func post<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.post(path, query: query, headers: headers, body: body)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `POST` request with a body, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
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

    /// Sends a `POST` request with the fields of a form, and decodes the body of the response.
    @concurrent
    public func post<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        form: QueryBuilder,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.post(path, query: query, headers: headers, form: form)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `POST` request with the fields of a form, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        form: QueryBuilder,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.post(path, query: query, headers: headers, form: form)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `POST` request with a form of fields and files, and decodes the body of the response.
    @concurrent
    public func post<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        multipart: MultipartForm,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.post(path, query: query, headers: headers, multipart: multipart)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `POST` request with a form of fields and files, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        multipart: MultipartForm,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.post(path, query: query, headers: headers, multipart: multipart)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }
}

extension RequestSending {
    /// Sends a `PUT` request with a body, and decodes the body of the response.
    @concurrent
    public func put<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.put(path, query: query, headers: headers, body: body)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PUT` request with a body, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
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
    /// Sends a `PATCH` request with a body, and decodes the body of the response.
    @concurrent
    public func patch<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.patch(path, query: query, headers: headers, body: body)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PATCH` request with a body, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
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
