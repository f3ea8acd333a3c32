/// When keys were last made invalid, counted in changes: whatever was begun before must not be stored behind it.
struct ChangeLog: Sendable {
    private static let capacity = 4096

    private var changes = RecentTable<CacheKey, UInt64>(capacity: capacity)
    /// How many changes there were so far.
    private(set) var count: UInt64 = 0
    /// The last change that was about every key.
    private var lastOfAll: UInt64 = 0

    mutating func note(_ key: CacheKey) {
        count += 1
        let number = count
        changes.withValue(of: key, default: 0) { $0 = number }
    }

    mutating func noteAll() {
        count += 1
        lastOfAll = count
    }

    /// Whether a key may have been made invalid since; of what was too long ago nobody knows.
    func hasChanged(_ key: CacheKey, since count: UInt64) -> Bool {
        guard self.count > count else { return false }
        return lastOfAll > count || self.count - count >= UInt64(Self.capacity) || (changes[key] ?? 0) > count
    }
}
