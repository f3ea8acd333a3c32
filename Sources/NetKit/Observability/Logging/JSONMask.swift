/// Masks the values of secret names in anything that looks like JSON, even if it is truncated.
///
/// JSON inside a string of JSON is masked as well, up to three strings deep.
struct JSONMask {
    private static let maxDepth = 3

    private let names: Set<String>
    private let publicNames: Set<String>
    private let usesPatterns: Bool

    init(_ redaction: Redaction) {
        names = Set(redaction.queryItems.union(redaction.headerNames).map(Self.plain))
        publicNames = Set(redaction.publicQueryItems.map(Self.plain))
        usesPatterns = redaction.usesPatterns
    }

    /// Returns the form that `accessToken`, `access_token` and `Access-Token` have in common.
    private static func plain(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    func masking(_ data: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(data.count)
        mask(Array(data)[...], depth: 0, into: &result)
        return result
    }

    /// Appends a text to a result, with its secrets masked.
    private func mask(_ bytes: ArraySlice<UInt8>, depth: Int, into result: inout [UInt8]) {
        var text = JSONMarks(bytes, depth: depth)
        var position = bytes.startIndex
        while let start = text.nextString(from: position) {
            result += bytes[position..<start]
            let end = text.endOfString(from: start)
            let string = bytes[start..<end]
            maskInside(string, of: text, into: &result)
            position = end
            guard let value = text.startOfValue(from: end), isSecret(text.content(of: string)) else { continue }
            result += bytes[end..<value]
            result += text.quoted(Redaction.mask)
            position = text.endOfValue(from: value)
        }
        result += bytes[position...]
    }

    /// Appends a string with its quotation marks, and masks the JSON in it.
    private func maskInside(_ string: ArraySlice<UInt8>, of text: JSONMarks, into result: inout [UInt8]) {
        guard text.depth < Self.maxDepth, string.contains(JSONMarks.backslash) else {
            result += string
            return
        }
        let isClosed = string.count > 1 && string.last == JSONMarks.quote
        result += string.prefix(1)
        let inside = text.shorteningEscapes(in: string.dropFirst().dropLast(isClosed ? 1 : 0))
        mask(inside, depth: text.depth + 1, into: &result)
        if isClosed { result.append(JSONMarks.quote) }
    }

    private func isSecret(_ content: ArraySlice<UInt8>) -> Bool {
        let name = JSONMarks.name(content)
        let plain = Self.plain(name)
        return names.contains(plain) || usesPatterns && SecretNamePattern.matches(name) && !publicNames.contains(plain)
    }
}

/// The marks of JSON that is a number of strings deep inside other JSON.
///
/// Each string around it escapes its quotation marks and backslashes once more.
private struct JSONMarks {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")

    let depth: Int
    private let bytes: ArraySlice<UInt8>
    /// The last search for a closing quotation mark: where it began, and what it found.
    private var search: (start: Int, found: ClosingMark?)?

    private struct ClosingMark {
        /// The position after the mark.
        let end: Int
        /// Whether the next character may follow a string in JSON.
        let isFollowedByJSON: Bool
    }

    init(_ bytes: ArraySlice<UInt8>, depth: Int) { (self.bytes, self.depth) = (bytes, depth) }

    /// The number of backslashes before a quotation mark.
    private var escapes: Int { (1 << depth) - 1 }

    /// Returns a text as a string of this depth.
    func quoted(_ text: String) -> [UInt8] {
        let mark = [UInt8](repeating: Self.backslash, count: escapes) + [Self.quote]
        return mark + Array(text.utf8) + mark
    }

    /// Returns a string without its quotation marks, the last of which may be missing.
    func content(of string: ArraySlice<UInt8>) -> ArraySlice<UInt8> { string.dropFirst().dropLast(1 + escapes) }

    /// Returns the inside of a string with each `\u0022` in it written as `\"`, and each `\u005c` as `\\`, which is the
    /// same JSON.
    func shorteningEscapes(in inside: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var (result, rest, run) = ([UInt8](), inside, 0)
        result.reserveCapacity(inside.count)
        while let byte = rest.popFirst() {
            let isEscape = byte == UInt8(ascii: "u") && run % (2 << depth) == 1 << depth
            if isEscape, rest.starts(with: "0022".utf8) {
                result += [UInt8](repeating: Self.backslash, count: escapes) + [Self.quote]
                rest = rest.dropFirst(4)
                run = 0
            } else if isEscape, rest.starts(with: "005c".utf8) || rest.starts(with: "005C".utf8) {
                result += [UInt8](repeating: Self.backslash, count: 1 << depth)
                rest = rest.dropFirst(4)
                run += 1 << depth
            } else {
                result.append(byte)
                run = byte == Self.backslash ? run + 1 : 0
            }
        }
        return result[...]
    }

