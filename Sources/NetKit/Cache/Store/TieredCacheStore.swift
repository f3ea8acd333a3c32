public import Foundation

/// A store in memory before one on disk.
///
/// What is found on disk moves up, with the life that it has left. A disk that fails leaves the memory.
public final class TieredCacheStore: PromptCacheStore {
    /// The store that is asked first.
    public let memory: MemoryCacheStore
    /// The store that lasts.
    public let disk: DiskCacheStore
    private let changes = Locked(ChangeLog())

    /// Makes a store of two.
    public init(memory: MemoryCacheStore = MemoryCacheStore(), disk: DiskCacheStore) {
        (self.memory, self.disk) = (memory, disk)
    }

    /// The secret of the disk, which lasts.
    public var secret: CacheHashKey { disk.secret }

    /// The entry of a key in memory, else on disk.
    public func read(_ key: CacheKey) throws -> CacheRecord? {
        if let record = memory.read(key) { return record }
        let began = changes.withLock { $0.count }
        guard let record = try disk.read(key) else { return nil }
        // What was forgotten meanwhile must not come back.
        if let body = record.body.data, changes.withLock({ !$0.hasChanged(key, since: began) }) {
            memory.write(key, record.head, body: body)
            if changes.withLock({ $0.hasChanged(key, since: began) }) { memory.remove(key) }
        }
        return record
    }

    /// Begins to write an entry into both.
    public func write(_ key: CacheKey, _ head: CacheHead, length: Int64?) throws -> (any CacheWriter)? {
        changes.withLock { $0.note(key) }
        // What was there is no longer the newest, whatever becomes of the new one in memory.
        memory.remove(key)
        let slow = try? disk.write(key, head, length: length)
        guard let fast = memory.write(key, head, length: length) else { return slow }
        return slow.map { TieredCacheWriter(fast: fast, slow: $0) } ?? fast
    }

    /// Writes an entry into both.
    public func write(_ key: CacheKey, _ head: CacheHead, body: Data) throws {
        changes.withLock { $0.note(key) }
        memory.write(key, head, body: body)
        try disk.write(key, head, body: body)
    }

    /// Replaces the head of an entry in both.
    public func update(_ key: CacheKey, _ head: CacheHead) throws {
        changes.withLock { $0.note(key) }
        memory.update(key, head)
        try disk.update(key, head)
    }

    /// Forgets the entry of a key in both.
    public func remove(_ key: CacheKey) throws {
        changes.withLock { $0.note(key) }
        memory.remove(key)
        try disk.remove(key)
    }

    /// Forgets everything.
    public func removeAll() throws {
        changes.withLock { $0.noteAll() }
        memory.removeAll()
        try disk.removeAll()
    }

    /// How much both keep: the larger number of entries, and the bytes of memory and disk.
    public var statistics: CacheStoreStatistics {
        let (fast, slow) = (memory.statistics, disk.statistics)
        return CacheStoreStatistics(
            entryCount: max(fast.entryCount, slow.entryCount),
            byteCount: fast.byteCount + slow.byteCount,
            evictions: fast.evictions + slow.evictions
        )
    }
}

/// Hands a body to two writers; each may give up alone.
private struct TieredCacheWriter: CacheWriter {
    let fast: any CacheWriter
    let slow: any CacheWriter

    func append(_ chunk: Data) async throws {
        try await fast.append(chunk)
        do {
            try await slow.append(chunk)
        } catch {
            slow.abort()
        }
    }

    func commit() async throws {
        do {
            try await slow.commit()
        } catch {
            slow.abort()
        }
        try await fast.commit()
    }

    func abort() {
        fast.abort()
        slow.abort()
    }
}
