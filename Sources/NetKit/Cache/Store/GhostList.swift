/// The marks of keys that were removed recently: a key that returns was missed.
struct GhostList: Sendable {
    /// The memory for a mark, in the ring and in the set.
    static let cost = 24

    private var ring: [UInt32] = []
    private var next = 0
    private var marks: [UInt32: Int32] = [:]

    var count: Int { marks.count }

    /// Remembers a key; with a full ring, the oldest is forgotten.
    mutating func add(_ key: CacheKey, capacity: Int) {
        let mark = Self.mark(key)
        if ring.count < max(16, capacity) {
            ring.append(mark)
        } else {
            next %= ring.count
            forget(ring[next])
            ring[next] = mark
            next += 1
        }
        marks[mark, default: 0] += 1
    }

    /// Whether a key is remembered.
    func contains(_ key: CacheKey) -> Bool { marks[Self.mark(key)] != nil }

    private mutating func forget(_ mark: UInt32) {
        guard let count = marks[mark] else { return }
        marks[mark] = count > 1 ? count - 1 : nil
    }

    private static func mark(_ key: CacheKey) -> UInt32 { UInt32(truncatingIfNeeded: key.low) }
}
