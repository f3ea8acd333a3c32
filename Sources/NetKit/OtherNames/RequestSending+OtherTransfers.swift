// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// Uploads, downloads, pages and streams as other HTTP clients write them. The compiler says what to write.

extension RequestSending {
    @available(
        *,
        unavailable,
        message: "Pass it with the rules: download(path, to: file, rules: DownloadRules(isResumable: true))."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(_ path: RequestPath, to destination: URL, resume: Bool) async throws
        -> DownloadedFile
    { throw CancellationError() }

    @available(
        *,
        unavailable,
        message: "Pass it with the rules: download(path, to: file, rules: DownloadRules(isResumable: true))."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(_ path: RequestPath, to destination: URL, resumable: Bool) async throws
        -> DownloadedFile
    { throw CancellationError() }

    @available(
        *,
        unavailable,
        message: "Pass it with the rules: download(path, to: file, rules: DownloadRules(existingFile: .replace))."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(_ path: RequestPath, to destination: URL, overwrite: Bool) async throws
        -> DownloadedFile
    { throw CancellationError() }

    @available(
        *,
        unavailable,
        message: "Pass it with the rules: download(path, to: file, rules: DownloadRules(expectedSHA256: digest))."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(_ path: RequestPath, to destination: URL, sha256: String) async throws
        -> DownloadedFile
    { throw CancellationError() }

    @available(
        *,
        unavailable,
        message: "Write the URL as a whole path: download(\"\\(raw: url.absoluteString)\", to: file)."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(from url: URL, to destination: URL) async throws -> DownloadedFile {
        throw CancellationError()
    }

    @available(*, unavailable, renamed: "download(_:to:headers:upTo:rules:options:progress:)")
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(from path: RequestPath, to destination: URL) async throws
        -> DownloadedFile
    { throw CancellationError() }

    @available(*, unavailable, renamed: "download(_:to:headers:upTo:rules:options:progress:)")
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(_ path: RequestPath, destination: URL) async throws -> DownloadedFile {
        throw CancellationError()
    }

    @available(
        *,
        unavailable,
        message: "Name the file: download(path, to: file). For the bytes, use get(path) and response.data()."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func download(_ path: RequestPath) async throws -> DownloadedFile {
        throw CancellationError()
    }

    @available(
        *,
        unavailable,
        message:
            "Pass a body: upload(.file(at: file, contentType: type), to: path), or .data(bytes, contentType: type)."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(
        _ content: some Sendable,
        to path: RequestPath,
        contentType: String
    ) async throws -> HTTPResponse { throw CancellationError() }

    @available(
        *,
        unavailable,
        message: "Write the URL as a whole path: upload(file, to: \"\\(raw: url.absoluteString)\")."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(_ content: some Sendable, to url: URL) async throws -> HTTPResponse {
        throw CancellationError()
    }

    @available(*, unavailable, message: "Name the file first: upload(file, to: path).")
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(_ path: RequestPath, file: URL) async throws -> HTTPResponse {
        throw CancellationError()
    }

    @available(*, unavailable, renamed: "upload(_:to:method:headers:options:progress:)")
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(file: URL, to path: RequestPath) async throws -> HTTPResponse {
        throw CancellationError()
    }

    @available(*, unavailable, renamed: "upload(_:to:method:headers:options:progress:)")
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func upload(multipart: MultipartForm, to path: RequestPath) async throws
        -> HTTPResponse
    { throw CancellationError() }

    @available(
        *,
        unavailable,
        message:
            "Pass an endpoint with its type, and the name of the query item: pages(Endpoint<UserPage>.get(\"/users\"), next: \\.cursor, query: \"cursor\")."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func pages(_ path: RequestPath, next cursor: Any, query: String = "") -> AsyncStream<
        OtherName
    > { AsyncStream { $0.finish() } }

    @available(
        *,
        unavailable,
        message:
            "Pass an endpoint with its type, and the name of the query item: pages(Endpoint<UserPage>.get(\"/users\"), next: \\.cursor, query: \"cursor\")."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func pages(
        _ path: RequestPath,
        query: String = "",
        next: (OtherName) -> Any
    ) -> AsyncStream<OtherName> { AsyncStream { $0.finish() } }

    @available(
        *,
        unavailable,
        message: "Name the query item of the cursor: pages(endpoint, next: \\.cursor, query: \"cursor\")."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func pages<Page: Sendable, Cursor>(
        _ endpoint: Endpoint<Page>,
        next: KeyPath<Page, Cursor>
    ) -> AsyncStream<Page> { AsyncStream { $0.finish() } }

    @available(
        *,
        unavailable,
        message:
            "Pass an endpoint with its type, and the name of the query item: pages(Endpoint<UserPage>.get(\"/users\"), next: \\.cursor, query: \"cursor\")."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func pages(_ path: RequestPath) -> AsyncStream<OtherName> {
        AsyncStream { $0.finish() }
    }

    @available(
        *,
        unavailable,
        message: "Pass an endpoint with its type: linkedPages(Endpoint<[User]>.get(\"/users\"))."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func linkedPages(_ path: RequestPath) -> AsyncStream<OtherName> {
        AsyncStream { $0.finish() }
    }

    @available(*, unavailable, message: "Use pages(_:next:query:) with an Endpoint, or linkedPages(_:).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func paginate(_ path: RequestPath) -> AsyncStream<OtherName> {
        AsyncStream { $0.finish() }
    }

    @available(*, unavailable, message: "Pass an endpoint: eventStream(.get(\"/events\")).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func serverSentEvents(_ path: RequestPath) -> EventStream {
        eventStream(Endpoint(path: path))
    }

    @available(*, unavailable, message: "Pass an endpoint: eventStream(.get(\"/events\")).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func eventSource(_ path: RequestPath) -> EventStream {
        eventStream(Endpoint(path: path))
    }

    @available(*, unavailable, message: "Pass an endpoint: eventStream(.get(\"\\(raw: url.absoluteString)\")).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func eventStream(_ url: URL) -> EventStream { eventStream(Endpoint(path: "/")) }

    @available(
        *,
        unavailable,
        message: "Pass the fields with the endpoint: eventStream(.get(\"/events\", headers: fields))."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func eventStream(_ endpoint: Endpoint<Void>, headers: HTTPHeaders) -> EventStream {
        eventStream(endpoint)
    }

    @available(*, unavailable, renamed: "stream(_:of:maxLineBytes:options:)")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func stream<Value: Decodable & Sendable>(
        _ endpoint: Endpoint<Void>,
        as type: Value.Type
    ) -> JSONLines<Value> { stream(endpoint) }

    @available(*, unavailable, message: "Pass an endpoint: stream(.get(\"/rows\"), of: Row.self).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func jsonLines<Value: Decodable & Sendable>(_ path: RequestPath, of type: Value.Type)
        -> JSONLines<Value>
    { stream(Endpoint(path: path)) }

    @available(*, unavailable, message: "Use send(request), and read response.body as it arrives.")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func stream(_ request: HTTPRequest) async throws -> ResponseBody {
        throw CancellationError()
    }

    @available(*, unavailable, message: "Use send(HTTPRequest(.get, path)), and read response.body as it arrives.")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func stream(_ path: RequestPath) async throws -> ResponseBody {
        throw CancellationError()
    }

}

extension RequestSending {
    @available(*, unavailable, message: "Name the type with as:, such as get(\"/users/1\", as: User.self).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(_ path: RequestPath, _ type: Value.Type)
        async throws -> Value
    { throw CancellationError() }

    @available(*, unavailable, message: "Name the type with as:, such as get(\"/users/1\", as: User.self).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(_ path: RequestPath, of type: Value.Type)
        async throws -> Value
    { throw CancellationError() }

    @available(
        *,
        unavailable,
        message: "Pass the items of the query with query:; for URLQueryItems write QueryBuilder(items)."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(_ path: RequestPath, queryItems: [URLQueryItem])
        async throws -> Value
    { throw CancellationError() }

    @available(*, unavailable, message: "Pass the policy with the options: options: CallOptions(cachePolicy: .reload).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(_ path: RequestPath, cachePolicy: CachePolicy)
        async throws -> Value
    { throw CancellationError() }

    @available(*, unavailable, message: "Pass the policy with the options: options: CallOptions(cachePolicy: .reload).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(_ path: RequestPath, cache: CachePolicy)
        async throws -> Value
    { throw CancellationError() }

    @available(
        *,
        unavailable,
        message:
            "Set configuration.json of the client, or the coder of an Endpoint: Endpoint(path: path, json: .snakeCase)."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(_ path: RequestPath, decoder: JSONDecoder)
        async throws -> Value
    { throw CancellationError() }

    @available(*, unavailable, message: "Use data(for:) with a URLRequest, or send(try HTTPRequest(request)).")
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func send(_ request: URLRequest) async throws -> HTTPResponse {
        throw CancellationError()
    }

    @available(*, unavailable, message: "Pass a whole URL with its method: send(HTTPRequest(.get, url)).")
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient public func send(_ url: URL) async throws -> HTTPResponse { throw CancellationError() }

    @available(
        *,
        unavailable,
        message:
            "Send an Endpoint, which checks the status: send(.get(path)). Or read the response: try await send(request).json()."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func send<Value: Decodable & Sendable>(_ request: HTTPRequest, as type: Value.Type)
        async throws -> Value
    { throw CancellationError() }

    @available(
        *,
        unavailable,
        message: "Pass a limit, send(request, timeout: .seconds(10)), or call it in withDeadline(.seconds(10)) { … }."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func send(_ request: HTTPRequest, deadline: ContinuousClock.Instant) async throws
        -> HTTPResponse
    { throw CancellationError() }

    @available(*, unavailable, message: "Pass endpoints: sendAll([Endpoint<User>.get(\"/users/1\")]).")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public func sendAll(_ requests: [HTTPRequest]) async throws -> [HTTPResponse] {
        throw CancellationError()
    }

}

extension HTTPClient {
    @available(*, unavailable, message: "Use send(request), and response.data().")
    @_disfavoredOverload
    @_alwaysEmitIntoClient public nonisolated func data(for request: HTTPRequest) async throws -> (Data, HTTPResponse) {
        throw CancellationError()
    }

    @available(*, unavailable, renamed: "cancelAll()")
    @_alwaysEmitIntoClient public nonisolated var cancelAllRequests: OtherName { OtherName() }
    @available(*, unavailable, renamed: "cancelAll()")
    @_alwaysEmitIntoClient public nonisolated func cancel() {}
    @available(
        *,
        unavailable,
        message: "Cancel the task that awaits the call, or name the call: CallOptions(id: id), and cancel(id)."
    )
    @_alwaysEmitIntoClient public nonisolated func cancel(_ request: HTTPRequest) {}
    @available(*, unavailable, renamed: "shutdown(within:)")
    @_alwaysEmitIntoClient public func shutdown(timeout: Duration) async {}
    @available(*, unavailable, renamed: "shutdown(within:)")
    @_alwaysEmitIntoClient public func shutdown(_ timeout: Duration) async {}
    @available(*, unavailable, renamed: "connect(to:count:timeout:)")
    @_alwaysEmitIntoClient public nonisolated var warmUp: OtherName { OtherName() }
}
