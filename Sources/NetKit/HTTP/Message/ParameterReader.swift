/// Reads what stands behind a field's first part: `; name=value; name="quoted value"`.
///
/// It refuses nothing, as peers write all kinds of things: what has no `=` is skipped, and so is a quoted value without its end.
struct ParameterReader {
    private var rest: Substring.UTF8View

    /// Begins at the start of a value.
    init(_ text: String) {
        rest = text.utf8[...]
    }

    /// The text up to a semicolon, without the spaces around it.
    mutating func head() -> String {
        let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
        defer { rest = rest[end...].dropFirst() }
        return Self.text(rest[..<end].trimmingBlanks)
    }

    /// The next parameter, its name in lower case; nil behind the last.
    ///
    /// `isQuoted` tells a value in quotes from a token, which matters to `filename*`.
    mutating func next() -> (name: String, value: String, isQuoted: Bool)? {
        while !rest.isEmpty {
            let nameEnd = rest.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ";") } ?? rest.endIndex
            let name = rest[..<nameEnd].trimmingBlanks
            let hasValue = nameEnd < rest.endIndex && rest[nameEnd] == UInt8(ascii: "=")
            rest = rest[nameEnd...].dropFirst()
            guard hasValue else { continue }
            rest = rest.drop(while: \.isHTTPBlank)
            let isQuoted = rest.first == UInt8(ascii: "\"")
            guard let value = isQuoted ? quoted() : head(), !name.isEmpty else { continue }
            return (Self.text(name).lowercased(), value, isQuoted)
        }
        return nil
    }

    /// A value in quotes, with its escapes undone; what follows it up to the semicolon is nobody's.
    private mutating func quoted() -> String? {
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                _ = head()
                return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"): if let escaped = rest.popFirst() { bytes.append(escaped) }
            default: bytes.append(byte)
            }
        }
        return nil
    }

    private static func text(_ bytes: Substring.UTF8View) -> String { String(decoding: bytes, as: UTF8.self) }
}
