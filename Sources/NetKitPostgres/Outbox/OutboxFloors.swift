import NetKit

/// The positions below which shards have no entry in line, so that a listing need not look there.
///
/// Deleted rows stay in the table as long as any transaction of the server could see them, and a listing would read all
/// of them again each time. The floor of a shard comes from two of its listings. It is the lowest position of the first
/// one, and holds if every transaction that could have inserted a row below it was over at the second one. A
/// transaction gets its number before its first row gets a position, and entries that come back into line are marked.
struct OutboxFloors {
    private struct Shard {
        var floor: Int64 = 0
        /// The lowest position of an earlier listing, which is the floor once the transactions before `horizon` are
        /// over.
        var coming: Int64 = 0
        var horizon: Int64 = 0
    }

    /// The number of listings of all entries after which each shard was listed from the beginning on.
    private static let turns = 12

    private var shards: [Int: Shard] = [:]
    /// The greatest position that was seen.
    private var latest: Int64 = 0
    /// The number of the next transaction at the latest listing.
    private var next: Int64 = 0
    /// A number that every change raises.
    private var generation = 0
    /// The number of listings of all entries.
    private var turn = 0

    /// Returns the position from which the entries of a shard have to be listed.
    func floor(of shard: Int) -> Int64 { shards[shard]?.floor ?? 0 }

    /// Returns the floors for a listing of all entries, in which each shard has its turn to be listed from the
    /// beginning on.
    ///
    /// It finds rows that came in another way than through the functions of the schema.
    mutating func forAll() -> OutboxFloors {
        turn += 1
        var floors = self
        for shard in shards.keys where shard % Self.turns == turn % Self.turns { floors.shards[shard] = nil }
        return floors
    }

    /// Merges a listing of some shards, in order, from their floors or from the beginning on.
    ///
    /// If the floors have changed since those of the listing, nothing follows from it.
    mutating func merge(
        _ lines: [OfflineListedEntry],
        of listed: [Int],
        at transactions: Transactions,
        since before: OutboxFloors
    ) {
        guard before.generation == generation else { return }
        // A server that has lost transactions may use positions again.
        if transactions.next < next { reset() }
        generation += 1
        next = transactions.next
        let before = latest
        var lowest: [Int: Int64] = [:]
        for line in lines {
            latest = max(latest, line.entry.position)
            if lowest[line.entry.shard] == nil { lowest[line.entry.shard] = line.entry.position }
        }
        for number in listed {
            var shard = shards[number] ?? Shard()
            let isDue = transactions.oldest >= shard.horizon
            if isDue { shard.floor = shard.coming }
            if let lowest = lowest[number] { shard.floor = min(shard.floor, lowest) }
            if isDue { (shard.coming, shard.horizon) = (lowest[number] ?? before, transactions.next) }
            shards[number] = shard
        }
    }

    /// Forgets everything.
    mutating func reset() {
        let (generation, turn) = (generation + 1, turn)
        self = OutboxFloors()
        (self.generation, self.turn) = (generation, turn)
    }
}

extension OutboxFloors {
    /// The numbers of transactions at the time of a listing.
    struct Transactions {
        /// The number before which every transaction is over.
        var oldest: Int64
        /// A number that no transaction had yet.
        var next: Int64
    }
}
