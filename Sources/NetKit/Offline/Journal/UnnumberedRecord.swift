import Foundation

/// A record for the journal, without its number, which is assigned when it is written.
///
/// Its line in the journal is `{"nk":2,"seq":17,`, the content made here, `,"ack":15`, and `,"sum":"8 digits"}`.
/// Numbers have no gaps. `ack` is the last number that was safe when the record was written. It distinguishes a missing
/// record that was acknowledged from one that a power cut removed before. The checksum covers the content and `ack`
/// first and the head after them, so that most of it is computed before the record reaches the one thread that writes.
struct UnnumberedRecord: Sendable {
    /// The change that a record makes.
    enum Effect: Sendable {
        // Indirect, because an entry or an update would be most of the size of each record.

        /// The entry exists from now on, or has another request.
        indirect case put(OfflineEntry)
        /// The entry has a new state.
        indirect case state(UUID, OfflineUpdate)
        /// The entry no longer exists.
        case remove(UUID)
        /// The segment that begins with this record replaces every segment up to one.
        ///
        /// `count` is the number of records that follow; `nil` in version 1.
        case base(upTo: Int, count: Int?)
        /// A segment begins.
        case segment(JournalSegmentStart)
        /// The segment's file has this length from now on, and is blank after its records.
        case room(Int)
    }

    static let version: Int64 = 2
    /// The greatest length of the record that the journal adds to a batch.
    static let markBound = 224
    /// The room for the removal of an entry, and maybe for a change before it.
    static let changeBound = 256

    let effect: Effect
    /// The names of the files beside the journal without which the record must not be written.
    var files: [String] = []
    private let content: [UInt8]
    private let checksum: CRC32

    init(_ effect: Effect) {
        self.init(effect, capacity: 0) { _ in }
    }

    /// Creates a record; `add` writes the content beyond its effect, and `capacity` is the approximate length of that
    /// content.
    init(_ effect: Effect, capacity: Int = 0, _ add: (inout JSONText) throws -> Void) rethrows {
        self.effect = effect
        var text = JSONText(capacity: 256 + capacity)
        let identity = Self.write(effect, to: &text)
        try add(&text)
        if let identity { text.add("identity", json: identity) }
        content = text.bytes
        var checksum = CRC32()
        checksum.add(content)
        self.checksum = checksum
    }

    /// Writes an effect, and returns the name of the identity that follows what the caller adds.
    ///
    /// Not part of `init`, of which the compiler makes a copy for each closure.
    @inline(never)
    private static func write(_ effect: Effect, to text: inout JSONText) -> [UInt8]? {
        switch effect {
        case .put(let entry):
            write(entry, to: &text)
            let identity = entry.identity.map(JSONText.literal)
            // The previous version skips numbers that it does not know, but not texts, and reads no further than the
            // request. The length is therefore before the request and the name after it, where it is found without a
            // search.
            if let identity { text.add("identityLength", Int64(identity.count)) }
            return identity
        case .state(let id, let update):
            write(id, update, to: &text)
        case .remove(let id):
            text.add("op", "remove")
            text.add("id", id)
        case .base(let number, let count):
            text.add("op", "base")
            text.add("upTo", Int64(number))
            text.add("count", count.map { Int64($0) })
        case .segment(let start):
            text.add("op", "segment")
            text.add("number", Int64(start.number))
            text.add("after", Int64(start.previous))
            text.add("room", Int64(start.room))
        case .room(let length):
            text.add("op", "room")
            text.add("room", Int64(length))
        }
        return nil
    }

    private static func write(_ entry: OfflineEntry, to text: inout JSONText) {
        text.add("op", "put")
        text.add("id", entry.id)
        text.add("pos", entry.position)
        text.add("lane", entry.lane)
        text.add("priority", Int64(entry.priority))
        text.add("time", entry.timestamp.milliseconds)
        text.add("size", Int64(entry.byteCount))
        text.add("retries", Int64(entry.retryCount))
        text.add("conflicts", Int64(entry.conflictCount))
        text.add("expires", entry.expiresAt?.milliseconds)
        text.add("attempts", entry.maxAttempts.map { Int64($0) })
        text.add("key", entry.coalescingKey)
    }

