/// The lines of header fields as they arrived.
struct CurlLines: Sendable {
    /// The lines, each with a line feed.
    private var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    /// Returns a line without its line ending.
    static func content(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = line.count
        while count > 0, line[count - 1] == 0x0A || line[count - 1] == 0x0D { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<count])
    }

    /// The size of all lines.
    var byteCount: Int { bytes.count }

    /// Reserves memory for usual responses.
    mutating func reserveUsualCapacity() { bytes.reserveCapacity(480) }

    /// Removes the lines, and keeps the memory.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds a line with or without its line ending; an empty line is ignored.
    mutating func add(_ line: UnsafeRawBufferPointer) {
        let content = Self.content(of: line)
        guard !content.isEmpty else { return }
        bytes.append(contentsOf: content)
        bytes.append(0x0A)
    }

    /// Calls a closure with each line, without its line feed.
    func visit(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let end = rest.firstIndex(of: 0x0A) {
                body(UnsafeRawBufferPointer(rebasing: rest[..<end]))
                rest = rest[(end + 1)...]
            }
        }
    }

    /// Returns the fields of the lines, which are created from a copy of the lines when they are first read.
    func fields() -> HTTPHeaders {
        bytes.isEmpty ? HTTPHeaders() : HTTPHeaders(CurlFields(CurlLines(bytes: bytes.withUnsafeBytes { Array($0) })))
    }

    /// Adds the field of a line; one that begins with a blank continues the previous one (RFC 9112, section 5.2).
    fileprivate static func add(_ line: UnsafeRawBufferPointer, to fields: inout [HTTPHeaders.Field]) {
        if let first = line.first, first.isHTTPBlank {
            guard !fields.isEmpty else { return }
            fields[fields.count - 1].value += " " + String(decoding: value(in: line, from: 0), as: UTF8.self)
        } else if let colon = line.firstIndex(of: 0x3A) {
            let name = String(decoding: UnsafeRawBufferPointer(rebasing: line[..<colon]), as: UTF8.self)
            let value = String(decoding: value(in: line, from: colon + 1), as: UTF8.self)
            fields.append(HTTPHeaders.Field(name, value))
        }
    }

    /// Returns the text after a position in a line, without surrounding blanks and tabs.
    static func value(in line: UnsafeRawBufferPointer, from start: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: line[start...].trimmingBlanks)
    }
}

/// The fields of a response, which are created when they are first read, because many callers read none.
private final class CurlFields: ReceivedFields {
    private let lines: CurlLines
    private let made = Locked<[HTTPHeaders.Field]?>(nil)

    init(_ lines: CurlLines) { self.lines = lines }

    var fields: [HTTPHeaders.Field] {
        made.withLock { made in
            let fields = made ?? makeFields()
            made = fields
            return fields
        }
    }

    private func makeFields() -> [HTTPHeaders.Field] {
        var fields: [HTTPHeaders.Field] = []
        lines.visit { CurlLines.add($0, to: &fields) }
        return fields
    }
}
