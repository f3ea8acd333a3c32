// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Arguments that the interceptors of other clients take. None of them can be passed: the compiler says what to write.

extension TokenStore {
    @available(*, unavailable, renamed: "init(shared:identity:refresh:)")
    @_alwaysEmitIntoClient public init(
        vault: some TokenVault,
        identity: String? = nil,
        refresh: (@Sendable (AccessToken?) async throws -> AccessToken)? = nil
    ) { self.init(shared: vault, identity: identity, refresh: refresh) }

    @available(*, unavailable, message: "Name the first token, or nil: TokenStore(initial: nil) { current in … }.")
    @_alwaysEmitIntoClient public init(refresh: @escaping @Sendable (AccessToken?) async throws -> AccessToken) {
        self.init(initial: nil, refresh: refresh)
    }

    @available(*, unavailable, message: "Write TokenStore(initial: token), or AuthInterceptor.bearer(token).")
    @_alwaysEmitIntoClient public init(token: String) { self.init(initial: AccessToken(token)) }
    @available(*, unavailable, renamed: "clear()")
    @_alwaysEmitIntoClient public nonisolated var logout: OtherName { OtherName() }
}

extension AccessToken {
    @available(*, unavailable, renamed: "init(_:expiry:refreshToken:)")
    @_alwaysEmitIntoClient public init(_ value: String, expiresAt: Date, refreshToken: String? = nil) {
        self.init(value, expiry: expiresAt, refreshToken: refreshToken)
    }
}

extension AuthInterceptor {
    @available(*, unavailable, renamed: "bearer(_:identity:origins:)")
    @_alwaysEmitIntoClient public static func token(_ token: String) -> AuthInterceptor { .bearer(token) }
    @available(*, unavailable, message: "Write AuthInterceptor.bearer(token).")
    @_alwaysEmitIntoClient public init(bearer: String) { self = .bearer(bearer) }
    @available(*, unavailable, renamed: "apiKey(_:header:identity:origins:)")
    @_alwaysEmitIntoClient
    public static func apiKey(_ key: String, name: String) -> AuthInterceptor { .apiKey(key, header: name) }
    @available(*, unavailable, message: "Write .bearer(\"…\"), or use a TokenStore for a token that expires.")
    @_alwaysEmitIntoClient public init(token: String, identity: String? = nil, origins: AuthOrigins = .baseURL) {
        self = .bearer(token, identity: identity, origins: origins)
    }
}

extension CacheInterceptor {
    @available(*, unavailable, renamed: "init(_:policy:)")
    @_alwaysEmitIntoClient public convenience init(store: some CacheStore, policy: CachePolicy = .standard) {
        self.init(store, policy: policy)
    }
}

extension MemoryCacheStore {
    @available(*, unavailable, message: "Write MemoryCacheStore(maxBytes:), or maxEntries: for a number of entries.")
    @_alwaysEmitIntoClient public convenience init(capacity: Int) { self.init() }
}

extension RetryInterceptor {
    @available(*, unavailable, message: "Pass a policy: RetryInterceptor(RetryPolicy(maxRetries: 3)).")
    @_alwaysEmitIntoClient public init(maxRetries: Int) { self.init(RetryPolicy(maxRetries: maxRetries)) }
    @available(*, unavailable, message: "Pass a policy: RetryInterceptor(RetryPolicy(maxAttempts: 3)).")
    @_alwaysEmitIntoClient public init(maxAttempts: Int) { self.init(RetryPolicy(maxAttempts: maxAttempts)) }
}

extension BackoffStrategy {
    @available(*, unavailable, renamed: "fixed(interval:)")
    @_alwaysEmitIntoClient
    public static func constant(_ interval: Duration) -> BackoffStrategy { .fixed(interval: interval) }
}

extension HeadersInterceptor {
    @available(*, unavailable, message: "Pass the fields together: HeadersInterceptor([name: value]).")
    @_alwaysEmitIntoClient public init(_ name: String, _ value: String) { self.init([name: value]) }
}

extension LoggingInterceptor {
    @available(*, unavailable, message: "Name a sink: LoggingInterceptor(.standardError), or .jsonLines.")
    @_alwaysEmitIntoClient public init(level: LogLevel = .info) { self.init(.standardError, level: level) }
}

extension CircuitBreakerInterceptor {
    @available(
        *,
        unavailable,
        message: "Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5))."
    )
    @_alwaysEmitIntoClient
    public convenience init(failureThreshold: Int, resetTimeout: Duration = .zero) { self.init() }
}

extension HedgeDelay {
    @available(*, unavailable, message: "Write .fixed(.seconds(1)).")
    @_alwaysEmitIntoClient public static func seconds(_ seconds: Int) -> HedgeDelay { .fixed(.seconds(seconds)) }
    @available(*, unavailable, message: "Write .fixed(.milliseconds(100)).")
    @_alwaysEmitIntoClient
    public static func milliseconds(_ milliseconds: Int) -> HedgeDelay { .fixed(.milliseconds(milliseconds)) }
}

extension CachePolicy {
    @available(*, unavailable, renamed: "reload")
    @_alwaysEmitIntoClient public static var reloadIgnoringLocalCacheData: CachePolicy { .reload }
}

extension CacheService {
    @available(*, unavailable, renamed: "remove(key:)")
    @_alwaysEmitIntoClient public func delete(key: String) async throws {}
}

extension RemoteRepository {
    @available(*, unavailable, renamed: "list()")
    @_alwaysEmitIntoClient public var all: OtherName { OtherName() }
    @available(*, unavailable, renamed: "get(id:)")
    @_alwaysEmitIntoClient public var find: OtherName { OtherName() }
    @available(*, unavailable, renamed: "save(_:)")
    @_alwaysEmitIntoClient public func create(_ entity: Entity) async throws {}
    @available(*, unavailable, renamed: "save(_:)")
    @_alwaysEmitIntoClient public func update(_ entity: Entity) async throws {}
}

extension ClientEvents {
    @available(
        *,
        unavailable,
        message: "The events of a server are eventStream(.get(path)); these are those of the client."
    )
    @_alwaysEmitIntoClient public func callAsFunction(_ path: RequestPath) -> ClientEvents { self }
}
