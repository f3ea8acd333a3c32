// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// Arguments that other HTTP clients take. The compiler says what to write.

extension HTTPClient {
    @available(*, unavailable, renamed: "init(baseURL:transport:interceptors:configuration:)")
    @_alwaysEmitIntoClient public init(url: URL?) { self.init(transport: unusedTransport()) }
    @available(*, unavailable, renamed: "init(baseURL:transport:interceptors:configuration:)")
    @_alwaysEmitIntoClient public init(base: URL?) { self.init(transport: unusedTransport()) }
    @available(*, unavailable, renamed: "init(baseURL:transport:interceptors:configuration:)")
    @_alwaysEmitIntoClient public init(baseUrl: URL?) { self.init(transport: unusedTransport()) }
    @available(*, unavailable, message: "Pass a URL: HTTPClient(baseURL: URL(string: \"https://api.example.com\")).")
    @_alwaysEmitIntoClient public init(host: String) { self.init(transport: unusedTransport()) }
    @available(*, unavailable, renamed: "init(baseURL:transport:interceptors:configuration:)")
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, config: Configuration) {
        self.init(transport: unusedTransport())
    }
    @available(*, unavailable, message: "Pass a list: HTTPClient(baseURL: base, interceptors: .standard + [mine]).")
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, interceptor: some Interceptor) {
        self.init(transport: unusedTransport())
    }
    @available(*, unavailable, renamed: "init(baseURL:transport:interceptors:configuration:)")
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, middleware: InterceptorList) {
        self.init(transport: unusedTransport())
    }
    @available(*, unavailable, renamed: "init(baseURL:transport:interceptors:configuration:)")
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, middlewares: InterceptorList) {
        self.init(transport: unusedTransport())
    }
    @available(*, unavailable, message: "Set configuration.timeouts, and pass it: HTTPClient(baseURL:configuration:).")
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, timeouts: Timeouts) {
        self.init(transport: unusedTransport())
    }
    @available(
        *,
        unavailable,
        message:
            "Add a RetryInterceptor to the list: HTTPClient(baseURL: base, interceptors: [RetryInterceptor(policy)])."
    )
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, retryPolicy: RetryPolicy) {
        self.init(transport: unusedTransport())
    }
    @available(
        *,
        unavailable,
        message:
            "Add a RetryInterceptor to the list: HTTPClient(baseURL: base, interceptors: [RetryInterceptor(RetryPolicy(maxRetries: 3))])."
    )
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, retries: Int) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message:
            "Add a RetryInterceptor to the list: HTTPClient(baseURL: base, interceptors: [RetryInterceptor(RetryPolicy(maxRetries: 3))])."
    )
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, maxRetries: Int) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message:
            "Add an AuthInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor.bearer(token)])."
    )
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, token: String) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message:
            "Add an AuthInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor.bearer(token)])."
    )
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, bearerToken: String) {
        self.init(transport: unusedTransport())
    }
    @available(*, unavailable, message: "Set the coder: configuration.json = .snakeCase, or .standard.with(decoder:).")
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, decoder: JSONDecoder) {
        self.init(transport: unusedTransport())
    }
    @available(
        *,
        unavailable,
        message:
            "Add a LoggingInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [LoggingInterceptor(.standardError)])."
    )
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, logger: some LogSink) {
        self.init(transport: unusedTransport())
    }
    @available(*, unavailable, message: "Create the transport with it: CurlTransport(configuration:) has the proxy.")
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, proxy: URL?) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message: "Pass a transport: HTTPClient(baseURL: base, transport: URLSessionTransport())."
    )
    @_alwaysEmitIntoClient public init(baseURL: URL? = nil, session: URLSession) {
        self.init(transport: unusedTransport())
    }
    @available(
        *,
        unavailable,
        message: "A client has no event loops: HTTPClient(baseURL: URL(string: \"https://api.example.com\"))."
    )
    @_alwaysEmitIntoClient public init(eventLoopGroupProvider: OtherName) { self.init(transport: unusedTransport()) }
    @available(
        *,
        unavailable,
        message: "Pass the settings at once: HTTPClient(baseURL:transport:interceptors:configuration:)."
    )
    @_alwaysEmitIntoClient public static var Builder: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message: "Pass the settings at once: HTTPClient(baseURL:transport:interceptors:configuration:)."
    )
    @_alwaysEmitIntoClient public static func builder() -> OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message: "Pass the limit to the call, or set configuration.timeouts before you create the client."
    )
    @_alwaysEmitIntoClient public nonisolated var timeout: Duration? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a HeadersInterceptor to the interceptors of the client.")
    @_alwaysEmitIntoClient public nonisolated var headers: HTTPHeaders {
        get { [:] }
        set { _ = newValue }
    }

}

extension OtherName {
    /// The event loops of another client.
    @_alwaysEmitIntoClient public static var singleton: OtherName { OtherName() }
}

extension InterceptorList {
    @available(*, unavailable, renamed: "standard")
    @_alwaysEmitIntoClient public static var `default`: InterceptorList { .standard }
    @available(*, unavailable, message: "Pass an empty list: interceptors: [].")
    @_alwaysEmitIntoClient public static var none: InterceptorList { [] }
}

extension Transport where Self == URLSessionTransport {
    @available(*, unavailable, message: "Create it: transport: URLSessionTransport().")
    @_alwaysEmitIntoClient public static var urlSession: URLSessionTransport { URLSessionTransport() }
}

extension URLSessionTransport {
    @available(
        *,
        unavailable,
        message: "Pass the configuration of the session: URLSessionTransport(configuration: session.configuration)."
    )
    @_alwaysEmitIntoClient public convenience init(session: URLSession) { self.init() }
}

extension Transport where Self == MockTransport {
    @available(*, unavailable, message: "Create it, and keep it for its stubs: let mock = MockTransport().")
    @_alwaysEmitIntoClient public static var mock: MockTransport { MockTransport() }
}
