public import Foundation

/// A store in memory in front of another one, on disk or in a database that several machines share.
///
/// ```swift
/// CacheInterceptor(TieredCacheStore(disk: DiskCacheStore(directory: folder)))
/// CacheInterceptor(TieredCacheStore(store: try await database.cache()))
/// ```
/// An entry that is found in the other store is copied to memory, with its remaining lifetime. If the other store
/// fails, the memory still works. Entries that other processes have invalidated leave the memory as soon as the store
/// reports it (``CacheStore/onInvalidation(_:)``).
public final class TieredCacheStore: PromptCacheStore {
    /// The store that is read first.
    public let memory: MemoryCacheStore
    /// The store that is read after the memory.
    public let store: any CacheStore
    /// That store, if it is on disk.
    public var disk: DiskCacheStore? { store as? DiskCacheStore }
    /// The order of reads from the other store, and of the changes to their keys meanwhile.
    private let order = Locked(WriteOrder())

    /// Creates a store from two stores.
    public convenience init(memory: MemoryCacheStore = MemoryCacheStore(), disk: DiskCacheStore) {
        self.init(memory: memory, store: disk)
    }

    /// Creates a store in front of any other one.
    public init(memory: MemoryCacheStore = MemoryCacheStore(), store: any CacheStore) {
        (self.memory, self.store) = (memory, store)
        store.onInvalidation { [weak self] in self?.handle($0) }
    }

    /// The secret of the other store.
    public var secret: CacheHashKey { store.secret }

    /// Whether the other store answers at once.
    var isPrompt: Bool { (store as? any PromptCacheStore)?.isPrompt ?? false }

    /// Removes from memory what another process has invalidated in the other store.
    private func handle(_ invalidation: CacheInvalidation) {
        // Entries that were read from the store before are refused first.
        switch invalidation {
        case .resource(let resource):
            order.withLock { $0.invalidate(resource) }
            memory.invalidate(resource)
        case .all:
            order.withLock { $0.invalidateAll() }
            memory.removeAll()
        }
    }

    /// Returns the entry of a key in memory, or else in the other store.
    public func read(_ key: CacheKey) async throws -> CacheRecord? {
        if let record = memory.read(key) { return record }
        let token = memory.token(for: key)
        let began = order.withLock { $0.begin() }
        guard let record = try await store.read(key) else { return nil }
        // An entry that was removed or replaced meanwhile must not reappear.
        if order.withLock({ $0.admits(key, begunAt: began) }) {
            memory.promote(key, record, token: token)
            if !order.withLock({ $0.admits(key, begunAt: began) }) { memory.remove(key) }
        }
        return record
    }

    /// Notes that an entry that was already read from the other store may be outdated.
    func noteChange(of key: CacheKey) {
        order.withLock { $0.replace(key, by: $0.begin()) }
    }

    /// Returns a token for an exchange that begins now; if the other store fails, it covers the memory alone.
    public func token(for key: CacheKey) async -> CacheWriteToken {
        let own = memory.token(for: key)
        return CacheWriteToken(memory: own, disk: try? await store.token(for: key))
    }

    /// Begins to write an entry into both.
    public func write(
        _ key: CacheKey,
        _ head: CacheHead,
        length: Int64?,
        token: CacheWriteToken? = nil
    ) async throws -> (any CacheWriter)? {
        let slow = isForStore(token) ? try? await store.write(key, head, length: length, token: token?.disk) : nil
        let fast = memory.write(key, head, length: length, token: token)
        guard slow != nil || fast != nil else { return nil }
        return TieredCacheWriter(store: self, key: key, token: token, fast: fast, slow: slow)
    }

    /// Writes an entry into both, and returns whether at least one keeps it.
    @discardableResult
    public func write(
        _ key: CacheKey,
        _ head: CacheHead,
        body: Data,
        token: CacheWriteToken? = nil
    ) async throws -> Bool {
        // The other store comes first, because the memory takes over entries that are read from it.
        let slow = await Result.catching {
            isForStore(token) ? try await store.write(key, head, body: body, token: token?.disk) : false
        }
        // If it did not take the entry, the one that it would have replaced must not stay there.
        if (try? slow.get()) != true { try? await store.remove(key, token: token?.disk) }
        noteChange(of: key)
        if memory.write(key, head, body: body, token: token) { return true }
        // If only the other store keeps the entry, the memory still records its exchange.
        memory.remove(key, token: token)
        return try slow.get()
    }

