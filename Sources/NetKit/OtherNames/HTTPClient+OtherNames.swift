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
    public static var shared: OtherName { OtherName() }
    public static var `default`: OtherName { OtherName() }
}

@available(*, unavailable, message: "Use get(_:as:), post(_:json:as:), or send(_:) with an Endpoint or an HTTPRequest.")
extension HTTPClient {
    public nonisolated var request: OtherName { OtherName() }
    public nonisolated var fetch: OtherName { OtherName() }
    public nonisolated var perform: OtherName { OtherName() }
    public nonisolated var load: OtherName { OtherName() }
}

@available(*, unavailable, renamed: "shutdown(within:)")
extension HTTPClient {
    public nonisolated var invalidateAndCancel: OtherName { OtherName() }
    public nonisolated var finishTasksAndInvalidate: OtherName { OtherName() }
    public nonisolated var syncShutdown: OtherName { OtherName() }
    public nonisolated var close: OtherName { OtherName() }
}

@available(
    *,
    unavailable,
    message: "Pass interceptors when you create the client: HTTPClient(interceptors: .standard + [mine])."
)
extension HTTPClient {
    public nonisolated var addInterceptor: OtherName { OtherName() }
    public nonisolated var use: OtherName { OtherName() }
}

extension HTTPClient {
    @available(*, unavailable, message: "Use send(_:) or send(_:timeout:) with an HTTPRequest or an Endpoint.")
    public nonisolated var execute: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message: "Use send(_:) with an HTTPRequest; to cancel it, cancel the task that awaits it."
    )
    public nonisolated var newCall: OtherName { OtherName() }
    @available(*, unavailable, message: "Use data(for:) with a URLRequest, or send(_:) with an HTTPRequest.")
    public nonisolated var dataTask: OtherName { OtherName() }
    @available(*, unavailable, renamed: "download(_:to:)")
    public nonisolated var downloadTask: OtherName { OtherName() }
    @available(*, unavailable, renamed: "upload(_:to:)")
    public nonisolated var uploadTask: OtherName { OtherName() }
    @available(*, unavailable, message: "Add a HeadersInterceptor to the interceptors of the client.")
    public nonisolated var defaultHeaders: OtherName { OtherName() }
    @available(*, unavailable, renamed: "send(_:timeout:)")
    public nonisolated func execute(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        try await send(request, timeout: timeout)
    }

    @available(*, unavailable, message: "Use data(for:) with a URLRequest, or send(_:) with an HTTPRequest.")
    public nonisolated func dataTask(
        with url: URL,
        completionHandler: @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> OtherName { OtherName() }

    @available(*, unavailable, message: "Use data(for:) with a URLRequest, or send(_:) with an HTTPRequest.")
    public nonisolated func dataTask(
        with request: URLRequest,
        completionHandler: @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> OtherName { OtherName() }

    @available(*, unavailable, message: "Use send(_:) with an HTTPRequest, and read response.body as it arrives.")
    public nonisolated func bytes(from url: URL) async throws -> (ResponseBody, URLResponse) {
        throw CancellationError()
    }

    @available(*, unavailable, message: "Use send(_:) with an HTTPRequest, and read response.body as it arrives.")
    public nonisolated func bytes(for request: URLRequest) async throws -> (ResponseBody, URLResponse) {
        throw CancellationError()
    }

    @available(*, unavailable, message: "Pass a URL: HTTPClient(baseURL: URL(string: text)).")
    public init(baseURL: String) { self.init(transport: unusedTransport()) }
    @available(*, unavailable, renamed: "init(baseURL:transport:interceptors:configuration:)")
    public init(
        _ url: URL?,
        transport: some Transport = .platformDefault,
        interceptors: InterceptorList = .standard,
        configuration: Configuration = Configuration()
    ) { self.init(transport: transport) }

    @available(*, unavailable, message: "Pass a URL: HTTPClient(baseURL: URL(string: text)).")
    public init(
        _ text: String,
        transport: some Transport = .platformDefault,
        interceptors: InterceptorList = .standard,
        configuration: Configuration = Configuration()
    ) { self.init(transport: transport) }
}

/// Hides the type of a transport: for each type that it knows, the compiler generates the client's initializer again.
@inline(never)
private func unusedTransport(_ transport: some Transport = .platformDefault) -> any Transport { transport }

@available(*, unavailable, renamed: "withDeadline(_:clock:_:)")
public func withTimeout<Success: Sendable>(
    _ budget: Duration,
    _ operation: @escaping @Sendable () async throws -> Success
) async throws -> Success { try await withDeadline(budget, operation) }

extension AuthInterceptor {
    @available(*, unavailable, message: "Write .bearer(\"…\"), or use a TokenStore for a token that expires.")
    public init(token: String, identity: String? = nil, origins: AuthOrigins = .baseURL) {
        self = .bearer(token, identity: identity, origins: origins)
    }
}

extension CacheInterceptor {
    @available(*, unavailable, renamed: "init(_:policy:)")
    public convenience init(store: some CacheStore, policy: CachePolicy = .standard) {
        self.init(store, policy: policy)
    }
}

extension MemoryCacheStore {
    @available(*, unavailable, message: "Write MemoryCacheStore(maxBytes:), or maxEntries: for a number of entries.")
    public convenience init(capacity: Int) { self.init() }
}

extension HTTPClient.Configuration {
    @available(*, unavailable, renamed: "timeouts.total")
    public var timeout: Duration? {
        get { timeouts.total }
        set { timeouts.total = newValue }
    }

    @available(*, unavailable, renamed: "timeouts.idle")
    public var timeoutIntervalForRequest: Double {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "timeouts.total")
    public var timeoutIntervalForResource: Double {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a RetryInterceptor with the policy to the interceptors of the client.")
    public var retry: RetryPolicy {
        get { .standard }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a RetryInterceptor with the policy to the interceptors of the client.")
    public var retryPolicy: RetryPolicy {
        get { .standard }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a HeadersInterceptor to the interceptors of the client.")
    public var httpAdditionalHeaders: HTTPHeaders {
        get { [:] }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a HeadersInterceptor to the interceptors of the client.")
    public var headers: HTTPHeaders {
        get { [:] }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Create the transport with it: CurlTransport(configuration:) has the proxy.")
    public var proxy: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message: "Create the transport with it: CurlTransport(configuration:) has the settings of TLS."
    )
    public var tlsConfiguration: OtherName { OtherName() }
}

extension CallOptions {
    @available(
        *,
        unavailable,
        message: "Header fields belong to the request: HTTPRequest(_:_:headers:) or endpoint.headers."
    )
    public var headers: HTTPHeaders {
        get { [:] }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "retry")
    public var retryPolicy: RetryPolicy {
        get { retry }
        set { retry = newValue }
    }

    @available(*, unavailable, message: "Set a policy: options.retry = RetryPolicy(maxRetries: 2).")
    public var maxRetries: Int {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "timeout")
    public var timeoutInterval: Double {
        get { 0 }
        set { _ = newValue }
    }
}
