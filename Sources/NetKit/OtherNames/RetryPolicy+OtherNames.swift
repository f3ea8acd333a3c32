// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that the policies of other clients have. The compiler says what to write.

extension RetryPolicy {
    @available(*, unavailable, message: "Write RetryPolicy(maxAttempts: 3).")
    @_alwaysEmitIntoClient public init(attempts: Int) { self.init(maxAttempts: attempts) }
    @available(
        *,
        unavailable,
        message: "Write RetryPolicy(maxAttempts: 3), or maxRetries: for the attempts after the first."
    )
    @_alwaysEmitIntoClient public init(_ count: Int) { self.init(maxAttempts: count) }
    @available(
        *,
        unavailable,
        message:
            "Write maxAttempts, which counts the first attempt as well: RetryPolicy(maxAttempts: 4, backoffStrategy: .exponential())."
    )
    @_alwaysEmitIntoClient public init(maxRetries: Int, backoff: BackoffStrategy) { self.init(maxRetries: maxRetries) }
    @available(
        *,
        unavailable,
        message: "Write RetryPolicy(maxAttempts: 3, backoffStrategy: .fixed(interval: .seconds(1)))."
    )
    @_alwaysEmitIntoClient public init(maxAttempts: Int, delay: Duration) { self.init(maxAttempts: maxAttempts) }
    @available(
        *,
        unavailable,
        message: "Write RetryPolicy(maxAttempts: 3, backoffStrategy: .exponential(base: .seconds(1)))."
    )
    @_alwaysEmitIntoClient public init(maxAttempts: Int, baseDelay: Duration) { self.init(maxAttempts: maxAttempts) }
    @available(
        *,
        unavailable,
        message:
            "Write maxAttempts, which counts the first attempt as well: RetryPolicy(maxAttempts: 4, backoffStrategy: .exponential(cap: .seconds(20)))."
    )
    @_alwaysEmitIntoClient public init(maxRetries: Int, maxDelay: Duration) { self.init(maxRetries: maxRetries) }
    @available(*, unavailable, message: "Write RetryPolicy(retryableStatusCodes: [429, 503]).")
    @_alwaysEmitIntoClient public init(statusCodes: Set<Int>) { self.init() }
    @available(*, unavailable, message: "Write RetryPolicy(retryableStatusCodes: [429, 503]).")
    @_alwaysEmitIntoClient public init(retryableStatuses: Set<Int>) { self.init() }
    @available(*, unavailable, message: "Write RetryPolicy(retryableStatusCodes: [429, 503]).")
    @_alwaysEmitIntoClient public init(retryOn: Set<Int>) { self.init() }
    @available(
        *,
        unavailable,
        message: "Write RetryPolicy(retryableMethods: methods); a POST with an idempotency key is repeated as well."
    )
    @_alwaysEmitIntoClient public init(methods: Set<HTTPMethod>) { self.init() }
    @available(*, unavailable, message: "Write RetryPolicy(maxAttempts: 3, backoffStrategy: .exponential()).")
    @_alwaysEmitIntoClient public static func exponential(maxAttempts: Int) -> RetryPolicy { .standard }
    @available(*, unavailable, message: "Write RetryPolicy(maxAttempts: 3, backoffStrategy: .exponential()).")
    @_alwaysEmitIntoClient public static func exponentialBackoff(maxAttempts: Int) -> RetryPolicy { .standard }
    @available(*, unavailable, renamed: "none")
    @_alwaysEmitIntoClient public static var disabled: RetryPolicy { .none }
    @available(*, unavailable, message: "Set maxAttempts, which counts the first attempt as well.")
    @_alwaysEmitIntoClient public var maxRetries: Int {
        get { maxAttempts }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "backoffStrategy")
    @_alwaysEmitIntoClient public var backoff: BackoffStrategy {
        get { backoffStrategy }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "retryableStatusCodes")
    @_alwaysEmitIntoClient public var retryOn: Set<Int> {
        get { retryableStatusCodes }
        set { _ = newValue }
    }

}

extension BackoffStrategy {
    @available(*, unavailable, renamed: "exponential(base:multiplier:cap:)")
    @_alwaysEmitIntoClient public static func exponential(base: Duration, factor: Double) -> BackoffStrategy {
        .exponential()
    }
    @available(*, unavailable, renamed: "exponential(base:multiplier:cap:)")
    @_alwaysEmitIntoClient public static func exponential(base: Duration, max: Duration) -> BackoffStrategy {
        .exponential()
    }
    @available(*, unavailable, renamed: "exponential(base:multiplier:cap:)")
    @_alwaysEmitIntoClient public static func exponential(initial: Duration) -> BackoffStrategy { .exponential() }
    @available(*, unavailable, renamed: "fixed(interval:)")
    @_alwaysEmitIntoClient public static func fixed(_ interval: Duration) -> BackoffStrategy {
        .fixed(interval: interval)
    }
    @available(*, unavailable, message: "Write .fixed(interval: .zero).")
    @_alwaysEmitIntoClient public static var none: BackoffStrategy { .fixed(interval: .zero) }
}

