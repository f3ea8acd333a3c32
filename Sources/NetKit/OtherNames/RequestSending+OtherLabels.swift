// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Overloads for labels that other clients use, for a URL as a path, and for settings beside an endpoint or a file.

@available(*, unavailable, message: "Pass the items of the query with query:.")
extension RequestSending {
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(
        _ path: RequestPath,
        parameters: QueryBuilder,
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func get(
        _ path: RequestPath,
        parameters: QueryBuilder,
        headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(
        _ path: RequestPath,
        params: QueryBuilder,
        headers: HTTPHeaders = [:],
        as type: Value.Type = Value.self
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func get(
        _ path: RequestPath,
        params: QueryBuilder,
        headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse { throw CancellationError() }
}

@available(*, unavailable, message: "Pass JSON with json:, a form with form:, and the items of the query with query:.")
extension RequestSending {
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient
    public func post(_ path: RequestPath, parameters: QueryBuilder) async throws -> HTTPResponse {
        throw CancellationError()
    }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func post(_ path: RequestPath, _ body: some Sendable) async throws -> HTTPResponse {
        throw CancellationError()
    }
}

@available(*, unavailable, message: "Pass a whole URL with its method: send(HTTPRequest(.get, url)).")
extension RequestSending {
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public func get<Value: Decodable & Sendable>(_ url: URL, as type: Value.Type = Value.self) async throws -> Value {
        throw CancellationError()
    }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func get(_ url: URL) async throws -> HTTPResponse { throw CancellationError() }
}

@available(*, unavailable, message: "Write the form as the body: body: .form(fields), or body: .multipart(form).")
extension RequestSending {
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func put(
        _ path: RequestPath,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func patch(
        _ path: RequestPath,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }
}

@available(*, unavailable, message: "Pass the limit with the options: options: CallOptions(timeout: .seconds(60)).")
extension RequestSending {
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(
        _ path: RequestPath,
        to destination: URL,
        headers: HTTPHeaders = [:],
        rules: DownloadRules = DownloadRules(),
        timeout: Duration,
        progress: ProgressHandler? = nil
    ) async throws -> DownloadedFile { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(
        _ content: some Sendable,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        timeout: Duration,
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func upload<Value: Decodable & Sendable>(
        _ content: some Sendable,
        to path: RequestPath,
        as type: Value.Type = Value.self,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        timeout: Duration,
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }

    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(
        _ content: HTTPBody,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        timeout: Duration,
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func upload<Value: Decodable & Sendable>(
        _ content: HTTPBody,
        to path: RequestPath,
        as type: Value.Type = Value.self,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        timeout: Duration,
        progress: ProgressHandler? = nil
    ) async throws -> Value { throw CancellationError() }
}

@available(*, unavailable, message: "Pass the key with the options: options: CallOptions(idempotencyKey: .automatic).")
extension RequestSending {
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func post(
        _ path: RequestPath,
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        form: QueryBuilder? = nil,
        idempotencyKey: IdempotencyKey
    ) async throws -> HTTPResponse { throw CancellationError() }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        idempotencyKey: IdempotencyKey
    ) async throws -> Response { throw CancellationError() }
}

extension RequestSending {
    @available(*, unavailable, message: "Pass the policy with the options: options: CallOptions(retry: …).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        retry: RetryPolicy
    ) async throws -> Response { throw CancellationError() }

    @available(
        *,
        unavailable,
        message: "Write the URL as a whole path: download(\"\\(raw: url.absoluteString)\", to: file)."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient
    public func download(_ url: URL, to destination: URL) async throws -> DownloadedFile { throw CancellationError() }

    @available(*, unavailable, message: "Pass an endpoint: eventStream(.get(\"/events\")).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public func eventStream(_ path: RequestPath) -> EventStream { eventStream(Endpoint(path: path)) }

    @available(*, unavailable, message: "Pass an endpoint: stream(.get(\"/rows\"), of: Row.self).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public func stream<Value: Decodable & Sendable>(_ path: RequestPath, of type: Value.Type) -> JSONLines<Value> {
        stream(Endpoint(path: path), of: type)
    }
}
