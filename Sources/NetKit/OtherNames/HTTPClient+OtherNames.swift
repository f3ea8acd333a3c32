// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// Names that other HTTP clients use. None of them can be called: the compiler says what to write instead.

@available(
    *,
    unavailable,
    message: "Create a client once, and pass it on: HTTPClient(baseURL: URL(string: \"https://api.example.com\"))."
)
extension HTTPClient {
    @_alwaysEmitIntoClient public static var shared: OtherName { OtherName() }
    @_alwaysEmitIntoClient public static var `default`: OtherName { OtherName() }
}

@available(*, unavailable, message: "Use get(_:as:), post(_:json:as:), or send(_:) with an Endpoint or an HTTPRequest.")
extension HTTPClient {
    @_alwaysEmitIntoClient public nonisolated var request: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var fetch: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var perform: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var load: OtherName { OtherName() }
}

@available(*, unavailable, renamed: "shutdown(within:)")
extension HTTPClient {
    @_alwaysEmitIntoClient public nonisolated var invalidateAndCancel: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var finishTasksAndInvalidate: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var syncShutdown: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var close: OtherName { OtherName() }
}

@available(
    *,
    unavailable,
    message: "Pass interceptors when you create the client: HTTPClient(interceptors: .standard + [mine])."
)
extension HTTPClient {
    @_alwaysEmitIntoClient public nonisolated var addInterceptor: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var use: OtherName { OtherName() }
}

