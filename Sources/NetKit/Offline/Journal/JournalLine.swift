import Foundation

/// A record on its way into the journal: everything but its number, which it gets when it is written.
///
/// A line is `{"nk":1,"seq":17,` and what is here and `,"sum":"8 digits"}`. The checksum covers what is here first and the
/// head after it, so that it is made where the record comes from and not on the one thread that writes.
struct JournalLine: Sendable {
    /// What a record changes.
    enum Effect: Sendable {
        /// There is an entry, from now on or with another request.
        case put(OfflineEntry)
        /// An entry waits for something else.
        case state(UUID, OfflineUpdate)
        /// There is no such entry any more.
        case remove(UUID)
        /// Every segment up to this one is replaced by the segment that this record stands in.
        case base(upTo: Int)
    }

    static let version = 1

    let effect: Effect
    private let rest: [UInt8]
    private let checksum: JournalChecksum

    init(_ effect: Effect) {
        self.init(effect, capacity: 0) { _ in }
    }

    /// Makes a record; `add` writes what it has beyond its effect, and `capacity` is about how long that gets.
    init(_ effect: Effect, capacity: Int = 0, _ add: (inout JSONText) throws -> Void) rethrows {
        self.effect = effect
        var text = JSONText(capacity: 256 + capacity)
        var identity: [UInt8]?
        switch effect {
        case .put(let entry):
            Self.write(entry, to: &text)
            identity = entry.identity.map(JSONText.literal)
            // The version before passes over numbers that it does not know, but not over text, and reads no further than the
            // request: so the length stands in front of it and the name behind it, where it is found without searching.
            if let identity { text.add("identityLength", Int64(identity.count)) }
        case .state(let id, let update):
            text.add("op", "state")
            text.add("id", id)
            text.add("state", update.state.description)
            text.add("retries", Int64(update.retryCount))
            text.add("conflicts", Int64(update.conflictCount))
            text.add("notBefore", update.notBefore?.milliseconds)
        case .remove(let id):
            text.add("op", "remove")
            text.add("id", id)
        case .base(let number):
            text.add("op", "base")
            text.add("upTo", Int64(number))
        }
        try add(&text)
        if let identity { text.add("identity", json: identity) }
        rest = text.bytes
        var checksum = JournalChecksum()
        checksum.add(rest)
        self.checksum = checksum
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
        text.add("notBefore", entry.notBefore?.milliseconds)
        text.add("key", entry.coalescingKey)
    }

    /// The entry that it is about, if it is about one.
    var id: UUID? {
        switch effect {
        case .put(let entry): entry.id
        case .state(let id, _), .remove(let id): id
        case .base: nil
        }
    }

    /// Whether it has a request.
    var isPut: Bool {
        if case .put = effect { true } else { false }
    }

    /// How long the line is at most.
    var lengthBound: Int { rest.count + 64 }

    /// Writes the whole line with its number.
    func write(to bytes: inout [UInt8], sequence: Int64) {
        let start = bytes.count
        bytes.append(contentsOf: "{\"nk\":1,\"seq\":".utf8)
        bytes.append(contentsOf: String(sequence).utf8)
        bytes.append(UInt8(ascii: ","))
        var checksum = checksum
        bytes.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        bytes.append(contentsOf: rest)
        bytes.append(contentsOf: ",\"sum\":\"".utf8)
        bytes.append(contentsOf: JournalChecksum.text(checksum.value))
        bytes.append(contentsOf: "\"}\n".utf8)
    }
}