    private static func write(_ id: UUID, _ update: OfflineUpdate, to text: inout JSONText) {
        text.add("op", "state")
        text.add("id", id)
        text.add("state", update.state.description)
        text.add("retries", Int64(update.retryCount))
        text.add("conflicts", Int64(update.conflictCount))
        text.add("notBefore", update.notBefore?.milliseconds)
        text.add("wait", update.wait.map { $0.clampedNanoseconds / 1_000_000 })
        text.add("failing", update.failingFor.map { $0.clampedNanoseconds / 1_000_000 })
        text.add("settled", update.settledAt?.milliseconds)
        text.add("status", update.status.map { Int64($0.code) })
        if update.removesExpiry { text.add("expires", Int64(0)) }
    }

    /// Returns whether the parser that recovers a journal reads the record's content correctly.
    ///
    /// Times count by their milliseconds, in which they are kept. The change of a state has to produce the same text
    /// again.
    func isReadBack() -> Bool {
        guard let found = content.withUnsafeBytes({ JournalRecord.effect(in: $0, 0..<$0.count) }) else { return false }
        switch (effect, found) {
        case (.put(let entry), .put(let found)): return Self.isSame(found, entry)
        case (.state, .state(let id, let update)):
            var text = JSONText(capacity: 256)
            Self.write(id, update, to: &text)
            return content.starts(with: text.bytes)
        case (.remove(let id), .remove(let found)): return id == found
        default: return false
        }
    }

    /// Returns whether two entries have the same record.
    private static func isSame(_ entry: OfflineEntry, _ other: OfflineEntry) -> Bool {
        entry.id == other.id && entry.position == other.position && entry.lane.isExactly(other.lane)
            && entry.priority == other.priority && entry.timestamp.milliseconds == other.timestamp.milliseconds
            && entry.byteCount == other.byteCount && entry.retryCount == other.retryCount
            && entry.conflictCount == other.conflictCount
            && entry.expiresAt?.milliseconds == other.expiresAt?.milliseconds
            && entry.maxAttempts == other.maxAttempts && entry.identity == other.identity
            && entry.coalescingKey.map { ExactText($0) } == other.coalescingKey.map { ExactText($0) }
    }

    /// The entry that the record concerns, if it concerns one.
    var id: UUID? {
        switch effect {
        case .put(let entry): entry.id
        case .state(let id, _), .remove(let id): id
        case .base, .segment, .room: nil
        }
    }

    /// Whether the record has a request.
    var addsEntry: Bool { if case .put = effect { true } else { false } }

    /// The maximum length of its line.
    var lengthBound: Int { content.count + 96 }

    /// Writes the whole line with its number and the last number that is safe.
    func write(to bytes: inout [UInt8], sequence: Int64, acknowledged: Int64) {
        let start = bytes.count
        bytes.append(contentsOf: "{\"nk\":2,\"seq\":".utf8)
        sequence.withDigits { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: ","))
        let contentStart = bytes.count
        bytes.append(contentsOf: content)
        let acknowledgedStart = bytes.count
        bytes.append(contentsOf: ",\"ack\":".utf8)
        acknowledged.withDigits { bytes.append(contentsOf: $0) }
        var checksum = checksum
        bytes.withUnsafeBytes { bytes in
            checksum.add(UnsafeRawBufferPointer(rebasing: bytes[acknowledgedStart...]))
            checksum.add(UnsafeRawBufferPointer(rebasing: bytes[start..<contentStart]))
        }
        bytes.append(contentsOf: ",\"sum\":\"".utf8)
        bytes.append(contentsOf: CRC32.text(checksum.value))
        bytes.append(contentsOf: "\"}\n".utf8)
    }
}

/// The content of the first record of a segment.
struct JournalSegmentStart: Sendable, Equatable {
    let number: Int
    /// The number of the segment before; 0 for the first one.
    let previous: Int
    /// The length of the file.
    let room: Int
}
