/// One file of the journal.
final class JournalSegment: Sendable {
    let number: Int
    let name: String
    private let file: Locked<OpenFile>

    init(number: Int, file: OpenFile) {
        self.number = number
        name = Self.name(number)
        self.file = Locked(file)
    }

    /// The file, open for reading; a new one after the segment was written again.
    var current: OpenFile { file.withLock { $0 } }

    func replace(_ new: OpenFile) {
        file.withLock { $0 = new }
    }

    static func name(_ number: Int) -> String {
        "journal-\(String(number).zeroPadded(to: 9)).jsonl"
    }

    /// The greatest number, after which another one could not be represented.
    static let maxNumber = Int.max - 1

    /// Returns the number in the name of a segment's file; `nil` for any other name, such as one with fewer zeros.
    static func number(in name: String) -> Int? {
        guard name.hasPrefix("journal-"), name.hasSuffix(".jsonl"),
            let number = Int(digits: name.dropFirst(8).dropLast(6)), number <= maxNumber, name == Self.name(number)
        else { return nil }
        return number
    }
}

/// The position of a record.
struct JournalPlace: Sendable {
    let segment: JournalSegment
    let offset: Int
    let length: Int
    /// The record's number.
    let sequence: Int64

    func bytes(_ fileSystem: any DurableFileSystem) throws(FileError) -> [UInt8] {
        try fileSystem.readAll(segment.current, at: Int64(offset), count: length)
    }
}
