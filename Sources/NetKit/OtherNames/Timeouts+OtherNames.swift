// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names of settings that other HTTP clients have. The compiler says what to write.

extension HTTPClient.Configuration {
    @available(
        *,
        unavailable,
        message:
            "Set its properties: var configuration = HTTPClient.Configuration(); configuration.timeouts.total = .seconds(10)."
    )
    @_alwaysEmitIntoClient public init(
        timeouts: Timeouts = .standard,
        redirects: RedirectPolicy = .standard,
        json: JSONCoder = .standard,
        maxBufferedBytes: Int = 0
    ) { self.init() }
    @available(
        *,
        unavailable,
        message:
            "Set its properties: var configuration = HTTPClient.Configuration(); configuration.timeouts.total = .seconds(10)."
    )
    @_alwaysEmitIntoClient public init(timeout: Duration) { self.init() }
    @available(*, unavailable, message: "Write HTTPClient.Configuration().")
    @_alwaysEmitIntoClient public static var standard: HTTPClient.Configuration { HTTPClient.Configuration() }
    @available(
        *,
        unavailable,
        message: "Set the coder: configuration.json = .snakeCase, or .standard.with(encoder:decoder:)."
    )
    @_alwaysEmitIntoClient public var encoder: JSONEncoder {
        get { JSONEncoder() }
        set { _ = newValue }
    }

    @available(
        *,
        unavailable,
        message: "Set the coder: configuration.json = .snakeCase, or .standard.with(encoder:decoder:)."
    )
    @_alwaysEmitIntoClient public var jsonDecoder: JSONDecoder {
        get { JSONDecoder() }
        set { _ = newValue }
    }