    /// Replaces the head of an entry in both.
    public func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken? = nil) async throws {
        let slow = await Result.catching {
            if isForStore(token) { try await store.update(key, head, token: token?.disk) }
        }
        noteChange(of: key)
        memory.update(key, head, token: token)
        try slow.get()
    }

    /// Removes the entry of a key in both.
    public func remove(_ key: CacheKey, token: CacheWriteToken? = nil) async throws {
        let slow = await Result.catching { try await store.remove(key, token: token?.disk) }
        noteChange(of: key)
        memory.remove(key, token: token)
        try slow.get()
    }

    /// Removes all entries of a URL in both.
    public func invalidate(_ resource: CacheResource) async throws {
        // Nothing outdated is used while the other store takes its time, and nothing that was read from it meanwhile is
        // used afterwards.
        memory.invalidate(resource)
        defer { memory.invalidate(resource) }
        try await store.invalidate(resource)
    }

    /// Removes all entries of a key's URL in both, and returns a token for an entry that takes their place.
    ///
    /// It is `nil` if either of them was invalidated after the token was issued.
    public func invalidate(_ key: CacheKey, since token: CacheWriteToken) async throws -> CacheWriteToken? {
        guard let earlier = token.disk else {
            // It is unknown what has come since in the other store.
            try await invalidate(key.resource)
            return nil
        }
        let first = await memory.invalidate(key, since: token)
        let slow = await Result.catching { try await store.invalidate(key, since: earlier) }
        // The memory refuses the first token from here on. So if there was another invalidation meanwhile, only the
        // other store decides.
        let second = await memory.invalidate(key, since: first ?? token)
        guard let later = try slow.get(), let first else { return nil }
        return CacheWriteToken(memory: second ?? first, disk: later)
    }

    /// Removes all entries.
    public func removeAll() async throws {
        memory.removeAll()
        defer { memory.removeAll() }
        try await store.removeAll()
    }

    /// The size of both stores: the larger number of entries, and the bytes of both.
    public var statistics: CacheStoreStatistics {
        get async {
            let (fast, slow) = (memory.statistics, await store.statistics)
            return CacheStoreStatistics(
                entryCount: max(fast.entryCount, slow.entryCount),
                byteCount: fast.byteCount.addingSaturated(slow.byteCount),
                evictions: fast.evictions.addingSaturated(slow.evictions)
            )
        }
    }

    /// Returns whether to write to the other store.
    ///
    /// A token without that store's part was issued while the store failed.
    private func isForStore(_ token: CacheWriteToken?) -> Bool { token == nil || token?.disk != nil }
}

/// A writer that passes a body to two writers; each may be missing or give up alone.
private struct TieredCacheWriter: CacheWriter {
    let store: TieredCacheStore
    let key: CacheKey
    let token: CacheWriteToken?
    let fast: (any CacheWriter)?
    let slow: (any CacheWriter)?

    func append(_ chunk: Data) async throws {
        try await fast?.append(chunk)
        do {
            try await slow?.append(chunk)
        } catch {
            slow?.abort()
        }
    }

    func commit() async throws -> Bool {
        var isSlow = false
        do {
            isSlow = try await slow?.commit() ?? false
        } catch {
            slow?.abort()
        }
        // As in `write`, nothing outdated may stay in the other store.
        if !isSlow { try? await store.store.remove(key, token: token?.disk) }
        store.noteChange(of: key)
        // Without a writer, an older entry may have been read from the other store meanwhile.
        guard let fast else {
            store.memory.remove(key, token: token)
            return isSlow
        }
        if try await fast.commit() { return true }
        store.memory.remove(key, token: token)
        return isSlow
    }

    func abort() {
        fast?.abort()
        slow?.abort()
    }
}
