// Names that newcomers guess: policies. Each line with a comment has to be refused with that text; every other line
// compiles. `guesses.py` compares.

import Foundation
import FoundationNetworking
import NetKit
import NetKitPostgres
import NetKitTesting

private struct Person: Codable, Sendable, Identifiable, Equatable { var id: Int }
private struct PersonPage: Codable, Sendable { var items: [Person]; var next: String? }

// Retries.
private func policies1(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = RetryPolicy(attempts: 3)  // error: 'init(attempts:)' is unavailable: Write RetryPolicy(maxAttempts: 3).
    _ = RetryPolicy(maxRetries: 3, backoff: .exponential())  // error: 'init(maxRetries:backoff:)' is unavailable: Write maxAttempts, which counts the first attempt as well: RetryPolicy(maxAttempts: 4, backoffStrategy: .exponential()).
    _ = RetryPolicy(maxAttempts: 3, delay: .seconds(1))  // error: 'init(maxAttempts:delay:)' is unavailable: Write RetryPolicy(maxAttempts: 3, backoffStrategy: .fixed(interval: .seconds(1))).
    _ = RetryPolicy(maxAttempts: 3, baseDelay: .seconds(1))  // error: 'init(maxAttempts:baseDelay:)' is unavailable: Write RetryPolicy(maxAttempts: 3, backoffStrategy: .exponential(base: .seconds(1))).
    _ = RetryPolicy(maxRetries: 3, maxDelay: .seconds(1))  // error: 'init(maxRetries:maxDelay:)' is unavailable: Write maxAttempts, which counts the first attempt as well: RetryPolicy(maxAttempts: 4, backoffStrategy: .exponential(cap: .seconds(20))).
    _ = RetryPolicy(statusCodes: [500])  // error: 'init(statusCodes:)' is unavailable: Write RetryPolicy(retryableStatusCodes: [429, 503]).
    _ = RetryPolicy(retryableStatuses: [500])  // error: 'init(retryableStatuses:)' is unavailable: Write RetryPolicy(retryableStatusCodes: [429, 503]).
    _ = RetryPolicy(methods: [.post])  // error: 'init(methods:)' is unavailable: Write RetryPolicy(retryableMethods: methods); a POST with an idempotency key is repeated as well.
    _ = RetryPolicy(3)  // error: 'init(_:)' is unavailable: Write RetryPolicy(maxAttempts: 3), or maxRetries: for the attempts after the first.
    _ = RetryPolicy.exponential(maxAttempts: 3)  // error: 'exponential(maxAttempts:)' is unavailable: Write RetryPolicy(maxAttempts: 3, backoffStrategy: .exponential()).
    _ = RetryPolicy.exponentialBackoff(maxAttempts: 3)  // error: 'exponentialBackoff(maxAttempts:)' is unavailable: Write RetryPolicy(maxAttempts: 3, backoffStrategy: .exponential()).
    _ = RetryPolicy.disabled  // error: 'disabled' has been renamed to 'none'
    do { var p = RetryPolicy(); p.maxRetries = 3 }  // error: 'maxRetries' is unavailable: Set maxAttempts, which counts the first attempt as well.
    do { var p = RetryPolicy(); p.backoff = .exponential() }  // error: 'backoff' has been renamed to 'backoffStrategy'
    do { var p = RetryPolicy(); p.retryOn = [500] }  // error: 'retryOn' has been renamed to 'retryableStatusCodes'
    _ = BackoffStrategy.exponential(base: .seconds(1), factor: 2)  // error: 'exponential(base:factor:)' has been renamed to 'exponential(base:multiplier:cap:)'
    _ = BackoffStrategy.exponential(base: .seconds(1), max: .seconds(3))  // error: 'exponential(base:max:)' has been renamed to 'exponential(base:multiplier:cap:)'
    _ = BackoffStrategy.exponential(initial: .seconds(1))  // error: 'exponential(initial:)' has been renamed to 'exponential(base:multiplier:cap:)'
    _ = BackoffStrategy.fixed(.seconds(1))  // error: 'fixed' has been renamed to 'fixed(interval:)'
    _ = BackoffStrategy.none  // error: 'none' is unavailable: Write .fixed(interval: .zero).
    _ = RetryInterceptor(policy: .standard)  // error: 'init(policy:budget:)' has been renamed to 'init(_:budget:)'
    _ = RetryInterceptor(retries: 3)  // error: 'init(retries:)' is unavailable: Pass a policy: RetryInterceptor(RetryPolicy(maxRetries: 3)).
    _ = RetryInterceptor(3)  // error: 'init(_:)' is unavailable: Pass a policy: RetryInterceptor(RetryPolicy(maxAttempts: 3)).
    _ = RetryBudget(ratio: 0.1)  // error: 'init(ratio:)' is unavailable: A budget counts tokens: RetryBudget(maxTokens: 500, transientCost: 14).
    _ = RedirectPolicy(max: 3)  // error: 'init(max:)' has been renamed to 'init(maxHops:allowsDowngrade:)'
    _ = RedirectPolicy(maxRedirects: 3)  // error: 'init(maxRedirects:)' has been renamed to 'init(maxHops:allowsDowngrade:)'
    _ = RedirectPolicy.follow  // error: 'follow(max:allowCycles:)' is unavailable: Write RedirectPolicy(maxHops: 5).
}