    @available(
        *,
        unavailable,
        message: "Set the coder: configuration.json = .snakeCase, or .standard.with(encoder:decoder:)."
    )
    @_alwaysEmitIntoClient public var jsonEncoder: JSONEncoder {
        get { JSONEncoder() }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "timeouts.connect")
    @_alwaysEmitIntoClient public var connectTimeout: Duration? {
        get { timeouts.connect }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "timeouts.total")
    @_alwaysEmitIntoClient public var requestTimeout: Duration? {
        get { timeouts.total }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Write configuration.redirects = .none for no redirects.")
    @_alwaysEmitIntoClient public var followRedirects: Bool {
        get { true }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "redirects.maxHops")
    @_alwaysEmitIntoClient public var maxRedirects: Int {
        get { redirects.maxHops }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "redirects")
    @_alwaysEmitIntoClient public var redirectConfiguration: RedirectPolicy {
        get { redirects }
        set { _ = newValue }
    }

    @available(
        *,
        unavailable,
        message: "Create the transport with it: CurlTransport(configuration:) has the bounds of connections."
    )
    @_alwaysEmitIntoClient public var maxConnectionsPerHost: Int {
        get { 0 }
        set { _ = newValue }
    }

    @available(
        *,
        unavailable,
        message: "Create the transport with it: CurlTransport(configuration:) has the bounds of connections."
    )
    @_alwaysEmitIntoClient public var httpMaximumConnectionsPerHost: Int {
        get { 0 }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a LoggingInterceptor to the interceptors of the client.")
    @_alwaysEmitIntoClient public var logger: (any LogSink)? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a CacheInterceptor with a store to the interceptors of the client.")
    @_alwaysEmitIntoClient public var urlCache: (any CacheStore)? {
        get { nil }
        set { _ = newValue }
    }

    @available(
        *,
        unavailable,
        message: "Pass it to CacheInterceptor(store, policy: policy), or to the call: CallOptions(cachePolicy: policy)."
    )
    @_alwaysEmitIntoClient public var cachePolicy: CachePolicy {
        get { .standard }
        set { _ = newValue }
    }

    @available(
        *,
        unavailable,
        message: "Pass them to the client: HTTPClient(baseURL: base, interceptors: .standard + [mine])."
    )
    @_alwaysEmitIntoClient public var interceptors: InterceptorList {
        get { .standard }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Add a HeadersInterceptor to the interceptors of the client.")
    @_alwaysEmitIntoClient public var defaultHeaders: HTTPHeaders {
        get { [:] }
        set { _ = newValue }
    }

    @available(
        *,
        unavailable,
        message: "Add a ConnectivityInterceptor(monitor, .wait(upTo: .seconds(30))) to the interceptors of the client."
    )
    @_alwaysEmitIntoClient public var waitsForConnectivity: Bool {
        get { false }
        set { _ = newValue }
    }

}

extension Timeouts {
    @available(*, unavailable, message: "Name the limit: Timeouts(total: .seconds(10)).")
    @_alwaysEmitIntoClient public init(_ total: Duration) { self.init(total: total) }
    @available(
        *,
        unavailable,
        message:
            "Write idle: for the wait for bytes, and total: for the whole call: Timeouts(idle: .seconds(30), total: .seconds(60))."
    )
    @_alwaysEmitIntoClient public init(connect: Duration? = nil, read: Duration?, write: Duration? = nil) {
        self.init()
    }
    @available(
        *,
        unavailable,
        message:
            "Write idle: for the wait for bytes, and total: for the whole call: Timeouts(idle: .seconds(30), total: .seconds(60))."
    )
    @_alwaysEmitIntoClient public init(request: Duration?, resource: Duration? = nil) { self.init() }
    @available(*, unavailable, renamed: "idle")
    @_alwaysEmitIntoClient public var write: Duration? {
        get { idle }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "firstByte")
    @_alwaysEmitIntoClient public var response: Duration? {
        get { firstByte }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "total")
    @_alwaysEmitIntoClient public var resource: Duration? {
        get { total }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "total")
    @_alwaysEmitIntoClient public var call: Duration? {
        get { total }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "connect")
    @_alwaysEmitIntoClient public var connection: Duration? {
        get { connect }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Bound the wait for a turn with ConcurrencyLimitInterceptor(maxWait:).")
    @_alwaysEmitIntoClient public var pool: Duration? {
        get { nil }
        set { _ = newValue }
    }

}

extension RedirectPolicy {
    @available(*, unavailable, renamed: "init(maxHops:allowsDowngrade:)")
    @_alwaysEmitIntoClient public init(max: Int) { self.init(maxHops: max) }
    @available(*, unavailable, renamed: "init(maxHops:allowsDowngrade:)")
    @_alwaysEmitIntoClient public init(maxRedirects: Int) { self.init(maxHops: maxRedirects) }
    @available(*, unavailable, message: "Write RedirectPolicy(maxHops: 5).")
    @_alwaysEmitIntoClient public static func follow(max: Int, allowCycles: Bool = false) -> RedirectPolicy {
        .standard
    }
    @available(*, unavailable, renamed: "none")
    @_alwaysEmitIntoClient public static var disallow: RedirectPolicy { .none }
    @available(*, unavailable, renamed: "none")
    @_alwaysEmitIntoClient public static var disabled: RedirectPolicy { .none }
    @available(*, unavailable, renamed: "maxHops")
    @_alwaysEmitIntoClient public var max: Int {
        get { maxHops }
        set { _ = newValue }
    }

}

extension JSONCoder {
    @available(*, unavailable, message: "Write .snakeCase, or .standard.with(decoder: { $0.keyDecodingStrategy = … }).")
    @_alwaysEmitIntoClient public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy {
        get { .useDefaultKeys }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Write .standard.with(decoder: { $0.dateDecodingStrategy = … }).")
    @_alwaysEmitIntoClient public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy {
        get { .iso8601 }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "standard")
    @_alwaysEmitIntoClient public static var `default`: JSONCoder { .standard }
    @available(
        *,
        unavailable,
        message:
            "Pass a function that sets up a fresh decoder: JSONCoder(encoder:decoder:), or .standard.with(decoder:)."
    )
    @_alwaysEmitIntoClient public init(decoder: JSONDecoder) { self = .standard }
}
