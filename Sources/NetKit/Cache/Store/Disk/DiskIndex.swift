/// An index in memory of the files of a disk store, to find those to remove.
struct DiskIndex: ~Copyable, Sendable {
    /// The file of an entry.
    typealias File = (key: CacheKey, size: Int64)

    private struct Entry: Sendable {
        /// The number of bytes of the file.
        let size: Int64
        /// Whether this process has found the body to be whole.
        var isVerified: Bool
        /// The number of the exchange that wrote it; 0 for one of another process.
        var exchange: UInt64 = 0
    }

    /// The size of a block; files take whole blocks.
    private static let blockSize: Int64 = 4096

    private let maxBytes: Int64
    private let maxEntries: Int
    private var table: EvictionTable<Entry>
    var order = WriteOrder()
    private var isScanned = false
    /// Whether all files are being removed; those that are written meanwhile stay.
    private var isRemovingAll = false
    private var writtenSinceScan: Int64 = 0
    /// The keys of entries that were added or removed while the folder is being listed.
    private var changed: Set<CacheKey>?

    init(maxBytes: Int64, maxEntries: Int) {
        self.maxBytes = maxBytes
        self.maxEntries = maxEntries
        table = EvictionTable(maxCost: Int(clamping: maxBytes), maxEntries: maxEntries)
    }

    var statistics: CacheStoreStatistics { table.statistics }

    /// Returns `true` the first time, and again after a listing that failed.
    mutating func takeFirstScan() -> Bool { !exchange(&isScanned, with: true) }

    /// Notes that the folder is about to be listed.
    mutating func beginScan() { changed = [] }

    /// Notes that the folder could not be listed, so that it is tried again with the next use.
    mutating func abandonScan() { (changed, isScanned) = (nil, false) }

    /// The number of changes that are kept while the folder is being listed.
    var keptChanges: Int { changed?.count ?? 0 }

    func contains(_ key: CacheKey) -> Bool { table.peek(key) != nil }

    /// Notes a use, and returns whether the body is known to be whole.
    mutating func use(_ key: CacheKey) -> Bool { table.use(key)?.isVerified ?? false }

    /// Notes that an entry was read and found whole; if another process wrote it, returns the entries to remove for it.
    mutating func noteRead(_ key: CacheKey, size: Int64) -> [File] {
        let gone = table.peek(key) == nil && !isRemovingAll ? inserting(key, size) : []
        set(key, isVerified: true)
        return gone
    }

    /// Notes whether the body of an entry is known to be whole.
    mutating func set(_ key: CacheKey, isVerified: Bool) {
        guard var entry = table.peek(key) else { return }
        entry.isVerified = isVerified
        table.replaceValue(of: key, entry)
    }

    /// Returns whether this process allows an exchange to write.
    func admits(_ key: CacheKey, _ token: CacheWriteToken?) -> Bool {
        guard let token else { return true }
        return order.admits(key, begunAt: token.number) && !isNewer(key, than: token)
    }

    /// Returns whether a later exchange has written the entry.
    func isNewer(_ key: CacheKey, than token: CacheWriteToken) -> Bool {
        (table.peek(key)?.exchange ?? 0) > token.number
    }

    /// Removes the entries of a URL, and refuses writes that began before.
    mutating func invalidate(_ resource: CacheResource) -> [CacheKey] {
        order.invalidate(resource)
        let gone = table.removeAll(of: resource).map(\.key)
        changed?.formUnion(gone)
        return gone
    }

    /// Adds an entry that was written; returns the entries to remove for it, and whether to list the folder again.
    mutating func insert(_ key: CacheKey, size: Int64, exchange: UInt64) -> (gone: [File], needsScan: Bool) {
        writtenSinceScan += size
        let needsScan = writtenSinceScan > maxBytes / 16
        if needsScan { writtenSinceScan = 0 }
        return (inserting(key, size, exchange), needsScan)
    }

    /// Updates the size of an entry, and returns the entries to remove for it.
    mutating func resize(_ key: CacheKey, to size: Int64, exchange: UInt64?) -> [File] {
        table.peek(key).map { inserting(key, size, exchange ?? $0.exchange) } ?? []
    }

    private mutating func inserting(_ key: CacheKey, _ size: Int64, _ exchange: UInt64 = 0) -> [File] {
        changed?.insert(key)
        let wasThere = table.peek(key) != nil
        let entry = Entry(size: size, isVerified: false, exchange: exchange)
        var gone = table.insert(key, entry, cost: Self.cost(size))
        // The replaced file is gone already.
        if wasThere, table.peek(key) != nil { gone.removeAll { $0.key == key } }
        return files(of: gone)
    }

    /// Returns the files of entries that have left the table, and notes the change.
    ///
    /// An earlier exchange must not write such an entry again.
    private mutating func files(of gone: [(key: CacheKey, value: Entry)]) -> [File] {
        changed?.formUnion(gone.map(\.key))
        for (key, entry) in gone where entry.exchange > 0 { order.replace(key, by: entry.exchange) }
        return gone.map { ($0.key, $0.value.size) }
    }

    /// Adds an entry again whose file could not be removed, even beyond the bounds.
    mutating func restore(_ file: File) {
        changed?.insert(file.key)
        table.restore(file.key, Entry(size: file.size, isVerified: false), cost: Self.cost(file.size))
    }

    /// Removes an entry, which an earlier exchange must not write again.
    mutating func remove(_ key: CacheKey) {
        changed?.insert(key)
        guard let entry = table.remove(key), entry.exchange > 0 else { return }
        order.replace(key, by: entry.exchange)
    }

    mutating func beginRemovingAll() {
        order.invalidateAll()
        _ = table.removeAll()
        isRemovingAll = true
    }

    mutating func endRemovingAll() { isRemovingAll = false }

    /// Reserves room; returns the entries to remove for it, or `nil` if too much is reserved already.
    mutating func reserve(_ count: Int64) -> [File]? {
        guard let gone = table.reserve(Int(clamping: count)) else { return nil }
        return files(of: gone)
    }

    mutating func release(_ count: Int64) { table.unreserve(Int(clamping: count)) }

    /// Adds the files that were found in the folder, except those that changed meanwhile.
    ///
    /// Returns the entries to remove, so that the bounds hold.
    mutating func merge(_ found: [File]) -> [File] {
        let changed = self.changed.take() ?? []
        let existing = Set(found.map(\.key))
        for key in table.keys where !existing.contains(key) && !changed.contains(key) { remove(key) }
        var gone: [File] = []
        for (key, size) in found where !changed.contains(key) {
            let known = table.peek(key)
            // Another process may have replaced the file of an entry, or added a newer head to it.
            if known?.size != size { gone += inserting(key, size, known?.exchange ?? 0) }
        }
        return gone
    }

    /// Returns the cost of a file in whole blocks; the memory of the table is not counted.
    private static func cost(_ size: Int64) -> Int {
        let blocks = (max(0, min(size, .max - blockSize)) + blockSize - 1) / blockSize
        return Int(clamping: blocks * blockSize) - EvictionTable<Entry>.overhead
    }
}
