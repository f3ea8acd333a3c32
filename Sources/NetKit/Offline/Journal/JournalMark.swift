import Foundation

/// The minimum progress of a journal, as recorded in the lock's file.
///
/// It distinguishes a journal whose last segment is missing or was cut from one that never had more.
struct JournalMark: Equatable {
    /// The number of the last segment that has records.
    var segment: Int
    /// The number of a record that is safe.
    var sequence: Int64

    /// The mark as a line of JSON with a checksum.
    var line: [UInt8] {
        var text = JSONText(capacity: 96)
        text.begin()
        text.add("segment", Int64(segment))
        text.add("seq", sequence)
        var checksum = CRC32()
        checksum.add(text.bytes)
        text.add("sum", String(decoding: CRC32.text(checksum.value), as: UTF8.self))
        text.end()
        // The length is always the same, so that a shorter mark leaves nothing of a longer one.
        return text.bytes + [UInt8](repeating: 0x20, count: max(0, 127 - text.bytes.count)) + [0x0A]
    }
}

extension JournalMark {
    /// Reads a mark; `nil` if there is none.
    init?(_ bytes: [UInt8]) {
        struct Line: Decodable {
            let segment: Int
            let seq: Int64
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let text = Data(bytes[...end])
        guard let line = try? JSONDecoder().decode(Line.self, from: text) else { return nil }
        guard line.segment <= JournalSegment.maxNumber, line.seq <= JournalRecord.maxSequence else { return nil }
        self.init(segment: line.segment, sequence: line.seq)
        guard self.line.starts(with: text) else { return nil }
    }
}
