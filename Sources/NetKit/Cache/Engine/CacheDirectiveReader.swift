/// Reads a list of directives (`name`, `name=value` or `name="value"`), and marks each malformed one.
struct CacheDirectiveReader {
    enum Argument: Equatable {
        case none
        case text(String)
        /// Text that the grammar does not allow: blanks inside, or a missing closing quote.
        case malformed
    }

    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    /// Returns the next directive, with its name in lower case; `nil` at the end.
    mutating func next() -> (name: String, argument: Argument)? {
        rest = rest.drop { $0 == UInt8(ascii: ",") || $0.isHTTPBlank }
        guard !rest.isEmpty else { return nil }
        let name = String(decoding: take { $0.isHTTPTokenByte }.map(\.lowercasedASCII), as: UTF8.self)
        var argument = Argument.none
        if rest.first == UInt8(ascii: "=") {
            rest.removeFirst()
            argument = readArgument()
        }
        rest = rest.drop(while: \.isHTTPBlank)
        if let byte = rest.first, byte != UInt8(ascii: ",") {
            skipToComma()
            argument = .malformed
        }
        return (name, argument)
    }

    private mutating func readArgument() -> Argument {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = take { $0.isHTTPTokenByte }
            return token.isEmpty ? .malformed : .text(String(decoding: token, as: UTF8.self))
        }
        let quoted = rest.popQuoted()
        return quoted.isClosed ? .text(String(decoding: quoted.bytes, as: UTF8.self)) : .malformed
    }

    private mutating func skipToComma() {
        while let byte = rest.first, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = rest.popQuoted() } else { rest.removeFirst() }
        }
    }

    private mutating func take(_ isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isWanted)
        rest = rest[taken.endIndex...]
        return taken
    }
}