extension RetryInterceptor {
    @available(*, unavailable, message: "Pass a policy: RetryInterceptor(RetryPolicy(maxAttempts: 3)).")
    @_alwaysEmitIntoClient public init(attempts: Int) { self.init() }
    @available(*, unavailable, message: "Pass a policy: RetryInterceptor(RetryPolicy(maxRetries: 3)).")
    @_alwaysEmitIntoClient public init(retries: Int) { self.init() }
    @available(*, unavailable, message: "Pass a policy: RetryInterceptor(RetryPolicy(maxAttempts: 3)).")
    @_alwaysEmitIntoClient public init(_ attempts: Int) { self.init() }
    @available(*, unavailable, renamed: "init(_:budget:)")
    @_alwaysEmitIntoClient public init(policy: RetryPolicy, budget: RetryBudget? = RetryBudget()) {
        self.init(policy, budget: budget)
    }
}

extension RetryBudget {
    @available(*, unavailable, message: "A budget counts tokens: RetryBudget(maxTokens: 500, transientCost: 14).")
    @_alwaysEmitIntoClient public convenience init(ratio: Double) { self.init() }
}

extension AuthInterceptor {
    @available(*, unavailable, renamed: "basic(user:password:identity:origins:)")
    @_alwaysEmitIntoClient public static func basic(username: String, password: String) -> AuthInterceptor {
        .basic(user: username, password: password)
    }
    @available(*, unavailable, renamed: "basic(user:password:identity:origins:)")
    @_alwaysEmitIntoClient public static func basic(_ user: String, _ password: String) -> AuthInterceptor {
        .basic(user: user, password: password)
    }
    @available(*, unavailable, message: "Write AuthInterceptor.basic(user: name, password: password).")
    @_alwaysEmitIntoClient public init(username: String, password: String) {
        self = .basic(user: username, password: password)
    }
    @available(*, unavailable, renamed: "bearer(_:identity:origins:)")
    @_alwaysEmitIntoClient public static func bearer(token: String) -> AuthInterceptor { .bearer(token) }
    @available(*, unavailable, message: "Write AuthInterceptor(token: { … }).")
    @_alwaysEmitIntoClient public static func bearer(_ token: @escaping @Sendable () async throws -> String?)
        -> AuthInterceptor
    { .bearer("") }
    @available(*, unavailable, renamed: "init(_:origins:header:refreshesOnForbidden:value:)")
    @_alwaysEmitIntoClient public init(token: some TokenProvider) { self.init(token) }
    @available(*, unavailable, renamed: "init(_:origins:header:refreshesOnForbidden:value:)")
    @_alwaysEmitIntoClient public init(tokens: some TokenProvider) { self.init(tokens) }
    @available(*, unavailable, renamed: "init(_:origins:header:refreshesOnForbidden:value:)")
    @_alwaysEmitIntoClient public init(store: some TokenProvider) { self.init(store) }
    @available(*, unavailable, renamed: "init(_:origins:header:refreshesOnForbidden:value:)")
    @_alwaysEmitIntoClient public init(provider: some TokenProvider) { self.init(provider) }
    @available(*, unavailable, renamed: "init(_:origins:header:refreshesOnForbidden:value:)")
    @_alwaysEmitIntoClient public init(tokenStore: some TokenProvider) { self.init(tokenStore) }
    @available(*, unavailable, message: "Write AuthInterceptor.apiKey(key).")
    @_alwaysEmitIntoClient public init(apiKey: String) { self = .apiKey(apiKey) }
    @available(*, unavailable, message: "Write AuthInterceptor.apiKey(value, header: name).")
    @_alwaysEmitIntoClient public static func header(_ name: String, _ value: String) -> AuthInterceptor {
        .apiKey(value, header: name)
    }
    @available(
        *,
        unavailable,
        message: "Name the origins: AuthInterceptor(tokens, origins: [\"https://api.example.com\"])."
    )
    @_alwaysEmitIntoClient public init(_ provider: some TokenProvider, hosts: [String]) { self.init(provider) }
    @available(
        *,
        unavailable,
        message: "Name the origins: AuthInterceptor(tokens, origins: [\"https://api.example.com\"])."
    )
    @_alwaysEmitIntoClient public init(_ provider: some TokenProvider, allowedHosts: [String]) { self.init(provider) }
    @available(*, unavailable, renamed: "init(_:origins:header:refreshesOnForbidden:value:)")
    @_alwaysEmitIntoClient public init(_ provider: some TokenProvider, headerName: String) {
        self.init(provider, header: headerName)
    }
}

