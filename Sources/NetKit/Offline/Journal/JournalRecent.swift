/// What was written to a segment of late.
///
/// The system's cache does not know what passed it by, and most entries are read soon: they are delivered.
struct JournalRecent {
    private var start = 0
    private var kept: [UInt8] = []

    /// Adds what was written, and forgets the oldest once there is twice as much as the limit.
    mutating func add(_ bytes: [UInt8], at offset: Int, limit: Int) {
        let gap = offset - (start + kept.count)
        // Up to the next block there are blanks.
        if kept.isEmpty || gap < 0 || gap >= 4096 {
            kept.removeAll(keepingCapacity: true)
            start = offset
        } else if gap > 0 {
            kept.append(contentsOf: repeatElement(0x20, count: gap))
        }
        kept += bytes
        guard kept.count > 2 * limit else { return }
        start += kept.count - limit
        kept.removeFirst(kept.count - limit)
    }

    func bytes(_ offset: Int, _ count: Int) -> [UInt8]? {
        let first = offset - start
        guard first >= 0, count >= 0, first <= kept.count - count else { return nil }
        return Array(kept[first..<(first + count)])
    }
}
