/// A table with a bounded number of entries, which evicts the least recently used one to make room.
///
/// State per host or per caller is kept in such a table, so that memory depends on the bound and not on the peers.
/// Lookup, insertion and eviction take constant time.
struct RecentTable<Key: Hashable, Value> {
    private static var none: Int { -1 }

    /// The maximum number of entries.
    let maxCount: Int
    private var places: [Key: Int] = [:]
    /// The entries, with the places of their neighbors in the order of use; `none` at the ends.
    private var entries: [(key: Key, value: Value, newer: Int, older: Int)] = []
    private var newest = Self.none
    private var oldest = Self.none

    /// Creates an empty table; a maximum below 1 is 1.
    init(maxCount: Int) { self.maxCount = max(1, maxCount) }

    /// The number of entries.
    var count: Int { entries.count }

    /// The keys, most recently used first.
    var keys: [Key] {
        var keys: [Key] = []
        var place = newest
        while place != Self.none {
            keys.append(entries[place].key)
            place = entries[place].older
        }
        return keys
    }

    /// The value that was used least recently.
    var leastRecent: Value? { oldest == Self.none ? nil : entries[oldest].value }

    /// The value of a key; reading it does not count as use.
    subscript(_ key: Key) -> Value? {
        place(of: key).map { entries[$0].value }
    }

    /// Calls a function that can read and change the value of a key, which becomes the most recently used one.
    ///
    /// A missing key is added with the initial value; if the table is full, the least recently used key makes room for
    /// it.
    mutating func withValue<Result, Failure: Error>(
        of key: Key,
        default makeValue: @autoclosure () -> Value,
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let place = place(of: key) ?? add(key, makeValue())
        moveToFront(place)
        return try body(&entries[place].value)
    }

    /// Calls a function that can read and change the value of an existing key, without counting as use; `nil` without
    /// one.
    mutating func withExistingValue<Result, Failure: Error>(
        of key: Key,
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let place = place(of: key) else { return nil }
        return try body(&entries[place].value)
    }

    /// Removes an entry, and returns its value.
    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        let removed = entries[place]
        guard let last = entries.popLast(), place < entries.count else { return removed.value }
        // The last entry takes the free place, so that the entries stay without gaps.
        entries[place] = last
        places[last.key] = place
        if last.newer == Self.none { newest = place } else { entries[last.newer].older = place }
        if last.older == Self.none { oldest = place } else { entries[last.older].newer = place }
        return removed.value
    }

    private func place(of key: Key) -> Int? {
        // The same key several times in a row is the common case, and needs no hashing.
        if newest != Self.none, entries[newest].key == key { return newest }
        return places[key]
    }

    private mutating func add(_ key: Key, _ value: Value) -> Int {
        if entries.count < maxCount {
            entries.append((key, value, newer: Self.none, older: newest))
            let place = entries.count - 1
            if newest == Self.none { oldest = place } else { entries[newest].newer = place }
            newest = place
            places[key] = place
            return place
        }
        let place = oldest
        places.removeValue(forKey: entries[place].key)
        entries[place].key = key
        entries[place].value = value
        places[key] = place
        return place
    }

    private mutating func moveToFront(_ place: Int) {
        guard place != newest else { return }
        unlink(place)
        entries[place].newer = Self.none
        entries[place].older = newest
        if newest == Self.none { oldest = place } else { entries[newest].newer = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (entries[place].newer, entries[place].older)
        if newer == Self.none { newest = older } else { entries[newer].older = older }
        if older == Self.none { oldest = newer } else { entries[older].newer = newer }
    }
}

extension RecentTable: Sendable where Key: Sendable, Value: Sendable {}
