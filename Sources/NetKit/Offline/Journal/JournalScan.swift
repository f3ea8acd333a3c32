import Foundation

/// The result of reading a segment: where its records end, and the damage between them.
///
/// A line that is not a record is still searched for records: a broken line break must not cost its neighbor. The rest
/// is damage, except for a last line without a line break, whose write was interrupted.
struct JournalScan {
    /// A part that is not a record.
    struct Damage: Equatable {
        let range: Range<Int>
        let bytes: [UInt8]
        let reason: String
    }

    private(set) var damage: [Damage] = []
    /// The bytes after the last line break that are not a record.
    private(set) var torn: Damage?
    /// The end of the last record, including its line break.
    private(set) var end = 0
    /// Whether only blanks follow the last record.
    private(set) var isTailBlank = true
    /// The number of bytes.
    private(set) var length = 0

    /// The records of the window.
    private var records: [JournalRecord] = []
    /// The zeros since the last line break that are not part of the window anymore.
    private var zeros: Range<Int>?
    /// The number of bytes of the window in which no line break was found.
    private var searched = 0

    /// The number of bytes that are read at a time.
    private static let window = 1 << 20

    /// Reads a segment, a window at a time, and passes on the records of each window without keeping them.
    ///
    /// `read` returns a number of bytes from a position on, or fewer at the end.
    init(
        _ read: (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8],
        onRecords: ([JournalRecord]) -> Void
    ) throws(FileError) {
        var window: [UInt8] = []
        var isEnd = false
        var start = 0
        while !isEnd {
            let piece = try read(start + window.count, Self.window)
            isEnd = piece.count < Self.window
            length += piece.count
            if window.isEmpty { window = piece } else { window += piece }
            let used = window.withUnsafeBytes { scan($0, from: start, isWhole: isEnd) }
            start += used
            window.removeFirst(used)
            onRecords(records)
            records.removeAll(keepingCapacity: true)
        }
        if let zeros {
            torn = Damage(range: zeros, bytes: [], reason: Self.zeros)
            isTailBlank = false
        }
    }

    /// Reads the lines of a window, and returns the end of the last one; an incomplete line at the end is left.
    private mutating func scan(_ bytes: UnsafeRawBufferPointer, from start: Int, isWhole: Bool) -> Int {
        var position = 0
        while position < bytes.count {
            if zeros != nil { skipZeros(in: bytes, &position, from: start) }
            let lineEnd = Self.find([0x0A], in: bytes, max(position, searched)..<bytes.count)
            searched = 0
            if lineEnd == nil, !isWhole {
                while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
                skipZeros(in: bytes, &position, from: start)
                searched = bytes.count - position
                break
            }
            let line = Self.trimmed(bytes, position..<(lineEnd ?? bytes.count))
            position = lineEnd.map { $0 + 1 } ?? bytes.count
            if line.isEmpty { continue }
            if let record = JournalRecord(bytes, in: line) {
                add(record, start, end: position)
            } else {
                salvage(bytes, line, start, isTorn: lineEnd == nil)
            }
        }
        return position
    }

    /// Skips zeros, possibly gigabytes of them; zeros before other bytes are damage.
    private mutating func skipZeros(in bytes: UnsafeRawBufferPointer, _ position: inout Int, from start: Int) {
        let first = position
        position += Self.zeroCount(UnsafeRawBufferPointer(rebasing: bytes[position...]))
        let lower = zeros?.lowerBound ?? start + first
        if position > first { zeros = lower..<start + position }
        guard position < bytes.count, let skipped = zeros else { return }
        damage.append(Damage(range: skipped, bytes: [], reason: Self.zeros))
        isTailBlank = false
        zeros = nil
    }

    /// Returns the number of zeros at the beginning.
    private static func zeroCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress, bytes.first == 0 else { return 0 }
        // If each byte is like the next one, all are zeros.
        if memcmp(base, base + 1, bytes.count - 1) == 0 { return bytes.count }
        return bytes.firstIndex { $0 != 0 } ?? bytes.count
    }

    private mutating func add(_ record: JournalRecord, _ start: Int, end: Int) {
        records.append(record.moved(by: start))
        self.end = start + end
        isTailBlank = true
    }

    private mutating func salvage(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>, _ base: Int, isTorn: Bool) {
        var damaged = line.lowerBound
        var start = Self.find(JournalRecord.head, in: bytes, line)
        while let candidate = start {
            let next = Self.find(JournalRecord.head, in: bytes, (candidate + 1)..<line.upperBound)
            let bound = next ?? line.upperBound
            if let record = Self.record(bytes, candidate..<bound) {
                if let found = Self.damage(bytes, damaged..<candidate, base) { damage.append(found) }
                damaged = record.range.upperBound
                add(record, base, end: damaged)
            }
            start = next
        }
        if damaged < line.upperBound { isTailBlank = false }
        let rest = Self.damage(bytes, damaged..<line.upperBound, base)
        if isTorn { torn = rest } else if let rest { damage.append(rest) }
    }

    private static func damage(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ base: Int) -> Damage? {
        let range = trimmed(bytes, range)
        guard !range.isEmpty else { return nil }
        let part = UnsafeRawBufferPointer(rebasing: bytes[range])
        let place = range.lowerBound + base..<range.upperBound + base
        // Zeros are not recorded, because there may be megabytes of them.
        guard part.contains(where: { $0 != 0 }) else { return Damage(range: place, bytes: [], reason: zeros) }
        let reason = part.starts(with: JournalRecord.head) ? "the checksum does not match" : "not a record"
        return Damage(range: place, bytes: Array(part), reason: reason)
    }

    static let zeros = "zeros in the place of records"

    /// Returns a record that begins where the range does, and ends at a matching checksum.
    private static func record(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> JournalRecord? {
        var from = range.lowerBound
        while let tail = find(JournalRecord.tail, in: bytes, from..<range.upperBound) {
            let end = tail + JournalRecord.tailLength
            if end <= range.upperBound, let record = JournalRecord(bytes, in: range.lowerBound..<end) { return record }
            from = tail + 1
        }
        return nil
    }

    private static func find(_ text: [UInt8], in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        var position = range.lowerBound
        while position + text.count <= range.upperBound {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position..<range.upperBound])
            guard let base = rest.baseAddress, let found = memchr(base, Int32(text[0]), rest.count) else { return nil }
            let index = position + base.distance(to: UnsafeRawPointer(found))
            if UnsafeRawBufferPointer(rebasing: bytes[index..<range.upperBound]).starts(with: text) { return index }
            position = index + 1
        }
        return nil
    }

    /// Returns a range without the blanks at its ends, with which a segment is filled in advance.
    private static func trimmed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        while lower < upper, isBlank(bytes[lower]) { lower += 1 }
        while lower < upper, isBlank(bytes[upper - 1]) { upper -= 1 }
        return lower..<upper
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0D || byte == 0x0A }
}