extension HTTPClient {
    @available(*, unavailable, message: "Use send(_:) or send(_:timeout:) with an HTTPRequest or an Endpoint.")
    @_alwaysEmitIntoClient public nonisolated var execute: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message: "Use send(_:) with an HTTPRequest; to cancel it, cancel the task that awaits it."
    )
    @_alwaysEmitIntoClient public nonisolated var newCall: OtherName { OtherName() }
    @available(*, unavailable, message: "Use data(for:) with a URLRequest, or send(_:) with an HTTPRequest.")
    @_alwaysEmitIntoClient public nonisolated var dataTask: OtherName { OtherName() }
    @available(*, unavailable, renamed: "download(_:to:)")
    @_alwaysEmitIntoClient public nonisolated var downloadTask: OtherName { OtherName() }
    @available(*, unavailable, renamed: "upload(_:to:)")
    @_alwaysEmitIntoClient public nonisolated var uploadTask: OtherName { OtherName() }
    @available(*, unavailable, message: "Use eventStream(_:) with an Endpoint: eventStream(.get(\"/events\")).")
    @_alwaysEmitIntoClient
    public nonisolated func sse(_ path: RequestPath) -> EventStream { eventStream(Endpoint(path: path)) }
    @available(*, unavailable, message: "Use pages(_:next:query:) with an Endpoint, or linkedPages(_:).")
    @_alwaysEmitIntoClient public nonisolated func paginate<Page>(_ endpoint: Endpoint<Page>) -> AsyncStream<Page> {
        AsyncStream { $0.finish() }
    }

    @available(*, unavailable, message: "Write send(HTTPRequest(.options, path)).")
    @_alwaysEmitIntoClient public nonisolated var options: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message: "Add a MetricsCollector to the interceptors of the client, and read its snapshot()."
    )
    @_alwaysEmitIntoClient public nonisolated var metrics: OtherName { OtherName() }
    @available(*, unavailable, message: "Add a HeadersInterceptor to the interceptors of the client.")
    @_alwaysEmitIntoClient public nonisolated var defaultHeaders: OtherName { OtherName() }
    @available(*, unavailable, renamed: "send(_:timeout:)")
    @_alwaysEmitIntoClient
    public nonisolated func execute(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        try await send(request, timeout: timeout)
    }

    @available(*, unavailable, message: "Use data(for:) with a URLRequest, or send(_:) with an HTTPRequest.")
    @_alwaysEmitIntoClient public nonisolated func dataTask(
        with url: URL,
        completionHandler: @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> OtherName { OtherName() }

    @available(*, unavailable, message: "Use data(for:) with a URLRequest, or send(_:) with an HTTPRequest.")
    @_alwaysEmitIntoClient public nonisolated func dataTask(
        with request: URLRequest,
        completionHandler: @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> OtherName { OtherName() }

    @available(*, unavailable, message: "Use send(_:) with an HTTPRequest, and read response.body as it arrives.")
    @_alwaysEmitIntoClient public nonisolated func bytes(from url: URL) async throws -> (ResponseBody, URLResponse) {
        throw CancellationError()
    }

    @available(*, unavailable, message: "Use send(_:) with an HTTPRequest, and read response.body as it arrives.")
    @_alwaysEmitIntoClient
    public nonisolated func bytes(for request: URLRequest) async throws -> (ResponseBody, URLResponse) {
        throw CancellationError()
    }

    @available(*, unavailable, message: "Pass a URL: HTTPClient(baseURL: URL(string: text)).")
    @_alwaysEmitIntoClient public init(baseURL: String) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message:
            "Add a RetryInterceptor to the list: HTTPClient(baseURL: base, interceptors: [RetryInterceptor(policy)])."
    )
    @_alwaysEmitIntoClient
    public init(baseURL: URL? = nil, retry: RetryPolicy) { self.init(transport: unusedTransport()) }
    @available(*, unavailable, message: "Set configuration.timeouts, and pass it: HTTPClient(baseURL:configuration:).")
    @_alwaysEmitIntoClient
    public init(baseURL: URL? = nil, timeout: Duration) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message:
            "Add a HeadersInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [HeadersInterceptor(fields)])."
    )
    @_alwaysEmitIntoClient
    public init(baseURL: URL? = nil, headers: HTTPHeaders) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message:
            "Add an AuthInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor(tokens)])."
    )
    @_alwaysEmitIntoClient
    public init(baseURL: URL? = nil, auth: AuthInterceptor) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message:
            "Add an AuthInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor(tokens)])."
    )
    @_alwaysEmitIntoClient
    public init(baseURL: URL? = nil, tokens: TokenStore) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message:
            "Add a CacheInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [CacheInterceptor(store)])."
    )
    @_alwaysEmitIntoClient
    public init(baseURL: URL? = nil, cache: some CacheStore) { self.init(transport: unusedTransport()) }
    @available(*, unavailable, message: "Pass the mock as the transport: HTTPClient(baseURL: base, transport: mock).")
    @_alwaysEmitIntoClient
    public init(baseURL: URL? = nil, mock: MockTransport) { self.init(transport: unusedTransport()) }
    @available(*, unavailable, renamed: "init(baseURL:transport:interceptors:configuration:)")
    @_alwaysEmitIntoClient public init(
        _ url: URL?,
        transport: some Transport = .platformDefault,
        interceptors: InterceptorList = .standard,
        configuration: Configuration = Configuration()
    ) { self.init(transport: transport) }

    @available(*, unavailable, message: "Pass a URL: HTTPClient(baseURL: URL(string: text)).")
    @_alwaysEmitIntoClient public init(
        _ text: String,
        transport: some Transport = .platformDefault,
        interceptors: InterceptorList = .standard,
        configuration: Configuration = Configuration()
    ) { self.init(transport: transport) }
}

/// Hides the type of a transport: for each type that it knows, the compiler generates the client's initializer again.
@inline(never)
@usableFromInline
func unusedTransport(_ transport: some Transport = .platformDefault) -> any Transport { transport }

@available(*, unavailable, renamed: "withDeadline(_:clock:_:)")
@_alwaysEmitIntoClient public func withTimeout<Success: Sendable>(
    _ budget: Duration,
    _ operation: @escaping @Sendable () async throws -> Success
) async throws -> Success { try await withDeadline(budget, operation) }

