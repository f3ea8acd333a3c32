public import Foundation

/// A store in memory in front of one on disk.
///
/// An entry that is found on disk is copied to memory, with its remaining lifetime. If the disk fails, the memory still
/// works.
public final class TieredCacheStore: PromptCacheStore {
    /// The store that is read first.
    public let memory: MemoryCacheStore
    /// The persistent store.
    public let disk: DiskCacheStore
    /// The order of reads from the disk, and of the changes to their keys meanwhile.
    private let moves = Locked(WriteOrder())

    /// Creates a store from two stores.
    public init(memory: MemoryCacheStore = MemoryCacheStore(), disk: DiskCacheStore) {
        (self.memory, self.disk) = (memory, disk)
    }

    /// The persistent secret of the disk.
    public var secret: CacheHashKey { disk.secret }

    /// Returns the entry of a key in memory, or else on disk.
    public func read(_ key: CacheKey) async throws -> CacheRecord? {
        if let record = memory.read(key) { return record }
        let token = memory.token(for: key)
        let began = moves.withLock { $0.begin() }
        guard let record = try await disk.read(key) else { return nil }
        // An entry that was removed or replaced meanwhile must not reappear.
        if moves.withLock({ $0.admits(key, begunAt: began) }) {
            memory.promote(key, record, token: token)
            if !moves.withLock({ $0.admits(key, begunAt: began) }) { memory.remove(key) }
        }
        return record
    }

    /// Notes that an entry that was already read from the disk may be outdated.
    func noteChange(of key: CacheKey) {
        moves.withLock { $0.replace(key, by: $0.begin()) }
    }

    /// Returns a token for an exchange that begins now; if the disk fails, it is for the memory alone.
    public func token(for key: CacheKey) -> CacheWriteToken {
        CacheWriteToken(memory: memory.token(for: key), disk: try? disk.token(for: key))
    }

    /// Begins to write an entry into both.
    public func write(
        _ key: CacheKey,
        _ head: CacheHead,
        length: Int64?,
        token: CacheWriteToken? = nil
    ) throws -> (any CacheWriter)? {
        // The existing entry is outdated, even if the memory does not keep the new one.
        noteChange(of: key)
        memory.remove(key, token: token)
        let slow = isForDisk(token) ? try? disk.write(key, head, length: length, token: token?.disk) : nil
        let fast = memory.write(key, head, length: length, token: token)
        guard slow != nil || fast != nil else { return nil }
        return TieredCacheWriter(store: self, key: key, token: token, fast: fast, slow: slow)
    }

    /// Writes an entry into both, and returns whether at least one keeps it.
    @discardableResult
    public func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken? = nil) throws -> Bool {
        // The disk comes first, because the memory takes over entries that are read from it.
        let slow = Result { isForDisk(token) ? try disk.write(key, head, body: body, token: token?.disk) : false }
        if case .failure = slow { try? disk.remove(key, token: token?.disk) }
        noteChange(of: key)
        if memory.write(key, head, body: body, token: token) { return true }
        // If only the disk keeps the entry, the memory still records its exchange.
        memory.remove(key, token: token)
        return try slow.get()
    }

    /// Replaces the head of an entry in both.
    public func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken? = nil) throws {
        let slow = Result { if isForDisk(token) { try disk.update(key, head, token: token?.disk) } }
        noteChange(of: key)
        memory.update(key, head, token: token)
        try slow.get()
    }

    /// Removes the entry of a key in both.
    public func remove(_ key: CacheKey, token: CacheWriteToken? = nil) throws {
        let slow = Result { try disk.remove(key, token: token?.disk) }
        noteChange(of: key)
        memory.remove(key, token: token)
        try slow.get()
    }

    /// Removes all entries of a URL in both.
    public func invalidate(_ resource: CacheResource) async throws {
        // Refuses entries that were read from the disk before, and removes those already in memory.
        defer { memory.invalidate(resource) }
        try await disk.invalidate(resource)
    }

    /// Returns whether to write to the disk.
    ///
    /// A token without the disk's part was issued while the disk failed.
    private func isForDisk(_ token: CacheWriteToken?) -> Bool { token == nil || token?.disk != nil }

    /// Removes all entries.
    public func removeAll() async throws {
        defer { memory.removeAll() }
        try await disk.removeAll()
    }

    /// The size of both stores: the larger number of entries, and the bytes of memory and disk.
    public var statistics: CacheStoreStatistics {
        get async {
            let (fast, slow) = (memory.statistics, await disk.statistics)
            return CacheStoreStatistics(
                entryCount: max(fast.entryCount, slow.entryCount),
                byteCount: fast.byteCount + slow.byteCount,
                evictions: fast.evictions + slow.evictions
            )
        }
    }
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
        // If the disk did not take the entry, the one that it would have replaced must not stay there.
        if !isSlow { try? store.disk.remove(key, token: token?.disk) }
        store.noteChange(of: key)
        // Without a writer, an older entry may have been read from the disk meanwhile.
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
