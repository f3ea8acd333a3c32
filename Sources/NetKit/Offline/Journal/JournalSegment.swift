/// One file of the journal.
final class JournalSegment: Sendable {
    private struct State {
        var file: OpenFile
        var recent = JournalRecent()
    }

    let number: Int
    let name: String
    private let state: Locked<State>

    init(number: Int, file: OpenFile) {
        self.number = number
        name = Self.name(number)
        state = Locked(State(file: file))
    }

    /// Open for reading; another one once the segment was written anew.
    var current: OpenFile { state.withLock { $0.file } }

    func replace(_ new: OpenFile) {
        state.withLock { $0.file = new }
    }

    /// What was written of late, where it is still in memory.
    func recentBytes(_ offset: Int, _ count: Int) -> [UInt8]? {
        state.withLock { $0.recent.bytes(offset, count) }
    }

    func keep(_ bytes: [UInt8], at offset: Int, limit: Int) {
        state.withLock { $0.recent.add(bytes, at: offset, limit: limit) }
    }

    func forgetRecent() {
        state.withLock { $0.recent = JournalRecent() }
    }

    static func name(_ number: Int) -> String {
        let digits = String(number)
        return "journal-\(String(repeating: "0", count: max(0, 9 - digits.count)))\(digits).jsonl"
    }

    /// The number in a file's name, where it is a segment's.
    static func number(in name: String) -> Int? {
        guard name.hasPrefix("journal-"), name.hasSuffix(".jsonl") else { return nil }
        return Int(digits: name.dropFirst(8).dropLast(6))
    }
}
