// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that the limits, breakers, logs and caches of other clients have. The compiler says what to write.

extension ConcurrencyLimitInterceptor {
    @available(
        *,
        unavailable,
        message: "Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4)."
    )
    @_alwaysEmitIntoClient public convenience init(max: Int) { self.init() }
    @available(
        *,
        unavailable,
        message: "Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4)."
    )
    @_alwaysEmitIntoClient public convenience init(limit: Int) { self.init() }
    @available(
        *,
        unavailable,
        message: "Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4)."
    )
    @_alwaysEmitIntoClient public convenience init(maxConcurrent: Int) { self.init() }
    @available(
        *,
        unavailable,
        message: "Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4)."
    )
    @_alwaysEmitIntoClient public convenience init(maxConcurrentRequests: Int) { self.init() }
    @available(
        *,
        unavailable,
        message: "Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4)."
    )
    @_alwaysEmitIntoClient public convenience init(_ max: Int) { self.init() }
}

extension RateLimitInterceptor {
    @available(*, unavailable, message: "Write RateLimitInterceptor(permits: 10, per: .seconds(1)).")
    @_alwaysEmitIntoClient public convenience init(requests: Int, per period: Duration) {
        self.init(permits: 1, per: period)
    }
    @available(*, unavailable, message: "Write RateLimitInterceptor(permits: 10, per: .seconds(1)).")
    @_alwaysEmitIntoClient public convenience init(limit: Int, per period: Duration) {
        self.init(permits: 1, per: period)
    }
    @available(*, unavailable, message: "Write RateLimitInterceptor(permits: 10, per: .seconds(1)).")
    @_alwaysEmitIntoClient public convenience init(rate: Int, per period: Duration) {
        self.init(permits: 1, per: period)
    }
    @available(*, unavailable, message: "Write RateLimitInterceptor(permits: 10, per: .seconds(1)).")
    @_alwaysEmitIntoClient public convenience init(_ permits: Int, per period: Duration) {
        self.init(permits: 1, per: period)
    }
    @available(*, unavailable, message: "Write RateLimitInterceptor(permits: 10, per: .seconds(1)).")
    @_alwaysEmitIntoClient public convenience init(requestsPerSecond: Int) {
        self.init(permits: requestsPerSecond, per: .seconds(1))
    }
    @available(*, unavailable, message: "Write RateLimitInterceptor(permits: 10, per: .seconds(1)).")
    @_alwaysEmitIntoClient public convenience init(permits: Int, interval: Duration) {
        self.init(permits: permits, per: interval)
    }
    @available(*, unavailable, message: "Write RateLimitInterceptor(permits: 10, per: .seconds(1), shared: rate).")
    @_alwaysEmitIntoClient public convenience init(_ rate: some SharedRate, permits: Int, per period: Duration) {
        self.init(permits: permits, per: period)
    }
    @available(*, unavailable, message: "Write RateLimitInterceptor(permits: 10, per: .seconds(1), shared: rate).")
    @_alwaysEmitIntoClient public convenience init(permits: Int, per period: Duration, rate: some SharedRate) {
        self.init(permits: permits, per: period)
    }
}

extension LimitScope {
    @available(*, unavailable, renamed: "total")
    @_alwaysEmitIntoClient public static var global: LimitScope { .total }
}

extension CircuitBreakerInterceptor {
    @available(*, unavailable, renamed: "init(_:maxHosts:)")
    @_alwaysEmitIntoClient public convenience init(policy: CircuitBreakerPolicy) { self.init(policy) }
    @available(
        *,
        unavailable,
        message: "Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5))."
    )
    @_alwaysEmitIntoClient public convenience init(threshold: Int) { self.init() }
    @available(
        *,
        unavailable,
        message: "Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5))."
    )
    @_alwaysEmitIntoClient public convenience init(maxFailures: Int) { self.init() }
    @available(
        *,
        unavailable,
        message: "Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5))."
    )
    @_alwaysEmitIntoClient public convenience init(failureRatio: Double) { self.init() }
    @available(
        *,
        unavailable,
        message: "Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5))."
    )
    @_alwaysEmitIntoClient public convenience init(failureThreshold: Double) { self.init() }
    @available(*, unavailable, message: "Ask for a server: state(of: origin) == .open, or read troubled.")
    @_alwaysEmitIntoClient public var isOpen: Bool { false }
}

