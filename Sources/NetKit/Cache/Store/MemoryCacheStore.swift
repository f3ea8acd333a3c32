public import Foundation

/// A store in memory, bounded by bytes and by the number of entries.
///
/// What is used again stays; what was asked for once goes first, so that reading through many URLs does not empty the cache.
/// The bytes are those of bodies, header fields and bookkeeping. An entry larger than a quarter of the bound is not kept.
public final class MemoryCacheStore: PromptCacheStore {
    /// How many bytes are kept at most.
    public let byteLimit: Int
    /// How many entries are kept at most.
    public let entryLimit: Int
    /// The secret of this store, which ends with it.
    public let secret: CacheHashKey

    private struct State {
        var table: EvictionTable<CacheRecord>
        /// The bytes of bodies that are being written.
        var pendingBytes = 0
    }

    private let state: Locked<State>

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - byteLimit: How many bytes are kept at most.
    ///   - entryLimit: How many entries are kept at most.
    ///   - secret: The secret from which keys are made; a new one unless given.
    public init(byteLimit: Int = 64 << 20, entryLimit: Int = 1_000_000, secret: CacheHashKey = CacheHashKey()) {
        self.byteLimit = max(0, byteLimit)
        self.entryLimit = max(0, entryLimit)
        self.secret = secret
        state = Locked(State(table: EvictionTable(costLimit: byteLimit, countLimit: entryLimit)))
    }

    /// The entry of a key, or nil.
    public func read(_ key: CacheKey) -> CacheRecord? {
        state.withLock { $0.table.use(key) }
    }

    /// Begins to write an entry; nil for a body that is known to be too large.
    public func write(_ key: CacheKey, _ head: CacheHead, length: Int64?) -> (any CacheWriter)? {
        if let length, length > Int64(byteLimit / 4) { return nil }
        return MemoryCacheWriter(self, key, head, length: length)
    }

    /// Writes an entry.
    public func write(_ key: CacheKey, _ head: CacheHead, body: Data) {
        // A slice, or bytes in a buffer with room to grow, would keep more than they are.
        let own = body.startIndex == 0 ? body : Data(body)
        let record = CacheRecord(head: head, body: .data(own))
        let gone = state.withLock { $0.table.insert(key, record, cost: head.memoryCost + own.count + 64) }
        // What had to go is freed here, outside the lock.
        _ = consume gone
    }

    /// Replaces the head of an entry that still has the body that the head belongs to.
    public func update(_ key: CacheKey, _ head: CacheHead) {
        let gone = state.withLock { state -> [(key: CacheKey, value: CacheRecord)] in
            guard let record = state.table.peek(key), record.head.bodyID == head.bodyID else { return [] }
            let cost = head.memoryCost + Int(record.body.length) + 64
            return state.table.insert(key, CacheRecord(head: head, body: record.body), cost: cost)
        }
        _ = consume gone
    }

    /// Forgets the entry of a key.
    public func remove(_ key: CacheKey) {
        let gone = state.withLock { $0.table.remove(key) }
        _ = consume gone
    }

    /// Forgets everything.
    public func removeAll() {
        let (byteLimit, entryLimit) = (byteLimit, entryLimit)
        let gone = state.withLock { state in
            let old = state.table
            state.table = EvictionTable(costLimit: byteLimit, countLimit: entryLimit)
            return old
        }
        _ = consume gone
    }

    /// How much is kept, and how much had to go.
    public var statistics: CacheStoreStatistics {
        state.withLock { state in
            CacheStoreStatistics(
                entryCount: state.table.count,
                byteCount: Int64(state.table.cost),
                evictions: state.table.evictions
            )
        }
    }

    /// Sets room aside for bytes that are being written; false where there is none.
    func reserve(_ count: Int) -> Bool {
        let limit = byteLimit / 2
        return state.withLock { state in
            guard count <= limit - state.pendingBytes else { return false }
            state.pendingBytes += count
            return true
        }
    }

    func release(_ count: Int) {
        state.withLock { $0.pendingBytes -= count }
    }
}

/// Collects the body of an entry.
private final class MemoryCacheWriter: CacheWriter {
    private struct State {
        var body = Data()
        var reserved = 0
        var isOver = false
    }

    private let store: MemoryCacheStore
    private let key: CacheKey
    private let head: CacheHead
    private let state = Locked(State())

    init(_ store: MemoryCacheStore, _ key: CacheKey, _ head: CacheHead, length: Int64?) {
        (self.store, self.key, self.head) = (store, key, head)
        // A peer that says how much is coming does not decide how much memory is set aside.
        if let length { state.withLock { $0.body.reserveCapacity(Int(min(length, 1 << 20))) } }
    }

    deinit { abort() }

    func append(_ chunk: Data) {
        let limit = store.byteLimit / 4
        let (isOver, size) = state.withLock { ($0.isOver, $0.body.count) }
        guard !isOver else { return }
        guard chunk.count <= limit - size, store.reserve(chunk.count) else { return abort() }
        state.withLock { state in
            state.body.append(chunk)
            state.reserved += chunk.count
        }
    }

    func commit() {
        guard let body = end() else { return }
        // Without the room that was left to grow into.
        store.write(key, head, body: body.withUnsafeBytes { Data($0) })
    }

    func abort() {
        _ = end()
    }

    private func end() -> Data? {
        let (body, reserved) = state.withLock { state -> (Data?, Int) in
            guard !state.isOver else { return (nil, 0) }
            defer { state = State(isOver: true) }
            return (state.body, state.reserved)
        }
        if reserved > 0 { store.release(reserved) }
        return body
    }
}
