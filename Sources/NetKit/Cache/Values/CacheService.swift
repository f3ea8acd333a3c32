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
    /// The service of the whole process, in memory.
    public static let shared = CacheService()

    /// The default lifetime of a value.
    public static let defaultTTL = Duration.seconds(3600)

    /// The store of the values.
    public let store: any CacheStore
    private let scope: String
    private let clock: NetKitClock
    private let coder: JSONCoder
    /// The removals of entities that the store has not carried out yet, from every repository over the service.
    let removals = Locked(PendingRemovals())

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - store: The store of the values; by default one in memory for up to 50 values.
    ///   - scope: The scope, which separates the keys from those of other services over the same store.
    ///   - clock: The clock of the service.
    ///   - coder: The coder that turns values into JSON and back; by default one that keeps dates exactly, which the
    ///     presets of ``JSONCoder`` do not.
    public init(
        store: some CacheStore = MemoryCacheStore(maxEntries: 50),
        scope: String = "",
        clock: NetKitClock = .system,
        coder: JSONCoder? = nil
    ) {
        self.store = store
        self.scope = scope
        self.clock = clock
        // Foundation's own form of a date is a number with all of its digits.
        self.coder = coder ?? JSONCoder(encoder: { JSONEncoder() }, decoder: { JSONDecoder() })
    }

    /// Stores a value under a key, in place of the previous one.
    ///
    /// A store may decline a value, for example one that is too large. Then ``get(key:as:)`` throws `.cacheMiss`.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value.
    ///   - ttl: The lifetime of the value; a lifetime of zero or less expires at once. If the clock is set back by more
    ///     than that, the value has expired.
    /// - Throws: `.encoding` if the value cannot be encoded as JSON, or the error of the store, such as `.file`.
    @concurrent
    public func set(key: String, value: some Encodable & Sendable, ttl: Duration = CacheService.defaultTTL) async throws
    {
        try await set(key: key, value: value, ttl: ttl, token: nil)
    }

    /// Returns a token for a value whose fetch begins now.
    func token(for key: String) async throws -> CacheWriteToken {
        let key = storeKey(key)
        return try await withStore { try await $0.token(for: key) }
    }

    /// Stores a value, unless its key was removed or the store was cleared since the token was issued.
    func set(key: String, value: some Encodable & Sendable, ttl: Duration, token: CacheWriteToken?) async throws {
        let data: Data
        do {
            data = try coder.encoder.encode(value)
        } catch {
            throw NetKitError(.encoding, "The value for the key \"\(key)\" cannot be encoded as JSON.", cause: error)
        }
        let now = clock.date
        let head = CacheHead(.value(from: now, until: now.addingTimeInterval(max(0, ttl.inSeconds))))
        let key = storeKey(key)
        _ = try await withStore { try await $0.write(key, head, body: data, token: token) }
    }

    /// Returns the value of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: `.cacheMiss` if there is none, with ``CacheMiss/absent`` or ``CacheMiss/expired`` as its cause;
    ///   `.decoding` if it is of another type.
    @concurrent
    public func get<Value: Decodable & Sendable>(key: String, as type: Value.Type = Value.self) async throws -> Value {
        let storeKey = storeKey(key)
        let record = try await withStore { try await $0.read(storeKey) }
        guard let record, case .value(let start, let end) = record.head.content else {
            throw CacheMiss.absent.error(about: "\"\(key)\"", isCall: false)
        }
        let now = clock.date
        // A clock that was set back makes a value older, as it does a response. An expired value stays until another
        // takes its place: removing it could remove one that was just set.
        guard now < end, start.timeIntervalSince(now) < end.timeIntervalSince(start) else {
            throw CacheMiss.expired.error(about: "\"\(key)\"", isCall: false)
        }
        let body = try record.body.response()
        return try await body.json(type, upTo: .max, coder: coder)
    }

    /// Removes the value of a key, in every process that shares the store.
    @concurrent
    public func remove(key: String) async throws {
        let key = storeKey(key)
        try await withStore { store in
            try await store.invalidate(key.resource)
            // An invalidation may leave the bytes on the disk.
            try await store.remove(key, token: nil)
        }
    }

    /// Removes the value of a key, unless a later exchange than the token's has stored it.
    func remove(_ key: String, token: CacheWriteToken) async throws {
        let key = storeKey(key)
        try await withStore { try await $0.remove(key, token: token) }
    }

    /// Returns the resource that the value of a key has for itself in the store.
    func resource(of key: String) -> CacheResource { storeKey(key).resource }

    /// Invalidates a value in every process, and the tokens of values that are being fetched.
    func invalidate(_ resource: CacheResource) async throws {
        try await withStore { try await $0.invalidate(resource) }
    }

    /// Invalidates like ``invalidate(_:)``, and returns a token for a value that takes the place of the previous one.
    ///
    /// It is `nil` if the key was removed, or the store was cleared, after an earlier token was issued.
    func invalidate(_ key: String, since token: CacheWriteToken) async throws -> CacheWriteToken? {
        let key = storeKey(key)
        return try await withStore { try await $0.invalidate(key, since: token) }
    }

    /// Removes all entries of the store, including those of other services and caches.
    @concurrent
    public func clear() async throws {
        try await withStore { try await $0.removeAll() }
    }

    private func storeKey(_ key: String) -> CacheKey {
        CacheKey(["value", scope, key], secret: store.secret)
    }

    private func withStore<Success: Sendable>(
        _ operation: (any CacheStore) async throws -> Success
    ) async throws -> Success {
        do {
            return try await operation(store)
        } catch {
            throw ErrorBoundary.outward(error, outcome: .notSent)
        }
    }
}