extension CircuitBreakerPolicy {
    @available(*, unavailable, message: "Write CircuitBreakerPolicy(failureRatio: 0.5, minThroughput: 20).")
    @_alwaysEmitIntoClient public init(failureThreshold: Int) { self.init() }
    @available(*, unavailable, message: "Write CircuitBreakerPolicy(failureRatio: 0.5, breakDuration: .seconds(5)).")
    @_alwaysEmitIntoClient public init(failureRatio: Double = 0.5, resetTimeout: Duration) {
        self.init(breakDuration: resetTimeout)
    }
    @available(*, unavailable, message: "Write CircuitBreakerPolicy(failureRatio: 0.5, breakDuration: .seconds(5)).")
    @_alwaysEmitIntoClient public init(failureRatio: Double = 0.5, cooldown: Duration) {
        self.init(breakDuration: cooldown)
    }
}

extension HedgeInterceptor {
    @available(
        *,
        unavailable,
        message: "Write HedgeInterceptor(after: .fixed(.milliseconds(100))), or .percentile(0.95)."
    )
    @_alwaysEmitIntoClient public convenience init(delay: HedgeDelay) { self.init(after: delay) }
    @available(
        *,
        unavailable,
        message: "Write HedgeInterceptor(after: .fixed(.milliseconds(100))), or .percentile(0.95)."
    )
    @_alwaysEmitIntoClient public convenience init(_ delay: HedgeDelay) { self.init(after: delay) }
}

extension HeadersInterceptor {
    @available(*, unavailable, message: "Write HeadersInterceptor(fields).")
    @_alwaysEmitIntoClient public init(headers: HTTPHeaders) { self.init(headers) }
}

extension LoggingInterceptor {
    @available(*, unavailable, message: "Name a sink: LoggingInterceptor(.standardError, level: .debug).")
    @_alwaysEmitIntoClient public init(_ level: LogLevel) { self.init(.standardError, level: level) }
    @available(*, unavailable, renamed: "init(_:level:showsHeaders:maxBodyBytes:)")
    @_alwaysEmitIntoClient public init(sink: some LogSink, level: LogLevel = .info) { self.init(sink, level: level) }
    @available(*, unavailable, message: "Write LoggingInterceptor(.standardError, maxBodyBytes: 1000).")
    @_alwaysEmitIntoClient public init(_ sink: some LogSink, logBodies: Bool) { self.init(sink) }
    @available(*, unavailable, renamed: "init(_:level:showsHeaders:maxBodyBytes:)")
    @_alwaysEmitIntoClient public init(_ sink: some LogSink, showHeaders: Bool) { self.init(sink) }
}

extension LogSink where Self == TextLogSink {
    @available(*, unavailable, message: "Write .standardError, or TextLogSink(to: .standardOutput).")
    @_alwaysEmitIntoClient public static var stdout: TextLogSink { .standardError }
    @available(*, unavailable, message: "Write .standardError, or TextLogSink(to: .standardOutput).")
    @_alwaysEmitIntoClient public static var console: TextLogSink { .standardError }
    @available(*, unavailable, message: "Write .standardError, or TextLogSink(to: .standardOutput).")
    @_alwaysEmitIntoClient public static var standardOutput: TextLogSink { .standardError }
    @available(*, unavailable, renamed: "standardError")
    @_alwaysEmitIntoClient public static var stderr: TextLogSink { .standardError }
}

extension LogLevel {
    @available(*, unavailable, renamed: "warning")
    @_alwaysEmitIntoClient public static var warn: LogLevel { .warning }
    @available(*, unavailable, renamed: "trace")
    @_alwaysEmitIntoClient public static var verbose: LogLevel { .trace }
}

