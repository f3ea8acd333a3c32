/// Reads a list of directives (`name`, `name=value` or `name="value"`), and marks each malformed one.
struct CacheDirectiveReader {
    enum Argument: Equatable {
        case none
        case text(String)
        /// Text that the grammar does not allow: blanks inside, or a missing closing quote.
        case malformed
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Returns the next directive, with its name in lower case; `nil` at the end.
    mutating func next() -> (name: String, argument: Argument)? {
        skip { $0 == UInt8(ascii: ",") || $0.isHTTPBlank }
        guard position < bytes.count else { return nil }
        let name = String(decoding: take { $0.isHTTPTokenByte }.map(\.lowercasedASCII), as: UTF8.self)
        var argument = Argument.none
        if peek == UInt8(ascii: "=") {
            position += 1
            argument = readArgument()
        }
        skip(\.isHTTPBlank)
        if let byte = peek, byte != UInt8(ascii: ",") {
            skipToComma()
            argument = .malformed
        }
        return (name, argument)
    }

    private mutating func readArgument() -> Argument {
        guard peek == UInt8(ascii: "\"") else {
            let token = take { $0.isHTTPTokenByte }
            return token.isEmpty ? .malformed : .text(String(decoding: token, as: UTF8.self))
        }
        guard let quoted = readQuoted() else { return .malformed }
        return .text(String(decoding: quoted, as: UTF8.self))
    }

    /// Reads the text between quotes, starting at the first; `nil` if the closing quote is missing.
    private mutating func readQuoted() -> [UInt8]? {
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"):
                guard let escaped = peek else { return nil }
                position += 1
                text.append(escaped)
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func skipToComma() {
        while let byte = peek, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = readQuoted() } else { position += 1 }
        }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        skip(isWanted)
        return bytes[start..<position]
    }

    private mutating func skip(_ isUnwanted: (UInt8) -> Bool) {
        while let byte = peek, isUnwanted(byte) { position += 1 }
    }
}
