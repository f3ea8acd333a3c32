import Foundation

/// A cache for your own values, over the same stores as the cache of responses.
///
/// ```swift
/// let cache = CacheService()
/// try await cache.set(key: "user-42", value: user, ttl: .seconds(600))
/// let user: User = try await cache.get(key: "user-42")        // `.cacheMiss`, with the reason, if there is none
/// ```
/// Values are stored as JSON. The same key in two scopes names two values.
public final class CacheService: Sendable {
    /// A service of the whole process, in memory.
    public static let shared = CacheService()

    /// The default for the time that a value is kept.
    public static let defaultTTL = Duration.seconds(3600)

    /// The store of the values.
    public let store: any CacheStore
    private let scope: String
    private let clock: NetKitClock
    private let coder: JSONCoder

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - store: Where the values are: in memory, up to 50 of them, unless given.
    ///   - scope: What keeps the names apart from those of other services over the same store.
    ///   - clock: The clock of the service.
    ///   - coder: How values become JSON and back.
    public init(
        store: some CacheStore = MemoryCacheStore(maxEntries: 50),
        scope: String = "",
        clock: NetKitClock = .system,
        coder: JSONCoder = .standard
    ) {
        self.store = store
        self.scope = scope
        self.clock = clock
        self.coder = coder
    }

    /// Keeps a value under a name, in place of what was there.
    ///
    /// - Parameters:
    ///   - key: The name.
    ///   - value: The value.
    ///   - ttl: How long it may be used; nothing and less is over at once.
    /// - Throws: `.encoding` where the value cannot be JSON, `.file` where the store fails.
    @concurrent
    public func set(key: String, value: some Encodable & Sendable, ttl: Duration = CacheService.defaultTTL) async throws
    {
        let data: Data
        do {
            data = try coder.encoder.encode(value)
        } catch {
            throw NetKitError(.encoding, "The value for the cache could not be encoded.", cause: error)
        }
        let until = clock.date.addingTimeInterval(max(0, ttl.inSeconds))
        let key = name(key)
        _ = try await asking { try await $0.write(key, CacheHead(.value(until: until)), body: data, token: nil) }
    }

    /// The value of a name.
    ///
    /// - Parameters:
    ///   - key: The name.
    ///   - type: What the value is.
    /// - Returns: The value.
    /// - Throws: `.cacheMiss` if there is none, with ``CacheMiss/absent`` or ``CacheMiss/expired`` as its cause;
    ///   `.decoding` where it is something else.
    @concurrent
    public func get<Value: Decodable & Sendable>(key: String, as type: Value.Type = Value.self) async throws -> Value {
        let name = name(key)
        let record = try await asking { try await $0.read(name) }
        guard let record, case .value(let until) = record.head.content else {
            throw CacheMiss.absent.error("\"\(key)\"")
        }
        guard clock.date < until else {
            try? await asking { try await $0.remove(name, token: nil) }
            throw CacheMiss.expired.error("\"\(key)\"")
        }
        let body = try record.body.response()
        return try await body.json(type, upTo: .max, coder: coder)
    }

    /// Forgets the value of a name.
    @concurrent
    public func remove(key: String) async throws {
        let key = name(key)
        try await asking { try await $0.remove(key, token: nil) }
    }

    /// Forgets everything in the store, also what others keep there.
    @concurrent
    public func clear() async throws {
        try await asking { try await $0.removeAll() }
    }

    private func name(_ key: String) -> CacheKey {
        CacheKey(["value", scope, key], secret: store.secret)
    }

    private func asking<Success: Sendable>(
        _ operation: (any CacheStore) async throws -> Success
    ) async throws -> Success {
        do {
            return try await operation(store)
        } catch {
            throw ErrorBoundary.outward(error, outcome: .notSent)
        }
    }
}