extension TokenStore {
    @available(*, unavailable, message: "Write TokenStore(initial: token), or AuthInterceptor.bearer(token).")
    @_alwaysEmitIntoClient public init(_ token: String) { self.init(initial: token) }
    @available(*, unavailable, message: "Name the first token, or nil: TokenStore(initial: nil) { current in … }.")
    @_alwaysEmitIntoClient public init() { self.init(initial: String?.none) }
    @available(*, unavailable, message: "Write TokenStore(initial: token).")
    @_alwaysEmitIntoClient public init(token: AccessToken) { self.init(initial: token) }
    @available(
        *,
        unavailable,
        message: "Write TokenStore(initial: AccessToken(token, refreshToken: refreshToken)) { current in … }."
    )
    @_alwaysEmitIntoClient public init(accessToken: String, refreshToken: String) { self.init(initial: accessToken) }
    @available(*, unavailable, message: "Write TokenStore(file: url).")
    @_alwaysEmitIntoClient public init(fileURL: URL) { self.init(file: fileURL) }
    @available(*, unavailable, message: "Write TokenStore(file: url).")
    @_alwaysEmitIntoClient public init(path: URL) { self.init(file: path) }
    @available(*, unavailable, message: "Wrap the token: set(AccessToken(token)).")
    @_alwaysEmitIntoClient public func set(_ token: String) async {}
    @available(*, unavailable, renamed: "set(_:identity:)")
    @_alwaysEmitIntoClient public nonisolated var setToken: OtherName { OtherName() }
    @available(*, unavailable, renamed: "set(_:identity:)")
    @_alwaysEmitIntoClient public nonisolated var update: OtherName { OtherName() }
    @available(*, unavailable, renamed: "token()")
    @_alwaysEmitIntoClient public nonisolated var accessToken: OtherName { OtherName() }
    @available(*, unavailable, renamed: "token()")
    @_alwaysEmitIntoClient public nonisolated var currentToken: OtherName { OtherName() }
    @available(*, unavailable, renamed: "token()")
    @_alwaysEmitIntoClient public nonisolated var get: OtherName { OtherName() }
    @available(*, unavailable, renamed: "clear()")
    @_alwaysEmitIntoClient public nonisolated var reset: OtherName { OtherName() }
    @available(*, unavailable, renamed: "clear()")
    @_alwaysEmitIntoClient public nonisolated var signOut: OtherName { OtherName() }
    @available(*, unavailable, message: "Use refresh() for a new token, and clear() for none.")
    @_alwaysEmitIntoClient public nonisolated var invalidate: OtherName { OtherName() }
}

extension AccessToken {
    @available(*, unavailable, message: "Write AccessToken(text).")
    @_alwaysEmitIntoClient public init(value: String) { self.init(value) }
    @available(*, unavailable, message: "Write AccessToken(text).")
    @_alwaysEmitIntoClient public init(token: String) { self.init(token) }
    @available(*, unavailable, message: "Wrap the seconds: AccessToken(value, expiresIn: .seconds(3600)).")
    @_alwaysEmitIntoClient public init(_ value: String, expiresIn: Int) { self.init(value) }
    @available(*, unavailable, renamed: "init(_:expiry:refreshToken:)")
    @_alwaysEmitIntoClient public init(_ value: String, expires: Date) { self.init(value, expiry: expires) }
    @available(*, unavailable, renamed: "init(_:expiry:refreshToken:)")
    @_alwaysEmitIntoClient public init(_ value: String, refresh: String) { self.init(value, refreshToken: refresh) }
    @available(*, unavailable, renamed: "expiry")
    @_alwaysEmitIntoClient public var expiresAt: Date? { expiry }
    @available(*, unavailable, renamed: "value")
    @_alwaysEmitIntoClient public var token: String { value }
}

extension FileTokenVault {
    @available(*, unavailable, renamed: "init(file:seal:clock:)")
    @_alwaysEmitIntoClient public init(_ file: URL) { self.init(file: file) }
    @available(*, unavailable, message: "Name a file: FileTokenVault(file: folder.appending(path: \"token.json\")).")
    @_alwaysEmitIntoClient public init(directory: URL) { self.init(file: directory) }
    @available(*, unavailable, message: "Pass a URL: FileTokenVault(file: URL(fileURLWithPath: path)).")
    @_alwaysEmitIntoClient public init(path: String) { self.init(file: URL(fileURLWithPath: path)) }
}
