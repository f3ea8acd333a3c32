// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Overloads for a dictionary of any values as JSON, and for a retry policy as an argument of a verb.

@available(
    *,
    unavailable,
    message: "Wrap the values: [\"name\": .string(name), \"age\": .integer(age)], or encode a type of your own."
)
extension RequestSending {
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func post<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json: [String: Any],
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json: [String: Any],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func put<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json: [String: Any],
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json: [String: Any],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func patch<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json: [String: Any],
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json: [String: Any],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }
}

@available(*, unavailable, message: "Pass the policy with the options: options: CallOptions(retry: …).")
extension RequestSending {
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions()
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func get(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func delete<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions()
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func delete(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func head(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func post<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil,
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func put<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func patch<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        timeout: Duration? = nil,
        retry: RetryPolicy,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }
}