extension CacheInterceptor {
    @available(
        *,
        unavailable,
        message: "Name a store: CacheInterceptor(MemoryCacheStore()), or DiskCacheStore(directory: folder)."
    )
    @_alwaysEmitIntoClient public convenience init() { self.init(MemoryCacheStore()) }
    @available(*, unavailable, message: "Write CacheInterceptor(store).")
    @_alwaysEmitIntoClient public convenience init(cache: some CacheStore) { self.init(cache) }
    @available(*, unavailable, message: "Write CacheInterceptor(store, policy: .standard.lasting(.seconds(60))).")
    @_alwaysEmitIntoClient public convenience init(_ store: some CacheStore, ttl: Duration) { self.init(store) }
    @available(*, unavailable, renamed: "store.removeAll()")
    @_alwaysEmitIntoClient public var clear: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message: "Call store.removeAll(), or make the call with CallOptions(cachePolicy: .reload)."
    )
    @_alwaysEmitIntoClient public var invalidate: OtherName { OtherName() }
    @available(*, unavailable, renamed: "statistics")
    @_alwaysEmitIntoClient public var stats: OtherName { OtherName() }
}

extension CacheStatistics {
    @available(*, unavailable, message: "Divide hits by hits + misses.")
    @_alwaysEmitIntoClient public var hitRate: Double { 0 }
}

extension CacheStore where Self == MemoryCacheStore {
    @available(*, unavailable, message: "Create the store: CacheInterceptor(MemoryCacheStore()).")
    @_alwaysEmitIntoClient public static var memory: MemoryCacheStore { MemoryCacheStore() }
    @available(*, unavailable, message: "Create the store: CacheInterceptor(MemoryCacheStore(maxBytes: 64 << 20)).")
    @_alwaysEmitIntoClient public static func memory(maxBytes: Int) -> MemoryCacheStore {
        MemoryCacheStore(maxBytes: maxBytes)
    }
}

extension CacheStore {
    @available(*, unavailable, renamed: "removeAll()")
    @_alwaysEmitIntoClient public var clear: OtherName { OtherName() }
}

extension MemoryCacheStore {
    @available(*, unavailable, message: "Write MemoryCacheStore(maxBytes:), or maxEntries: for a number of entries.")
    @_alwaysEmitIntoClient public convenience init(maxSize: Int) { self.init() }
    @available(*, unavailable, message: "Write MemoryCacheStore(maxBytes:), or maxEntries: for a number of entries.")
    @_alwaysEmitIntoClient public convenience init(limit: Int) { self.init() }
}

extension DiskCacheStore {
    @available(*, unavailable, renamed: "init(directory:maxBytes:maxEntries:)")
    @_alwaysEmitIntoClient public convenience init(_ folder: URL) { self.init(directory: folder) }
    @available(*, unavailable, renamed: "init(directory:maxBytes:maxEntries:)")
    @_alwaysEmitIntoClient public convenience init(path: URL) { self.init(directory: path) }
    @available(*, unavailable, renamed: "init(directory:maxBytes:maxEntries:)")
    @_alwaysEmitIntoClient public convenience init(url: URL) { self.init(directory: url) }
    @available(*, unavailable, renamed: "init(directory:maxBytes:maxEntries:)")
    @_alwaysEmitIntoClient public convenience init(directory: URL, maxSize: Int64) { self.init(directory: directory) }
    @available(*, unavailable, renamed: "init(directory:maxBytes:maxEntries:)")
    @_alwaysEmitIntoClient public convenience init(directory: URL, capacity: Int64) { self.init(directory: directory) }
    @available(*, unavailable, message: "Pass a URL: DiskCacheStore(directory: URL(fileURLWithPath: path)).")
    @_alwaysEmitIntoClient public convenience init(directory: String) {
        self.init(directory: URL(fileURLWithPath: directory))
    }
}

