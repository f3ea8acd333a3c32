import Foundation

/// Reads a `text/event-stream` in pieces of any size, by the rules of the HTML standard.
///
/// Comments and unknown fields are not kept. All other content is bounded.
struct EventStreamParser: Sendable {
    /// A field that is read.
    private enum Field: String, CaseIterable { case data, event, id, retry }

    private static let fields = Field.allCases.map { (field: $0, bytes: Array($0.rawValue.utf8)) }

    /// The maximum length of a line with a field, together with the data of its event before it.
    private let limit: Int
    /// The start of a line whose end has not arrived yet.
    private var partial: [UInt8] = []
    /// Whether the rest of the line is skipped.
    private var isSkipping = false
    /// Whether the last byte was a CR, whose LF may follow.
    private var wasReturn = false
    /// The number of bytes of a byte order mark read so far; `nil` once the mark is complete or ruled out.
    private var markLength: Int? = 0

    private var data: [UInt8] = []
    private var hasData = false
    private var type = ""
    private var id: String?
    private var retry: Duration?
    /// The complete events that were not taken yet.
    private var events: [ServerSentEvent] = []

    /// The id of the last complete event.
    private(set) var lastEventID: String
    /// The time to wait before a reconnection, if the server has sent one.
    private(set) var reconnectionTime: Duration?

    init(limit: Int = 1 << 20, lastEventID: String = "") {
        self.limit = limit
        self.lastEventID = lastEventID
    }

    /// Begins a new connection.
    ///
    /// An incomplete event is lost; the last id and the reconnection time are kept.
    mutating func restart() {
        let (id, time) = (lastEventID, reconnectionTime)
        self = EventStreamParser(limit: limit, lastEventID: id)
        reconnectionTime = time
    }

    /// Reads the next piece, whose events `takeEvents()` returns, those before an error included.
    mutating func parse(_ piece: Data) throws(NetKitError) {
        let isWithinLimit = piece.withUnsafeBytes { bytes in parse(bytes) }
        guard isWithinLimit else {
            throw NetKitError(
                .bodyTooLarge,
                "An event is longer than \(limit) bytes. Raise `maxEventBytes`.",
                outcome: .answered
            )
        }
    }

    /// Returns the events that were completed since the last time.
    mutating func takeEvents() -> [ServerSentEvent] { exchange(&events, with: []) }

    private mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var start = bytes.startIndex
        if markLength != nil { start = skipMark(bytes) }
        if wasReturn, start < bytes.endIndex {
            wasReturn = false
            if bytes[start] == 0x0A { start += 1 }
        }
        while start < bytes.endIndex {
            guard let end = Self.lineEnd(in: bytes, from: start) else {
                return keep(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            guard take(line) else { return false }
            start = end + 1
            guard bytes[end] == 0x0D else { continue }
            if start == bytes.endIndex {
                wasReturn = true
            } else if bytes[start] == 0x0A {
                start += 1
            }
        }
        return true
    }

    /// Skips a byte order mark, which may be split between pieces.
    private mutating func skipMark(_ bytes: UnsafeRawBufferPointer) -> Int {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var index = bytes.startIndex
        var seen = markLength ?? 0
        while index < bytes.endIndex, seen < mark.count, bytes[index] == mark[seen] {
            index += 1
            seen += 1
        }
        if seen == mark.count {
            markLength = nil
        } else if index < bytes.endIndex {
            markLength = nil
            partial = Array(mark[..<seen])
        } else {
            markLength = seen
        }
        return index
    }

    private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index < bytes.endIndex {
            // Both line ends are below every printable character.
            let byte = bytes[index]
            if byte <= 0x0D, byte == 0x0A || byte == 0x0D { return index }
            index += 1
        }
        return nil
    }

    /// Stores the start of an incomplete line.
    ///
    /// Returns `false` if the line is too long.
    private mutating func keep(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !isSkipping else { return true }
        let room = limit - data.count - partial.count
        let name = partial.prefix(6) + bytes.prefix(max(0, 6 - partial.count))
        guard Self.mayMatter(name) else {
            isSkipping = true
            partial.removeAll(keepingCapacity: true)
            return true
        }
        // The name may still turn out to be unknown.
        guard bytes.count <= room || name.count < 6 else { return false }
        partial.append(contentsOf: bytes)
        return true
    }

    /// Returns whether a line with this start can have a known field.
    private static func mayMatter(_ start: ArraySlice<UInt8>) -> Bool {
        let name = start.prefix { $0 != UInt8(ascii: ":") }
        let isWhole = name.count < start.count
        return fields.contains { isWhole ? $0.bytes.elementsEqual(name) : $0.bytes.starts(with: name) }
    }

    /// Takes a whole line.
    ///
    /// Returns `false` if the event becomes too large.
    private mutating func take(_ end: UnsafeRawBufferPointer) -> Bool {
        if isSkipping {
            isSkipping = false
            return true
        }
        if partial.isEmpty { return read(end) }
        partial.append(contentsOf: end)
        let line = partial
        partial.removeAll(keepingCapacity: true)
        return line.withUnsafeBytes { read($0) }
    }

    private mutating func read(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !line.isEmpty else {
            dispatch()
            return true
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        let name = line[..<colon]
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        let field = Self.fields.first { $0.bytes.elementsEqual(name) }?.field
        // The name counts, as in an unfinished line: the bound must not depend on where the stream is divided.
        guard field == nil || line.count <= limit - data.count else { return false }
        switch field {
        case .data:
            if hasData { data.append(0x0A) }
            data.append(contentsOf: value)
            hasData = true
        case .event: type = String(decoding: value, as: UTF8.self)
        case .id:
            // An identifier that cannot be a header field could not be sent back.
            let text = String(decoding: value, as: UTF8.self)
            if !RequestValidation.hasControlCharacter(text) { id = text }
        case .retry: readRetry(value)
        case nil: break
        }
        return true
    }

    private mutating func readRetry(_ value: Slice<UnsafeRawBufferPointer>) {
        guard let milliseconds = Int64(digits: String(decoding: value, as: UTF8.self)) else { return }
        retry = .milliseconds(milliseconds)
        reconnectionTime = retry
    }

    private mutating func dispatch() {
        if let id { lastEventID = id }
        if hasData {
            events.append(
                ServerSentEvent(
                    type: type.isEmpty ? "message" : type,
                    data: String(decoding: data, as: UTF8.self),
                    id: id,
                    lastEventID: lastEventID,
                    retry: retry
                )
            )
        }
        data.removeAll(keepingCapacity: true)
        (hasData, type, id, retry) = (false, "", nil, nil)
    }
}
