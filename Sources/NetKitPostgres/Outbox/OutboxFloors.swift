import NetKit

/// The positions below which shards have no entry in line, so that a listing need not look there.
///
/// Deleted rows stay in the table as long as any transaction of the server could see them, and a listing would read all of
/// them again each time. A floor comes from two listings of all entries. It is the lowest position of the first listing, and
/// holds once every transaction that could have inserted a row below it is over at the second one. A transaction gets its
/// number before its first row gets a position.
struct OutboxFloors {
    private var floors: [Int: Int64] = [:]
    /// The lowest positions of the latest listing, which are floors once the transactions before `horizon` are over.
    private var coming: [Int: Int64] = [:]
    private var horizon: Int64 = 0
    /// The greatest position that was seen.
    private var latest: Int64 = 0

    /// Returns the position from which the entries of a shard have to be listed.
    func floor(of shard: Int) -> Int64 { floors[shard] ?? 0 }

    /// Takes in a listing of some shards from their floors on.
    mutating func takeSome(_ lines: [OfflineLine]) {
        for line in lines { latest = max(latest, line.entry.position) }
    }

    /// Takes in a listing of all entries of some shards, in order.
    mutating func takeAll(_ lines: [OfflineLine], of shards: [Int], at transactions: Transactions) {
        // The server has lost transactions, and so may use positions again.
        if transactions.next < horizon { self = OutboxFloors() }
        var lowest: [Int: Int64] = [:]
        for line in lines where lowest[line.entry.shard] == nil { lowest[line.entry.shard] = line.entry.position }
        let before = latest
        takeSome(lines)
        let isDue = transactions.oldest >= horizon
        let floors = isDue ? coming : floors
        self.floors = [:]
        for shard in shards { self.floors[shard] = floors[shard].map { min($0, lowest[shard] ?? $0) } }
        guard isDue else { return }
        horizon = transactions.next
        coming = Dictionary(uniqueKeysWithValues: shards.map { ($0, lowest[$0] ?? before) })
    }

    /// Forgets the floors of shards that have got other entries than new ones.
    mutating func forget(_ shards: some Sequence<Int>) {
        for shard in shards { (floors[shard], coming[shard]) = (nil, nil) }
    }
}

extension OutboxFloors {
    /// The numbers of transactions at the time of a listing.
    struct Transactions: Equatable {
        /// The number before which every transaction is over.
        var oldest: Int64
        /// The number of the next transaction.
        var next: Int64

        init(oldest: Int64, next: Int64) { (self.oldest, self.next) = (oldest, next) }

        /// Reads the text of a `pg_snapshot`.
        init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).prefix(2).map { Int64($0) }
            guard parts.count == 2, let oldest = parts[0], let next = parts[1] else { return nil }
            self.init(oldest: oldest, next: next)
        }
    }
}
