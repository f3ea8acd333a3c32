/// The files of a store on disk, in memory, to find the ones that have to go.
struct DiskIndex: Sendable {
    private struct Entry: Sendable {
        /// Whether the body was found to be whole since this process began.
        var isVerified: Bool
        /// The number of the exchange that brought it; 0 for one of another process.
        var exchange: UInt64 = 0
    }

    /// Files take whole blocks.
    private static let blockSize: Int64 = 4096

    private let maxBytes: Int64
    private let maxEntries: Int
    private var table: EvictionTable<Entry>
    var order = WriteOrder()
    private var isScanned = false
    private var pendingBytes: Int64 = 0
    private var writtenSinceScan: Int64 = 0
    /// The keys of entries that came or went while the folder is being listed.
    private var changed: Set<CacheKey>?

    init(maxBytes: Int64, maxEntries: Int) {
        self.maxBytes = maxBytes
        self.maxEntries = maxEntries
        table = Self.table(maxBytes, maxEntries)
    }

    private static func table(_ maxBytes: Int64, _ maxEntries: Int) -> EvictionTable<Entry> {
        EvictionTable(maxCost: Int(clamping: maxBytes), maxEntries: maxEntries)
    }

    var statistics: CacheStoreStatistics {
        CacheStoreStatistics(
            entryCount: table.count,
            byteCount: Int64(table.cost) + pendingBytes,
            evictions: table.evictions
        )
    }

    /// Returns `true` the first time.
    mutating func takeFirstScan() -> Bool {
        defer { isScanned = true }
        return !isScanned
    }

    /// Notes that the folder is about to be listed.
    mutating func beginScan() {
        changed = []
    }

    func contains(_ key: CacheKey) -> Bool { table.peek(key) != nil }

    /// Notes a use, and says whether the body is known to be whole.
    mutating func use(_ key: CacheKey) -> Bool { table.use(key)?.isVerified ?? false }

    /// Notes that an entry was read and found whole; where another process wrote it, what has to go for it.
    mutating func noteRead(_ key: CacheKey, size: Int64) -> [CacheKey] {
        let gone = table.peek(key) == nil ? inserting(key, size) : []
        table.replaceValue(of: key, Entry(isVerified: true, exchange: table.peek(key)?.exchange ?? 0))
        return gone
    }

    /// Whether an exchange may still write, as far as this process knows.
    func admits(_ key: CacheKey, _ token: CacheWriteToken?) -> Bool {
        guard let token else { return true }
        return order.admits(key, begunAt: token.number) && !isNewer(key, than: token)
    }

    /// Whether a later exchange has written the entry.
    func isNewer(_ key: CacheKey, than token: CacheWriteToken) -> Bool {
        (table.peek(key)?.exchange ?? 0) > token.number
    }

    /// Takes the entries of a URL out, and refuses what was begun before.
    mutating func invalidate(_ resource: CacheResource) -> [CacheKey] {
        order.invalidate(resource)
        let gone = table.removeAll(of: resource).map(\.key)
        changed?.formUnion(gone)
        return gone
    }

    /// Adds an entry that was written: what has to go for it, and whether it is time to look what others wrote.
    mutating func insert(_ key: CacheKey, size: Int64, exchange: UInt64) -> (gone: [CacheKey], isDue: Bool) {
        writtenSinceScan += size
        let isDue = writtenSinceScan > maxBytes / 16
        if isDue { writtenSinceScan = 0 }
        return (inserting(key, size, exchange), isDue)
    }

    /// Counts an entry that has grown.
    mutating func resize(_ key: CacheKey, to size: Int64, exchange: UInt64?) -> [CacheKey] {
        table.peek(key).map { inserting(key, size, exchange ?? $0.exchange) } ?? []
    }

    private mutating func inserting(_ key: CacheKey, _ size: Int64, _ exchange: UInt64 = 0) -> [CacheKey] {
        changed?.insert(key)
        let wasThere = table.peek(key) != nil
        let entry = Entry(isVerified: false, exchange: exchange)
        var gone = table.insert(key, entry, cost: Self.cost(size)).map(\.key)
        // What was replaced is gone already.
        if wasThere, table.peek(key) != nil { gone.removeAll { $0 == key } }
        changed?.formUnion(gone)
        return gone
    }

    mutating func remove(_ key: CacheKey) {
        changed?.insert(key)
        table.remove(key)
    }

    mutating func removeAll() {
        order.invalidateAll()
        table = Self.table(maxBytes, maxEntries)
    }

    /// Sets room aside; what has to go for it, or `nil` if too much is set aside already.
    mutating func reserve(_ count: Int64) -> [CacheKey]? {
        guard count <= maxBytes / 2 - pendingBytes else { return nil }
        pendingBytes += count
        let gone = table.shrink(to: Int(clamping: maxBytes - pendingBytes)).map(\.key)
        changed?.formUnion(gone)
        return gone
    }

    mutating func release(_ count: Int64) {
        pendingBytes -= count
    }

    /// Takes over the files that were found in the folder, but for those that changed meanwhile.
    ///
    /// Returns the keys of the entries that have to go, so that the bounds hold.
    mutating func merge(_ found: [(key: CacheKey, size: Int64)]) -> [CacheKey] {
        let changed = changed ?? []
        self.changed = nil
        let there = Set(found.map(\.key))
        for key in table.keys where !there.contains(key) && !changed.contains(key) { table.remove(key) }
        return found.flatMap { key, size in
            table.peek(key) == nil && !changed.contains(key) ? inserting(key, size) : []
        }
    }

    /// Returns the cost of a file in whole blocks; the memory of the table is not counted.
    private static func cost(_ size: Int64) -> Int {
        let blocks = (max(0, min(size, .max - blockSize)) + blockSize - 1) / blockSize
        return Int(clamping: blocks * blockSize) - EvictionTable<Entry>.overhead
    }
}
