public import Foundation

/// A store of cache entries: `MemoryCacheStore`, `DiskCacheStore`, `TieredCacheStore`, or one of your own.
///
/// A store knows nothing of HTTP: it keeps a head and a body under a key. It may drop any entry at any time, and its
/// errors never fail a call. Entries are whole: after `commit()` an entry is there completely, or not at all.
///
/// A store that several caches share decides for all of them which responses are still valid. It issues a token when an
/// exchange begins, and refuses a write with a token from before an ``invalidate(_:)`` of the URL.
public protocol CacheStore: Sendable {
    /// The secret from which keys are made; a persistent store has the same one in every process.
    ///
    /// Read it for each key: a store that could not be used at first may learn its secret later. It then has to remove
    /// all entries if an invalidation or a removal has failed before, because that had a key of the former secret.
    var secret: CacheHashKey { get }

    /// Returns the entry of a key, or `nil`.
    func read(_ key: CacheKey) async throws -> CacheRecord?

    /// Returns a token for an exchange that begins now and whose response may be written under a key.
    ///
    /// It is valid for every key of the same ``CacheKey/resource``, because only the response determines its variant.
    /// Without a token, the response is not stored.
    func token(for key: CacheKey) async throws -> CacheWriteToken

    /// Begins to write an entry whose body arrives in pieces; returns `nil` if the store declines it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - head: The data before the body.
    ///   - length: The number of bytes of the body, if known.
    ///   - token: The token of the exchange; `nil` for an entry that is valid whenever it was made.
    /// - Returns: The writer of the body.
    /// - Throws: The error that keeps the store from writing.
    func write(
        _ key: CacheKey,
        _ head: CacheHead,
        length: Int64?,
        token: CacheWriteToken?
    ) async throws -> (any CacheWriter)?

    /// Writes an entry whose body is complete.
    ///
    /// - Returns: Whether the entry is kept.
    func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken?) async throws -> Bool

    /// Replaces the head of an entry that still has the body that the head belongs to.
    func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken?) async throws

    /// Removes the entry of a key, unless a later exchange than the token's has written it.
    ///
    /// From then on, the store refuses writes to the key by exchanges that began before the token's.
    func remove(_ key: CacheKey, token: CacheWriteToken?) async throws

    /// Removes all entries of a URL, in every partition and every variant (RFC 9111, section 4.4).
    ///
    /// These are the entries whose ``CacheKey/resource`` is this one. From then on, the store refuses writes with an
    /// earlier token.
    func invalidate(_ resource: CacheResource) async throws

    /// Removes all entries of a key's URL like ``invalidate(_:)``, and returns a token for an entry in their place.
    ///
    /// It is called after a change of the URL whose response is to be stored. The store refuses the returned token
    /// after the next invalidation of the URL. So if two changes overlap, and it is unknown which of them the server
    /// carried out last, neither response stays.
    ///
    /// Implement it so that it compares, removes and issues the token in one step. The default takes three steps,
    /// between which another call or process can invalidate the URL. It needs tokens whose generation also changes with
    /// ``removeAll()``.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - token: The token of the change, from before it was sent.
    /// - Returns: A token; `nil` if the URL was invalidated, or all entries were removed, after the token was issued.
    /// - Throws: The error that keeps the store from removing the entries.
    func invalidate(_ key: CacheKey, since token: CacheWriteToken) async throws -> CacheWriteToken?

    /// Removes all entries.
    func removeAll() async throws

    /// Calls a closure whenever another process has invalidated entries, for a store in memory before this one.
    ///
    /// Only one closure has to be kept. The default never calls it, which is right for a store that belongs to one
    /// process.
    func onInvalidation(_ notify: @escaping @Sendable (CacheInvalidation) -> Void)

    /// The size of the store, and the number of evictions.
    var statistics: CacheStoreStatistics { get async }
}

extension CacheStore {
    /// Compares the generations of tokens, invalidates the URL and issues a token, one after the other.
    public func invalidate(_ key: CacheKey, since token: CacheWriteToken) async throws -> CacheWriteToken? {
        let latest = try? await self.token(for: key)
        try await invalidate(key.resource)
        guard let latest, latest.wholeGeneration == token.wholeGeneration else { return nil }
        return try? await self.token(for: key)
    }

    /// Never calls the closure.
    public func onInvalidation(_ notify: @escaping @Sendable (CacheInvalidation) -> Void) {}
}

/// The entries that another process has invalidated.
public enum CacheInvalidation: Sendable, Hashable {
    /// All entries of a URL.
    case resource(CacheResource)
    /// All entries, for example after a lost connection, when it is unknown which ones changed.
    case all
}

/// A writer that takes the body of one entry, piece by piece.
public protocol CacheWriter: Sendable {
    /// Appends a piece, or does nothing if the entry was discarded.
    func append(_ chunk: Data) async throws

    /// Completes the entry. From now on it is there, unless it was discarded or too large, or its token was refused.
    ///
    /// - Returns: Whether the entry is there.
    @discardableResult
    func commit() async throws -> Bool

    /// Discards the entry completely; pieces that are appended later have no effect.
    func abort()
}

/// The size of a store, and the number of evictions.
public struct CacheStoreStatistics: Hashable, Sendable {
    /// The number of entries.
    public var entryCount: Int
    /// The number of bytes of all entries.
    public var byteCount: Int64
    /// The number of entries that were removed to make room for others.
    public var evictions: Int

    /// Creates statistics.
    public init(entryCount: Int = 0, byteCount: Int64 = 0, evictions: Int = 0) {
        self.entryCount = entryCount
        self.byteCount = byteCount
        self.evictions = evictions
    }
}

/// A store that returns at once, or as soon as the disk does: its operations need no task that a call could end.
protocol PromptCacheStore: CacheStore {
    /// Whether the operations return promptly; in `TieredCacheStore`, this depends on its inner store.
    var isPrompt: Bool { get }
}

extension PromptCacheStore {
    var isPrompt: Bool { true }
}

/// The moment at which an exchange began, in the numbering of the store.
///
/// A response is written with the token of its exchange. A store refuses the write if the URL was invalidated since, or
/// if an exchange that began later has changed the same key.
public struct CacheWriteToken: Hashable, Sendable {
    /// The number of the exchange, larger for later ones.
    public let number: UInt64
    /// The number of the URL's generation, which an invalidation changes.
    public let generation: UInt64
    private let diskNumber: UInt64?
    private let diskGeneration: UInt64

    /// Creates a token.
    public init(number: UInt64, generation: UInt64 = 0) {
        (self.number, self.generation) = (number, generation)
        (diskNumber, diskGeneration) = (nil, 0)
    }

    /// Creates a token of two stores; the one on disk may have failed.
    init(memory: CacheWriteToken, disk: CacheWriteToken?) {
        (number, generation) = (memory.number, memory.generation)
        (diskNumber, diskGeneration) = (disk?.number, disk?.generation ?? 0)
    }

    /// The token of the store on disk.
    var disk: CacheWriteToken? { diskNumber.map { CacheWriteToken(number: $0, generation: diskGeneration) } }

    /// The generation of the URL in every store of the token; an invalidation changes it.
    struct Generation: Hashable {
        fileprivate let own: UInt64
        fileprivate let disk: UInt64
    }

    /// The generation of the URL in all stores.
    var wholeGeneration: Generation { Generation(own: generation, disk: diskGeneration) }
}