// Auth.
private func policies2(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = AuthInterceptor.bearer(token: "x")  // error: 'bearer(token:)' has been renamed to 'bearer(_:identity:origins:)'
    _ = AuthInterceptor.bearer { "x" }  // error: 'bearer' is unavailable: Write AuthInterceptor(token: { … }).
    _ = AuthInterceptor(token: tokens)  // error: 'init(token:)' has been renamed to 'init(_:origins:header:refreshesOnForbidden:value:)'
    _ = AuthInterceptor(store: tokens)  // error: 'init(store:)' has been renamed to 'init(_:origins:header:refreshesOnForbidden:value:)'
    _ = AuthInterceptor(tokens: tokens)  // error: 'init(tokens:)' has been renamed to 'init(_:origins:header:refreshesOnForbidden:value:)'
    _ = AuthInterceptor(provider: tokens)  // error: 'init(provider:)' has been renamed to 'init(_:origins:header:refreshesOnForbidden:value:)'
    _ = AuthInterceptor(tokenStore: tokens)  // error: 'init(tokenStore:)' has been renamed to 'init(_:origins:header:refreshesOnForbidden:value:)'
    _ = AuthInterceptor(username: "a", password: "b")  // error: 'init(username:password:)' is unavailable: Write AuthInterceptor.basic(user: name, password: password).
    _ = AuthInterceptor.basic("a", "b")  // error: 'basic' has been renamed to 'basic(user:password:identity:origins:)'
    _ = AuthInterceptor(apiKey: "a")  // error: 'init(apiKey:)' is unavailable: Write AuthInterceptor.apiKey(key).
    _ = AuthInterceptor.header("X", "y")  // error: 'header' is unavailable: Write AuthInterceptor.apiKey(value, header: name).
    _ = AuthInterceptor(tokens, hosts: ["a"])  // error: 'init(_:hosts:)' is unavailable: Name the origins: AuthInterceptor(tokens, origins: ["https://api.example.com"]).
    _ = AuthInterceptor(tokens, allowedHosts: ["a"])  // error: 'init(_:allowedHosts:)' is unavailable: Name the origins: AuthInterceptor(tokens, origins: ["https://api.example.com"]).
    _ = AuthInterceptor(tokens, headerName: "X")  // error: 'init(_:headerName:)' has been renamed to 'init(_:origins:header:refreshesOnForbidden:value:)'
    _ = TokenStore()  // error: 'init()' is unavailable: Name the first token, or nil: TokenStore(initial: nil) { current in … }.
    _ = TokenStore("x")  // error: 'init(_:)' is unavailable: Write TokenStore(initial: token), or AuthInterceptor.bearer(token).
    _ = TokenStore(accessToken: "x", refreshToken: "y")  // error: 'init(accessToken:refreshToken:)' is unavailable: Write TokenStore(initial: AccessToken(token, refreshToken: refreshToken)) { current in … }.
    _ = TokenStore(token: AccessToken("x"))  // error: 'init(token:)' is unavailable: Write TokenStore(initial: token).
    _ = TokenStore(fileURL: file)  // error: 'init(fileURL:)' is unavailable: Write TokenStore(file: url).
    _ = TokenStore(path: file)  // error: 'init(path:)' is unavailable: Write TokenStore(file: url).
    await tokens.set("x")  // error: 'set' is unavailable: Wrap the token: set(AccessToken(token)).
    await tokens.setToken(AccessToken("x"))  // error: 'setToken' has been renamed to 'set(_:identity:)'
    await tokens.update(AccessToken("x"))  // error: 'update' has been renamed to 'set(_:identity:)'
    _ = await tokens.accessToken  // error: 'accessToken' has been renamed to 'token()'
    _ = await tokens.currentToken  // error: 'currentToken' has been renamed to 'token()'
    _ = try await tokens.get()  // error: 'get' has been renamed to 'token()'
    await tokens.invalidate()  // error: 'invalidate' is unavailable: Use refresh() for a new token, and clear() for none.
    await tokens.reset()  // error: 'reset' has been renamed to 'clear()'
    await tokens.signOut()  // error: 'signOut' has been renamed to 'clear()'
    _ = AccessToken(value: "x")  // error: 'init(value:)' is unavailable: Write AccessToken(text).
    _ = AccessToken(token: "x")  // error: 'init(token:)' is unavailable: Write AccessToken(text).
    _ = AccessToken("x", expiresIn: 3600)  // error: 'init(_:expiresIn:)' is unavailable: Wrap the seconds: AccessToken(value, expiresIn: .seconds(3600)).
    _ = AccessToken("x", expires: Date())  // error: 'init(_:expires:)' has been renamed to 'init(_:expiry:refreshToken:)'
    _ = AccessToken("x", refresh: "y")  // error: 'init(_:refresh:)' has been renamed to 'init(_:expiry:refreshToken:)'
    _ = AccessToken("x").expiresAt  // error: 'expiresAt' has been renamed to 'expiry'
    _ = AccessToken("x").token  // error: 'token' has been renamed to 'value'
    _ = FileTokenVault(directory: file)  // error: 'init(directory:)' is unavailable: Name a file: FileTokenVault(file: folder.appending(path: "token.json")).
    _ = FileTokenVault(file)  // error: 'init(_:)' has been renamed to 'init(file:seal:clock:)'
    _ = FileTokenVault(path: "/x")  // error: 'init(path:)' is unavailable: Pass a URL: FileTokenVault(file: URL(fileURLWithPath: path)).
}

