public import Foundation

/// A store in memory, bounded by bytes and by the number of entries.
///
/// Entries that are used again stay, and entries that were used once are removed first, so that reading many URLs once
/// does not empty the cache. The bound includes bodies, header fields and bookkeeping. An entry larger than a quarter
/// of the bound is not kept.
public final class MemoryCacheStore: PromptCacheStore {
    /// The maximum number of bytes.
    public let maxBytes: Int
    /// The maximum number of entries.
    public let maxEntries: Int
    /// The secret of this store, which is not persistent.
    public let secret: CacheHashKey

    private struct Entry: Sendable {
        var record: CacheRecord
        /// The number of the exchange that wrote it.
        var exchange: UInt64
    }

    private struct State: ~Copyable {
        var table: EvictionTable<Entry>
        var order = WriteOrder()

        /// Returns the entries that made room, after noting that no earlier exchange may take the place of one.
        mutating func noting(_ gone: [(key: CacheKey, value: Entry)]) -> [(key: CacheKey, value: Entry)] {
            for (key, entry) in gone where entry.exchange > 0 && table.peek(key) == nil {
                order.replace(key, by: entry.exchange)
            }
            return gone
        }
    }

    private let state: Locked<State>

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - maxBytes: The maximum number of bytes.
    ///   - maxEntries: The maximum number of entries.
    ///   - secret: The secret from which keys are made; a new one by default.
    public init(maxBytes: Int = 64 << 20, maxEntries: Int = 1_000_000, secret: CacheHashKey = CacheHashKey()) {
        self.maxBytes = max(0, maxBytes)
        self.maxEntries = max(0, maxEntries)
        self.secret = secret
        state = Locked(State(table: EvictionTable(maxCost: maxBytes, maxEntries: maxEntries)))
    }

    /// Returns the entry of a key, or `nil`.
    public func read(_ key: CacheKey) -> CacheRecord? {
        state.withLock { $0.table.use(key)?.record }
    }

    /// Returns a token for an exchange that begins now.
    public func token(for key: CacheKey) -> CacheWriteToken {
        state.withLock { Self.issueToken(for: key, &$0) }
    }

    private static func issueToken(for key: CacheKey, _ state: inout State) -> CacheWriteToken {
        CacheWriteToken(number: state.order.begin(), generation: state.order.lastChange(of: key.resource))
    }

    /// Begins to write an entry.
    ///
    /// Returns `nil` for a body that is known to be too large, and removes the entry that it would replace.
    public func write(
        _ key: CacheKey,
        _ head: CacheHead,
        length: Int64?,
        token: CacheWriteToken? = nil
    ) -> (any CacheWriter)? {
        if let length, length > Int64(maxBytes / 4) {
            remove(key, token: token)
            return nil
        }
        return MemoryCacheWriter(self, key, head, length: length, token: token)
    }

