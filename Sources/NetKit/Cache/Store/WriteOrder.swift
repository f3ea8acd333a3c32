/// The order of exchanges, and of the changes that make their responses obsolete.
///
/// Each exchange gets a number when it begins. A change to a URL records the number up to which nothing may be stored.
/// So does a response that replaces another without being kept, and one that is removed to make room. The numbers are
/// in tables of a fixed size. Two names with the same place refuse each other's writes, so a response in doubt is not
/// stored.
struct WriteOrder: Sendable {
    /// The number of places in a table.
    ///
    /// A table takes 128 KiB, from the first change on.
    private static let size = 1 << 14

    /// The number of the last exchange or change.
    private(set) var latest: UInt64 = 0
    private var changes: [UInt64] = []
    private var replacements: [UInt64] = []
    private var lastOfAll: UInt64 = 0

    /// Returns the number of an exchange that begins now.
    mutating func begin() -> UInt64 {
        latest += 1
        return latest
    }

    /// Refuses the exchanges for a URL that have already begun.
    mutating func invalidate(_ resource: CacheResource) {
        latest += 1
        Self.raise(&changes, resource.number, to: latest)
    }

    /// Refuses all exchanges that have already begun.
    mutating func invalidateAll() {
        latest += 1
        lastOfAll = latest
    }

    /// Refuses the exchanges for a key that began before a given one.
    mutating func replace(_ key: CacheKey, by number: UInt64) {
        Self.raise(&replacements, UInt32(truncatingIfNeeded: key.low), to: number)
    }

    /// Returns the number of the latest invalidation of a URL's entries; 0 before the first.
    func lastChange(of resource: CacheResource) -> UInt64 {
        max(lastOfAll, Self.value(changes, resource.number))
    }

    /// Returns whether a URL's entries have not been invalidated since an exchange began.
    func isUnchanged(_ resource: CacheResource, since number: UInt64) -> Bool { lastChange(of: resource) < number }

    /// Returns whether the response of an exchange may be stored.
    func admits(_ key: CacheKey, begunAt number: UInt64) -> Bool {
        isUnchanged(key.resource, since: number)
            && Self.value(replacements, UInt32(truncatingIfNeeded: key.low)) <= number
    }

    private static func value(_ table: [UInt64], _ hash: UInt32) -> UInt64 {
        table.isEmpty ? 0 : table[Int(hash) & (size - 1)]
    }

    private static func raise(_ table: inout [UInt64], _ hash: UInt32, to number: UInt64) {
        if table.isEmpty { table = [UInt64](repeating: 0, count: size) }
        let place = Int(hash) & (size - 1)
        table[place] = max(table[place], number)
    }
}
