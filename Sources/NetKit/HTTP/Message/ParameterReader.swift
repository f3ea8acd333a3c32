/// Reads the parameters after the first part of a field: `; name=value; name="quoted value"`.
///
/// It refuses nothing, because peers ignore the grammar: a parameter without `=` is skipped, and so is a quoted value
/// without a closing quote.
struct ParameterReader {
    private var rest: Substring.UTF8View

    /// Begins at the start of a value.
    init(_ text: String) { rest = text.utf8[...] }

    /// Reads the text up to a semicolon, without the spaces around it.
    mutating func head() -> String {
        let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
        defer { rest = rest[end...].dropFirst() }
        return Self.text(rest[..<end].trimmingBlanks)
    }

    /// Returns the next parameter, with its name in lower case; `nil` after the last.
    ///
    /// `isQuoted` distinguishes a value in quotes from a token, which matters for `filename*`.
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

    /// Reads a value in quotes, without its escapes; text between it and the semicolon is skipped.
    private mutating func quoted() -> String? {
        let quoted = rest.popQuoted()
        guard quoted.isClosed else { return nil }
        _ = head()
        return String(decoding: quoted.bytes, as: UTF8.self)
    }

    private static func text(_ bytes: Substring.UTF8View) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// A parameter's value with its character set (RFC 8187): `UTF-8'en'%E2%82%AC`.
enum ExtendedValue {
    /// Returns the text; `nil` if the form is wrong, or the character set is neither UTF-8 nor ISO 8859-1.
    ///
    /// A character that the grammar wants encoded stands for itself if it is ASCII. JavaScript's `encodeURIComponent`,
    /// with which many servers write names, leaves parentheses as they are.
    static func decode(_ value: String) -> String? {
        let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let charset = String(parts[0])?.lowercased(), parts[2].allSatisfy({ $0 < 0x80 }),
            let bytes = PercentEncoding.decoded(parts[2])
        else { return nil }
        switch charset {
        case "utf-8", "utf8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1", "latin1":
            var text = ""
            text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
            return text
        default: return nil
        }
    }
}

extension BidirectionalCollection<UInt8> {
    /// The elements without the spaces and tabs at both ends, which mean nothing in a field (RFC 9110, section 5.6.3).
    var trimmingBlanks: SubSequence {
        let start = drop(while: \.isHTTPBlank)
        guard let last = start.lastIndex(where: { !$0.isHTTPBlank }) else { return start }
        return start[...last]
    }
}

extension Collection<UInt8> where SubSequence == Self {
    /// Removes text in quotes from the start, and returns it without its escapes (RFC 9110, section 5.6.4).
    ///
    /// If the closing quote is missing, that is everything.
    mutating func popQuoted() -> (bytes: [UInt8], isClosed: Bool) {
        self = dropFirst()
        var bytes: [UInt8] = []
        while let byte = popFirst() {
            if byte == UInt8(ascii: "\"") { return (bytes, true) }
            bytes.append(byte == UInt8(ascii: "\\") ? popFirst() ?? byte : byte)
        }
        return (bytes, false)
    }
}