    /// Returns a name without backslashes, and with the letters that it has as numbers, such as `\u0061`.
    static func name(_ content: ArraySlice<UInt8>) -> String {
        guard content.contains(backslash) else { return String(decoding: content, as: UTF8.self) }
        var (name, rest) = ("", content)
        while let start = rest.firstIndex(of: backslash) {
            name += String(decoding: rest[..<start], as: UTF8.self)
            rest = rest[start...].drop { $0 == backslash }
            let digits = rest.dropFirst().prefix(4)
            if rest.first == UInt8(ascii: "u"), digits.count == 4,
                let number = UInt16(digits: String(decoding: digits, as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(number)
            {
                name.unicodeScalars.append(scalar)
                rest = rest.dropFirst(5)
            }
        }
        return name + String(decoding: rest, as: UTF8.self)
    }

    /// Returns the position of the next opening quotation mark, after its backslashes; `nil` if there is none.
    func nextString(from start: Int) -> Int? {
        var (position, run) = (start, 0)
        while position < bytes.endIndex {
            // Outside all strings, a backslash has no meaning.
            if bytes[position] == Self.quote, depth == 0 || isMark(after: run) { return position }
            run = bytes[position] == Self.backslash ? run + 1 : 0
            position += 1
        }
        return nil
    }

    /// Returns the position after the closing quotation mark.
    ///
    /// No string of JSON contains a line break, so one ends the string, unless JSON follows the closing quotation mark.
    /// Otherwise, a single quotation mark before the JSON would swap the inside and the outside of all strings, and a
    /// key in PEM format that was written as it is would be visible.
    mutating func endOfString(from start: Int, isSecret: Bool = false) -> Int {
        guard let mark = closingMark(after: start) else {
            // Nothing of a secret that is truncated may be visible.
            return isSecret ? bytes.endIndex : lineBreak(in: start..<bytes.endIndex) ?? bytes.endIndex
        }
        return mark.isFollowedByJSON ? mark.end : lineBreak(in: start..<mark.end) ?? mark.end
    }

    /// Returns the next closing quotation mark after an opening one; `nil` if there is none.
    ///
    /// The result of a search also holds for each quotation mark that it passes, because a quotation mark ends a run of
    /// backslashes. If it were searched for again, strings that end at line breaks would take quadratic time.
    private mutating func closingMark(after start: Int) -> ClosingMark? {
        if let search, search.start <= start {
            guard let found = search.found else { return nil }
            if start < found.end - 1 { return found }
        }
        let found = nextClosingMark(after: start)
        search = (start, found)
        return found
    }

    private func nextClosingMark(after start: Int) -> ClosingMark? {
        var (position, run) = (start + 1, 0)
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            if byte == Self.quote, isMark(after: run) {
                return ClosingMark(end: position, isFollowedByJSON: isFollowedByJSON(position))
            }
            run = byte == Self.backslash ? run + 1 : 0
        }
        return nil
    }

    private func lineBreak(in range: Range<Int>) -> Int? {
        bytes[range].firstIndex { $0 == 0x0A || $0 == 0x0D }
    }

    private func isFollowedByJSON(_ end: Int) -> Bool {
        let next = skippingBlanks(from: end)
        return next == bytes.endIndex || ",:}]".utf8.contains(bytes[next])
    }

    /// Returns whether a quotation mark after a number of backslashes is one of this depth.
    private func isMark(after run: Int) -> Bool { run % (2 << depth) == escapes }

    /// Returns the start of the value after a name, or `nil` if the string was not a name.
    func startOfValue(from end: Int) -> Int? {
        let colon = skippingBlanks(from: end)
        guard colon < bytes.endIndex, bytes[colon] == UInt8(ascii: ":") else { return nil }
        return skippingBlanks(from: colon + 1)
    }

    /// Skips blanks, and in strings the escapes of line breaks and tabs, such as `\n`.
    private func skippingBlanks(from start: Int) -> Int {
        var position = start
        while position < bytes.endIndex {
            if [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
                position += 1
                continue
            }
            let letter = position + (1 << depth) / 2
            guard depth > 0, letter < bytes.endIndex, "nrt".utf8.contains(bytes[letter]),
                bytes[position..<letter].allSatisfy({ $0 == Self.backslash })
            else { break }
            position = letter + 1
        }
        return position
    }

    /// Returns the end of a string, an array, an object, or another value.
    mutating func endOfValue(from start: Int) -> Int {
        let opening = start + escapes
        if opening < bytes.endIndex, bytes[opening] == Self.quote {
            return endOfString(from: opening, isSecret: true)
        }
        var (position, level) = (start, 0)
        while position < bytes.endIndex {
            switch bytes[position] {
            case Self.quote:
                position = endOfString(from: position, isSecret: true)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): level += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if level == 0 { return position }
                level -= 1
                if level == 0 { return position + 1 }
            case UInt8(ascii: ","):
                if level == 0 { return position }
            default: break
            }
            position += 1
        }
        return bytes.endIndex
    }
}