extension HTTPClient.Configuration {
    @available(*, unavailable, message: "Write HTTPClient.Configuration().")
    @_alwaysEmitIntoClient public static var `default`: HTTPClient.Configuration { HTTPClient.Configuration() }
    @available(*, unavailable, message: "Pass the base to the client: HTTPClient(baseURL: base, configuration: …).")
    @_alwaysEmitIntoClient public var baseURL: URL? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Set the coder: configuration.json = .snakeCase, or .standard.with(decoder:).")
    @_alwaysEmitIntoClient public var decoder: JSONDecoder {
        get { JSONDecoder() }
        set { _ = newValue }
    }

    @available(
        *,
        unavailable,
        message: "Add a HeadersInterceptor([\"User-Agent\": …]) to the interceptors of the client."
    )
    @_alwaysEmitIntoClient public var userAgent: String? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "maxBufferedBytes")
    @_alwaysEmitIntoClient public var maxResponseSize: Int {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "timeouts.total")
    @_alwaysEmitIntoClient public var timeout: Duration? {
        get { timeouts.total }
        set { timeouts.total = newValue }
    }

    @available(*, unavailable, renamed: "timeouts.idle")
    @_alwaysEmitIntoClient public var timeoutIntervalForRequest: Double {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "timeouts.total")
    @_alwaysEmitIntoClient public var timeoutIntervalForResource: Double {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a RetryInterceptor with the policy to the interceptors of the client.")
    @_alwaysEmitIntoClient public var retry: RetryPolicy {
        get { .standard }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a RetryInterceptor with the policy to the interceptors of the client.")
    @_alwaysEmitIntoClient public var retryPolicy: RetryPolicy {
        get { .standard }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a HeadersInterceptor to the interceptors of the client.")
    @_alwaysEmitIntoClient public var httpAdditionalHeaders: HTTPHeaders {
        get { [:] }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a HeadersInterceptor to the interceptors of the client.")
    @_alwaysEmitIntoClient public var headers: HTTPHeaders {
        get { [:] }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Create the transport with it: CurlTransport(configuration:) has the proxy.")
    @_alwaysEmitIntoClient public var proxy: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message: "Create the transport with it: CurlTransport(configuration:) has the settings of TLS."
    )
    @_alwaysEmitIntoClient public var tlsConfiguration: OtherName { OtherName() }
}

extension Timeouts {
    @available(*, unavailable, renamed: "total")
    @_alwaysEmitIntoClient public var request: Duration? {
        get { total }
        set { total = newValue }
    }

    @available(*, unavailable, renamed: "idle")
    @_alwaysEmitIntoClient public var read: Duration? {
        get { idle }
        set { idle = newValue }
    }
}

extension CallOptions {
    @available(*, unavailable, renamed: "init(cachePolicy:)")
    @_alwaysEmitIntoClient public init(cache: CachePolicy) { self.init(cachePolicy: cache) }
    @available(
        *,
        unavailable,
        message: "Header fields belong to the request: HTTPRequest(_:_:headers:), or headers: of a verb."
    )
    @_alwaysEmitIntoClient public init(headers: HTTPHeaders) { self.init() }
    @available(*, unavailable, message: "Pass a policy: CallOptions(retry: RetryPolicy(maxRetries: 3)).")
    @_alwaysEmitIntoClient public init(retries: Int) { self.init() }
    @available(*, unavailable, message: "Pass a policy: CallOptions(retry: RetryPolicy(maxRetries: 3)).")
    @_alwaysEmitIntoClient public init(maxRetries: Int) { self.init() }
    @available(
        *,
        unavailable,
        message: "Header fields belong to the request: HTTPRequest(_:_:headers:) or endpoint.headers."
    )
    @_alwaysEmitIntoClient public var headers: HTTPHeaders {
        get { [:] }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "retry")
    @_alwaysEmitIntoClient public var retryPolicy: RetryPolicy {
        get { retry }
        set { retry = newValue }
    }

    @available(*, unavailable, message: "Set a policy: options.retry = RetryPolicy(maxRetries: 2).")
    @_alwaysEmitIntoClient public var maxRetries: Int {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "timeout")
    @_alwaysEmitIntoClient public var timeoutInterval: Double {
        get { 0 }
        set { _ = newValue }
    }
}
