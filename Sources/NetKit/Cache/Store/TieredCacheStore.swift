public import Foundation

/// A store in memory before one on disk.
///
/// What is found on disk moves up, with the life that it has left. A disk that fails leaves the memory.
public final class TieredCacheStore: PromptCacheStore {
    /// The store that is asked first.
    public let memory: MemoryCacheStore
    /// The store that lasts.
    public let disk: DiskCacheStore
    /// The order of reads from the disk, and of what happens to their keys meanwhile.
    private let moves = Locked(WriteOrder())

    /// Creates a store of two.
    public init(memory: MemoryCacheStore = MemoryCacheStore(), disk: DiskCacheStore) {
        (self.memory, self.disk) = (memory, disk)
    }

    /// The secret of the disk, which lasts.
    public var secret: CacheHashKey { disk.secret }

    /// The entry of a key in memory, else on disk.
    public func read(_ key: CacheKey) async throws -> CacheRecord? {
        if let record = memory.read(key) { return record }
        let token = memory.token(for: key)
        let began = moves.withLock { $0.begin() }
        guard let record = try await disk.read(key) else { return nil }
        // What was forgotten or replaced meanwhile must not come back.
        if moves.withLock({ $0.admits(key, begunAt: began) }) {
            memory.promote(key, record, token: token)
            if !moves.withLock({ $0.admits(key, begunAt: began) }) { memory.remove(key) }
        }
        return record
    }

    /// Notes that what was read from the disk so far may no longer be what it has.
    func noteChange(of key: CacheKey) {
        moves.withLock { $0.replace(key, by: $0.begin()) }
    }

    /// A token for an exchange that begins now; one of a disk that fails is for the memory alone.
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
        // What was there is no longer the newest, whatever becomes of the new one in memory.
        noteChange(of: key)
        memory.remove(key, token: token)
        let slow = isForDisk(token) ? try? disk.write(key, head, length: length, token: token?.disk) : nil
        let fast = memory.write(key, head, length: length, token: token)
        guard slow != nil || fast != nil else { return nil }
        return TieredCacheWriter(store: self, key: key, token: token, fast: fast, slow: slow)
    }

    /// Writes an entry into both, and returns whether one keeps it.
    @discardableResult
    public func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken? = nil) throws -> Bool {
        // The disk first, for the memory takes over what is read from it.
        let slow = Result { isForDisk(token) ? try disk.write(key, head, body: body, token: token?.disk) : false }
        if case .failure = slow { try? disk.remove(key, token: token?.disk) }
        noteChange(of: key)
        if memory.write(key, head, body: body, token: token) { return true }
        // Of what only the disk keeps, the memory knows from which exchange it is.
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
        // Refuses what was read from the disk before, and removes what is there already.
        defer { memory.invalidate(resource) }
        try await disk.invalidate(resource)
    }

    /// A token without the disk's part is of a time when the disk failed.
    private func isForDisk(_ token: CacheWriteToken?) -> Bool { token == nil || token?.disk != nil }

    /// Forgets everything.
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

/// Hands a body to two writers; each may give up alone, and the store may not have one.
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
        // What the disk could not take must not leave there what it would have replaced.
        if !isSlow { try? store.disk.remove(key, token: token?.disk) }
        store.noteChange(of: key)
        // Without a writer, something older may have been read from the disk meanwhile.
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
