/// A binary heap of members in the order of their rank, which tracks the place of each member.
///
/// The lowest rank comes first. Any member can be removed. Insertion and removal take logarithmic time.
package struct RankedHeap<Name: Hashable, Rank: Comparable, Member> {
    private var entries: [(name: Name, rank: Rank, member: Member)] = []
    private var places: [Name: Int] = [:]

    package init() {}

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    /// The rank of the first member.
    package var firstRank: Rank? { entries.first?.rank }

    /// Returns whether any member has a matching rank.
    func contains(where isMatching: (Rank) -> Bool) -> Bool {
        entries.contains { isMatching($0.rank) }
    }

    /// Returns the number of members with a matching rank.
    func count(where isMatching: (Rank) -> Bool) -> Int {
        entries.reduce(0) { $0 + (isMatching($1.rank) ? 1 : 0) }
    }

    /// Returns the names of the matching members in the order of their rank, with the number of members before each.
    ///
    /// The members are only sorted if there is a matching one.
    func positions(where isMatching: (Member) -> Bool) -> [(name: Name, index: Int)] {
        guard entries.contains(where: { isMatching($0.member) }) else { return [] }
        return entries.sorted { $0.rank < $1.rank }.enumerated().compactMap { index, entry in
            isMatching(entry.member) ? (name: entry.name, index: index) : nil
        }
    }

    /// Returns the rank of a member.
    func rank(of name: Name) -> Rank? { places[name].map { entries[$0].rank } }

    /// Adds a member, and removes one of the same name first.
    package mutating func insert(_ name: Name, rank: Rank, _ member: Member) {
        remove(name)
        entries.append((name, rank, member))
        places[name] = entries.count - 1
        siftUp(entries.count - 1)
    }

    /// Removes and returns the first member.
    package mutating func popFirst() -> (name: Name, member: Member)? {
        guard let first = entries.first else { return nil }
        remove(first.name)
        return (first.name, first.member)
    }

    /// Removes and returns a member.
    @discardableResult
    package mutating func remove(_ name: Name) -> Member? {
        // Even an empty dictionary would hash the name.
        guard !places.isEmpty, let place = places.removeValue(forKey: name) else { return nil }
        let removed = entries[place]
        guard let last = entries.popLast(), place < entries.count else { return removed.member }
        entries[place] = last
        places[last.name] = place
        siftUp(place)
        siftDown(place)
        return removed.member
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].rank < entries[parent].rank else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < entries.count else { return }
            let right = left + 1
            let child = right < entries.count && entries[right].rank < entries[left].rank ? right : left
            guard entries[child].rank < entries[index].rank else { return }
            swap(index, child)
            index = child
        }
    }

    // Not inlined: for each type, the dictionary's code would be repeated in both functions above.
    @inline(never)
    private mutating func swap(_ one: Int, _ other: Int) {
        entries.swapAt(one, other)
        places[entries[one].name] = one
        places[entries[other].name] = other
    }
}
