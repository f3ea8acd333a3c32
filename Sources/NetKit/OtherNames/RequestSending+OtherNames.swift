// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Overloads for a path as a text, and for a value as a body. A path is a literal, so that a value in it cannot change
// the target of the request. `body:` takes bytes, texts, files and streams, and `json:` a value to encode.

@available(
    *,
    unavailable,
    message:
        "Write the path as a literal with the values in it: \"/users/\\(id)\". For a text that is a whole path, write \"\\(raw: path)\"."
)
extension RequestSending {
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func get(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func delete<Value: Decodable & Sendable>(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func delete(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func head(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func post<Value: Decodable & Sendable>(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func post(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func put<Value: Decodable & Sendable>(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func put(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func patch<Value: Decodable & Sendable>(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func patch(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }
}

@available(
    *,
    unavailable,
    message:
        "Write the path as a literal with the values in it: \"/users/\\(id)\". For a text that is a whole path, write \"\\(raw: path)\"."
)
extension RequestSending {
    @available(
        *,
        unavailable,
        message:
            "Pass bytes as .data(bytes), a text as .text(text), and a value as .json(value): upload(.data(bytes), to: path)."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func upload<Value: Decodable & Sendable>(
        _ content: some Sendable,
        to path: String,
        as type: Value.Type = Value.self,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @available(
        *,
        unavailable,
        message:
            "Pass bytes as .data(bytes), a text as .text(text), and a value as .json(value): upload(.data(bytes), to: path)."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(
        _ content: some Sendable,
        to path: String,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func upload<Value: Decodable & Sendable>(
        _ content: HTTPBody,
        to path: String,
        as type: Value.Type = Value.self,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(
        _ content: HTTPBody,
        to path: String,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func upload<Value: Decodable & Sendable>(
        _ content: URL,
        to path: String,
        as type: Value.Type = Value.self,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(
        _ content: URL,
        to path: String,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func upload<Value: Decodable & Sendable>(
        _ content: MultipartForm,
        to path: String,
        as type: Value.Type = Value.self,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(
        _ content: MultipartForm,
        to path: String,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(
        _ path: String,
        to destination: URL,
        headers: HTTPHeaders = [:],
        upTo limit: Int64 = .max,
        rules: DownloadRules = DownloadRules(),
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> DownloadedFile { throw CancellationError() }
}

@available(
    *,
    unavailable,
    message: "Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text)."
)
extension RequestSending {
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func post<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: some Encodable,
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
        body: some Encodable,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func put<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: some Encodable,
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
        body: some Encodable,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func patch<Value: Decodable & Sendable>(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: some Encodable,
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
        body: some Encodable,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }
}