// Limits, breakers.
private func policies3(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = ConcurrencyLimitInterceptor(4)  // error: 'init(_:)' is unavailable: Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4).
    _ = ConcurrencyLimitInterceptor(limit: 4)  // error: 'init(limit:)' is unavailable: Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4).
    _ = ConcurrencyLimitInterceptor(maxConcurrent: 4)  // error: 'init(maxConcurrent:)' is unavailable: Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4).
    _ = ConcurrencyLimitInterceptor(maxConcurrentRequests: 4)  // error: 'init(maxConcurrentRequests:)' is unavailable: Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4).
    _ = RateLimitInterceptor(requests: 3, per: .seconds(1))  // error: 'init(requests:per:)' is unavailable: Write RateLimitInterceptor(permits: 10, per: .seconds(1)).
    _ = RateLimitInterceptor(limit: 3, per: .seconds(1))  // error: 'init(limit:per:)' is unavailable: Write RateLimitInterceptor(permits: 10, per: .seconds(1)).
    _ = RateLimitInterceptor(rate: 3, per: .seconds(1))  // error: 'init(rate:per:)' is unavailable: Write RateLimitInterceptor(permits: 10, per: .seconds(1)).
    _ = RateLimitInterceptor(requestsPerSecond: 3)  // error: 'init(requestsPerSecond:)' is unavailable: Write RateLimitInterceptor(permits: 10, per: .seconds(1)).
    _ = RateLimitInterceptor(permits: 3, interval: .seconds(1))  // error: 'init(permits:interval:)' is unavailable: Write RateLimitInterceptor(permits: 10, per: .seconds(1)).
    _ = RateLimitInterceptor(3, per: .seconds(1))  // error: 'init(_:per:)' is unavailable: Write RateLimitInterceptor(permits: 10, per: .seconds(1)).
    _ = RateLimitInterceptor(permits: 3, per: .seconds(1), scope: .global)  // error: 'global' has been renamed to 'total'
    _ = CircuitBreakerInterceptor(policy: .standard)  // error: 'init(policy:)' has been renamed to 'init(_:maxHosts:)'
    _ = CircuitBreakerInterceptor(threshold: 3)  // error: 'init(threshold:)' is unavailable: Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5)).
    _ = CircuitBreakerInterceptor(maxFailures: 3)  // error: 'init(maxFailures:)' is unavailable: Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5)).
    _ = CircuitBreakerInterceptor(failureThreshold: 0.5)  // error: 'init(failureThreshold:)' is unavailable: Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5)).
    _ = CircuitBreakerInterceptor(failureRatio: 0.5)  // error: 'init(failureRatio:)' is unavailable: Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5)).
    _ = CircuitBreakerPolicy(failureThreshold: 3)  // error: 'init(failureThreshold:)' is unavailable: Write CircuitBreakerPolicy(failureRatio: 0.5, minThroughput: 20).
    _ = CircuitBreakerPolicy(resetTimeout: .seconds(1))  // error: 'init(failureRatio:resetTimeout:)' is unavailable: Write CircuitBreakerPolicy(failureRatio: 0.5, breakDuration: .seconds(5)).
    _ = CircuitBreakerPolicy(failureRatio: 0.5, cooldown: .seconds(1))  // error: 'init(failureRatio:cooldown:)' is unavailable: Write CircuitBreakerPolicy(failureRatio: 0.5, breakDuration: .seconds(5)).
    _ = breaker.isOpen  // error: 'isOpen' is unavailable: Ask for a server: state(of: origin) == .open, or read troubled.
    _ = HedgeInterceptor(delay: .seconds(1))  // error: 'init(delay:)' is unavailable: Write HedgeInterceptor(after: .fixed(.milliseconds(100))), or .percentile(0.95).
    _ = HedgeInterceptor(.seconds(1))  // error: 'init(_:)' is unavailable: Write HedgeInterceptor(after: .fixed(.milliseconds(100))), or .percentile(0.95).
    _ = HeadersInterceptor(headers: ["a": "b"])  // error: 'init(headers:)' is unavailable: Write HeadersInterceptor(fields).
    _ = LoggingInterceptor(.debug)  // error: 'init(_:)' is unavailable: Name a sink: LoggingInterceptor(.standardError, level: .debug).
    _ = LoggingInterceptor(.stdout)  // error: 'stdout' is unavailable: Write .standardError, or TextLogSink(to: .standardOutput).
    _ = LoggingInterceptor(.console)  // error: 'console' is unavailable: Write .standardError, or TextLogSink(to: .standardOutput).
    _ = LoggingInterceptor(.standardOutput)  // error: 'standardOutput' is unavailable: Write .standardError, or TextLogSink(to: .standardOutput).
    _ = LoggingInterceptor(sink: .standardError)  // error: 'init(sink:level:)' has been renamed to 'init(_:level:showsHeaders:maxBodyBytes:)'
    _ = LoggingInterceptor(.standardError, logBodies: true)  // error: 'init(_:logBodies:)' is unavailable: Write LoggingInterceptor(.standardError, maxBodyBytes: 1000).
    _ = LoggingInterceptor(.standardError, showHeaders: true)  // error: 'init(_:showHeaders:)' has been renamed to 'init(_:level:showsHeaders:maxBodyBytes:)'
    _ = LoggingInterceptor(.standardError, level: .verbose)  // error: 'verbose' has been renamed to 'trace'
    _ = LogLevel.warn  // error: 'warn' has been renamed to 'warning'
}

