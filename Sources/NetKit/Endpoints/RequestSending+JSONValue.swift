/// A JSON literal whose values differ in type, as the body.
///
/// ```swift
/// try await client.post("/users", json: ["name": .string(name), "age": 36, "tags": ["new", nil]])
/// ```
/// A literal of values of one type, such as `["a": 1]`, is a dictionary of that type.
extension RequestSending {
    /// Sends a `POST` request with a JSON value, and decodes the body of the response.
    @concurrent
    public func post<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.post(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `POST` request with a JSON value, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.post(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PUT` request with a JSON value, and decodes the body of the response.
    @concurrent
    public func put<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.put(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PUT` request with a JSON value, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.put(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PATCH` request with a JSON value, and decodes the body of the response.
    @concurrent
    public func patch<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let endpoint = Endpoint<Value>.patch(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a `PATCH` request with a JSON value, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let endpoint = Endpoint<HTTPResponse>.patch(path, query: query, headers: headers, json: value)
        return try await send(endpoint, timeout: timeout, options: options, progress: progress)
    }
}