extension TieredCacheStore {
    @available(*, unavailable, renamed: "init(memory:disk:)")
    @_alwaysEmitIntoClient public convenience init(_ memory: MemoryCacheStore, _ disk: DiskCacheStore) {
        self.init(disk: disk)
    }
    @available(*, unavailable, renamed: "init(memory:disk:)")
    @_alwaysEmitIntoClient public convenience init(l1 memory: MemoryCacheStore, l2 disk: DiskCacheStore) {
        self.init(disk: disk)
    }
}

extension CachePolicy {
    @available(*, unavailable, renamed: "noCache")
    @_alwaysEmitIntoClient public static var noStore: CachePolicy { .noCache }
    @available(*, unavailable, renamed: "reload")
    @_alwaysEmitIntoClient public static var networkOnly: CachePolicy { .reload }
    @available(*, unavailable, renamed: "reload")
    @_alwaysEmitIntoClient public static var forceRefresh: CachePolicy { .reload }
    @available(*, unavailable, renamed: "cacheFirst")
    @_alwaysEmitIntoClient public static var cacheElseNetwork: CachePolicy { .cacheFirst }
    @available(*, unavailable, renamed: "cacheFirst")
    @_alwaysEmitIntoClient public static var returnCacheDataElseLoad: CachePolicy { .cacheFirst }
    @available(*, unavailable, renamed: "cacheOnly")
    @_alwaysEmitIntoClient public static var returnCacheDataDontLoad: CachePolicy { .cacheOnly }
    @available(*, unavailable, renamed: "standard")
    @_alwaysEmitIntoClient public static var useProtocolCachePolicy: CachePolicy { .standard }
    @available(*, unavailable, message: "Write .standard.lasting(.seconds(60)).")
    @_alwaysEmitIntoClient public static func ttl(_ ttl: Duration) -> CachePolicy { .standard }
}

extension CacheService {
    @available(*, unavailable, renamed: "get(key:as:)")
    @_alwaysEmitIntoClient public func get<Value: Decodable & Sendable>(_ key: String) async throws -> Value {
        throw CancellationError()
    }
    @available(*, unavailable, renamed: "set(key:value:ttl:)")
    @_alwaysEmitIntoClient public func set(_ key: String, _ value: some Encodable & Sendable) async throws {}
    @available(*, unavailable, message: "Name the key first: set(key: key, value: value).")
    @_alwaysEmitIntoClient public func set(_ value: some Encodable & Sendable, forKey key: String) async throws {}
    @available(*, unavailable, renamed: "set(key:value:ttl:)")
    @_alwaysEmitIntoClient public var put: OtherName { OtherName() }
    @available(*, unavailable, renamed: "get(key:as:)")
    @_alwaysEmitIntoClient public var value: OtherName { OtherName() }
    @available(*, unavailable, renamed: "clear()")
    @_alwaysEmitIntoClient public var removeAll: OtherName { OtherName() }
    @available(*, unavailable, renamed: "remove(key:)")
    @_alwaysEmitIntoClient public func remove(_ key: String) async throws {}
}

extension RemoteRepository {
    @available(*, unavailable, renamed: "get(id:)")
    @_alwaysEmitIntoClient public var fetch: OtherName { OtherName() }
    @available(*, unavailable, renamed: "updates(id:)")
    @_alwaysEmitIntoClient public func observe(id: String) -> RepositoryUpdates<Entity> { updates(id: id) }
    @available(*, unavailable, renamed: "updates()")
    @_alwaysEmitIntoClient public func stream() -> RepositoryUpdates<[Entity]> { updates() }
    @available(*, unavailable, renamed: "get(id:)")
    @_alwaysEmitIntoClient public func get(_ id: String) async throws -> Entity { throw CancellationError() }
    @available(*, unavailable, renamed: "delete(id:)")
    @_alwaysEmitIntoClient public func delete(_ id: String) async throws {}
}