    /// Writes an entry, and returns whether it is kept; one that is too large removes the entry that it would replace.
    @discardableResult
    public func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken? = nil) -> Bool {
        // A slice would keep more than its own bytes.
        let own = body.startIndex == 0 ? body : Data(body)
        let entry = Entry(record: CacheRecord(head: head, body: .data(own)), exchange: token?.number ?? 0)
        let (gone, isKept) = state.withLock { state -> ([(key: CacheKey, value: Entry)], Bool) in
            if let token, !Self.admits(key, token, state) { return ([], false) }
            let gone = state.noting(state.table.insert(key, entry, cost: Self.cost(head, bodyCount: own.count)))
            return (gone, state.table.peek(key) != nil)
        }
        // The removed entries are freed here, outside the lock.
        _ = consume gone
        return isKept
    }

    /// Adds an entry from a slower store, unless one was written meanwhile.
    func promote(_ key: CacheKey, _ record: CacheRecord, token: CacheWriteToken) {
        guard let count = record.body.data?.count else { return }
        let gone = state.withLock { state -> [(key: CacheKey, value: Entry)] in
            guard state.table.peek(key) == nil, Self.admits(key, token, state) else { return [] }
            let cost = Self.cost(record.head, bodyCount: count)
            return state.noting(state.table.insert(key, Entry(record: record, exchange: 0), cost: cost))
        }
        _ = consume gone
    }

    /// Returns the memory that an entry takes; 64 bytes are its part of the table.
    private static func cost(_ head: CacheHead, bodyCount: Int) -> Int { head.memoryCost + bodyCount + 64 }

    /// Returns whether the exchange of a token may still write.
    private static func admits(_ key: CacheKey, _ token: CacheWriteToken, _ state: borrowing State) -> Bool {
        guard state.order.admits(key, begunAt: token.number) else { return false }
        return state.table.peek(key).map { $0.exchange <= token.number } ?? true
    }

    /// Replaces the head of an entry that still has the body that the head belongs to.
    public func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken? = nil) {
        let gone = state.withLock { state -> [(key: CacheKey, value: Entry)] in
            guard let entry = state.table.peek(key) else {
                // A slower store may have the entry, and no earlier exchange may come before it.
                if let token { state.order.replace(key, by: token.number) }
                return []
            }
            guard entry.record.head.bodyID == head.bodyID else { return [] }
            if let token, !Self.admits(key, token, state) { return [] }
            let body = entry.record.body
            let newer = Entry(record: CacheRecord(head: head, body: body), exchange: token?.number ?? entry.exchange)
            return state.noting(state.table.insert(key, newer, cost: Self.cost(head, bodyCount: Int(body.length))))
        }
        _ = consume gone
    }

    /// Removes the entry of a key, unless a later exchange than the token's has written it.
    public func remove(_ key: CacheKey, token: CacheWriteToken? = nil) {
        let gone = state.withLock { state -> Entry? in
            if let token {
                state.order.replace(key, by: token.number)
                if let entry = state.table.peek(key), entry.exchange > token.number { return nil }
            }
            let removed = state.table.remove(key)
            // An earlier exchange must not write it again.
            if let removed, removed.exchange > 0 { state.order.replace(key, by: removed.exchange) }
            return removed
        }
        _ = consume gone
    }

    /// Removes all entries of a URL, and refuses writes with an earlier token.
    public func invalidate(_ resource: CacheResource) {
        let gone = state.withLock { state in
            state.order.invalidate(resource)
            return state.table.removeAll(of: resource)
        }
        _ = consume gone
    }

    /// Removes all entries of a key's URL, and returns a token for an entry that takes their place.
    ///
    /// It is `nil` if the URL was invalidated, or all entries were removed, after the token was issued.
    public func invalidate(_ key: CacheKey, since token: CacheWriteToken) async -> CacheWriteToken? {
        // A synchronous function would lose to the protocol's default in asynchronous code.
        let (gone, renewed) = state.withLock { state -> ([(key: CacheKey, value: Entry)], CacheWriteToken?) in
            let isUnchanged = state.order.isUnchanged(key.resource, since: token.number)
            state.order.invalidate(key.resource)
            let gone = state.table.removeAll(of: key.resource)
            return (gone, isUnchanged ? Self.issueToken(for: key, &state) : nil)
        }
        _ = consume gone
        return renewed
    }

    /// Removes all entries.
    public func removeAll() {
        let gone = state.withLock { state in
            state.order.invalidateAll()
            return state.table.removeAll()
        }
        _ = consume gone
    }

    /// The size of the store, and the number of evictions.
    public var statistics: CacheStoreStatistics { state.withLock { $0.table.statistics } }

    /// Reserves room for bytes that are being written; returns `false` if there is none.
    func reserve(_ count: Int) -> Bool {
        let gone = state.withLock { state -> [(key: CacheKey, value: Entry)]? in
            guard let gone = state.table.reserve(count) else { return nil }
            return state.noting(gone)
        }
        return gone != nil
    }

    func release(_ count: Int) {
        state.withLock { $0.table.unreserve(count) }
    }
}

/// Collects the body of an entry.
private final class MemoryCacheWriter: CacheWriter {
    private struct State: ~Copyable {
        var body = Data()
        var reserved = 0
        var isOver = false
        var isTooLarge = false
    }

    private let store: MemoryCacheStore
    private let key: CacheKey
    private let head: CacheHead
    private let token: CacheWriteToken?
    private let state = Locked(State())

    init(_ store: MemoryCacheStore, _ key: CacheKey, _ head: CacheHead, length: Int64?, token: CacheWriteToken?) {
        (self.store, self.key, self.head, self.token) = (store, key, head, token)
        // The length that a peer announces must not decide how much memory is reserved.
        if let length { state.withLock { $0.body.reserveCapacity(Int(min(length, 1 << 20))) } }
    }

    deinit { abort() }

    func append(_ chunk: Data) {
        let limit = store.maxBytes / 4
        let (isOver, size) = state.withLock { ($0.isOver, $0.body.count) }
        guard !isOver else { return }
        guard chunk.count <= limit - size, store.reserve(chunk.count) else { return giveUp() }
        let isTaken = state.withLock { state in
            guard !state.isOver else { return false }
            state.body.append(chunk)
            state.reserved += chunk.count
            return true
        }
        // It was aborted meanwhile, and has given back what it had reserved.
        if !isTaken { store.release(chunk.count) }
    }

    func commit() -> Bool {
        guard let body = end() else {
            // The existing entry is older than the one that was too large.
            if state.withLock({ $0.isTooLarge }) { store.remove(key, token: token) }
            return false
        }
        // A copy without spare capacity.
        return store.write(key, head, body: body.withUnsafeBytes { Data($0) }, token: token)
    }

    private func giveUp() {
        abort()
        state.withLock { $0.isTooLarge = true }
    }

    func abort() { _ = end() }

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