// Cache.
private func policies4(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = CacheInterceptor()  // error: 'init()' is unavailable: Name a store: CacheInterceptor(MemoryCacheStore()), or DiskCacheStore(directory: folder).
    _ = CacheInterceptor(.memory)  // error: 'memory' is unavailable: Create the store: CacheInterceptor(MemoryCacheStore()).
    _ = CacheInterceptor(MemoryCacheStore(), ttl: .seconds(3))  // error: 'init(_:ttl:)' is unavailable: Write CacheInterceptor(store, policy: .standard.lasting(.seconds(60))).
    _ = CacheInterceptor(cache: MemoryCacheStore())  // error: 'init(cache:)' is unavailable: Write CacheInterceptor(store).
    _ = CacheInterceptor(.memory(maxBytes: 3))  // error: 'memory(maxBytes:)' is unavailable: Create the store: CacheInterceptor(MemoryCacheStore(maxBytes: 64 << 20)).
    _ = MemoryCacheStore(maxSize: 3)  // error: 'init(maxSize:)' is unavailable: Write MemoryCacheStore(maxBytes:), or maxEntries: for a number of entries.
    _ = MemoryCacheStore(limit: 3)  // error: 'init(limit:)' is unavailable: Write MemoryCacheStore(maxBytes:), or maxEntries: for a number of entries.
    _ = DiskCacheStore(file)  // error: 'init(_:)' has been renamed to 'init(directory:maxBytes:maxEntries:)'
    _ = DiskCacheStore(path: file)  // error: 'init(path:)' has been renamed to 'init(directory:maxBytes:maxEntries:)'
    _ = DiskCacheStore(directory: "/tmp/x")  // error: 'init(directory:)' is unavailable: Pass a URL: DiskCacheStore(directory: URL(fileURLWithPath: path)).
    _ = DiskCacheStore(url: file)  // error: 'init(url:)' has been renamed to 'init(directory:maxBytes:maxEntries:)'
    _ = DiskCacheStore(directory: file, maxSize: 3)  // error: 'init(directory:maxSize:)' has been renamed to 'init(directory:maxBytes:maxEntries:)'
    _ = DiskCacheStore(directory: file, capacity: 3)  // error: 'init(directory:capacity:)' has been renamed to 'init(directory:maxBytes:maxEntries:)'
    _ = TieredCacheStore(MemoryCacheStore(), store)  // error: 'init(_:_:)' has been renamed to 'init(memory:disk:)'
    _ = TieredCacheStore(l1: MemoryCacheStore(), l2: store)  // error: 'init(l1:l2:)' has been renamed to 'init(memory:disk:)'
    try await store.clear()  // error: 'clear' has been renamed to 'removeAll()'
    try await cache.clear()  // error: 'clear' has been replaced by 'store.removeAll()'
    try await cache.invalidate("/x")  // error: 'invalidate' is unavailable: Call store.removeAll(), or make the call with CallOptions(cachePolicy: .reload).
    _ = CachePolicy.noStore  // error: 'noStore' has been renamed to 'noCache'
    _ = CachePolicy.networkOnly  // error: 'networkOnly' has been renamed to 'reload'
    _ = CachePolicy.cacheElseNetwork  // error: 'cacheElseNetwork' has been renamed to 'cacheFirst'
    _ = CachePolicy.forceRefresh  // error: 'forceRefresh' has been renamed to 'reload'
    _ = CachePolicy.ttl(.seconds(3))  // error: 'ttl' is unavailable: Write .standard.lasting(.seconds(60)).
    _ = CachePolicy.returnCacheDataElseLoad  // error: 'returnCacheDataElseLoad' has been renamed to 'cacheFirst'
    _ = CachePolicy.useProtocolCachePolicy  // error: 'useProtocolCachePolicy' has been renamed to 'standard'
    do { let v: Person = try await values.get("k") }  // error: 'get' has been renamed to 'get(key:as:)'
    try await values.set("k", user)  // error: 'set' has been renamed to 'set(key:value:ttl:)'
    try await values.set(user, forKey: "k")  // error: 'set(_:forKey:)' is unavailable: Name the key first: set(key: key, value: value).
    try await values.put("k", user)  // error: 'put' has been renamed to 'set(key:value:ttl:)'
    do { let v: Person? = try await values.value(forKey: "k") }  // error: 'value' has been renamed to 'get(key:as:)'
    try await values.removeAll()  // error: 'removeAll' has been renamed to 'clear()'
    try await values.remove("k")  // error: 'remove' has been renamed to 'remove(key:)'
    _ = cache.stats  // error: 'stats' has been renamed to 'statistics'
    _ = await cache.statistics.hitRate  // error: 'hitRate' is unavailable: Divide hits by hits + misses.
}
