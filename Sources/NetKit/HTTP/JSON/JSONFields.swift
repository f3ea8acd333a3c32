import Foundation

/// A reader of the fields of a JSON object, one after the other, each of which is read as the type that it should have.
///
/// Every function returns `nil` for a value of another type or form, after which nothing more can be read.
/// `JSONDecoder` takes five times as long.
struct JSONFields {
    /// The name of a field, which is compared where it stands.
    struct Key {
        fileprivate let bytes: UnsafeRawBufferPointer

        static func == (key: Key, name: StaticString) -> Bool {
            name.withUTF8Buffer { name in
                name.count == key.bytes.count && name.indices.allSatisfy { name[$0] == key.bytes[$0] }
            }
        }

        static func ~= (name: StaticString, key: Key) -> Bool { key == name }
    }

    private let bytes: UnsafeRawBufferPointer
    private(set) var position: Int

    init(_ bytes: UnsafeRawBufferPointer, from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// Begins an object, before its first field.
    mutating func begin() -> Bool {
        skipBlanks()
        return skip("{")
    }

    /// Returns the name of the next field, whose value has to be read next; `nil` at the end, and for a name with
    /// escapes, which NetKit does not write.
    mutating func nextKey() -> Key? {
        next { fields in
            guard let (range, marks) = fields.quoted(), !marks.isEscaped else { return nil }
            return Key(bytes: UnsafeRawBufferPointer(rebasing: fields.bytes[range]))
        }
    }

    private mutating func next<Name>(_ name: (inout JSONFields) -> Name?) -> Name? {
        let start = position
        let isFirst = start == 0 || bytes[start - 1] == UInt8(ascii: "{") || bytes[start - 1] == UInt8(ascii: ",")
        skipBlanks()
        if skip(",") { skipBlanks() } else if !isFirst { return nil }
        guard let name = name(&self), skip(":") else {
            position = start
            return nil
        }
        skipBlanks()
        return name
    }

    /// Ends an object after its last field.
    mutating func end() -> Bool {
        skipBlanks()
        return skip("}")
    }

    /// Returns whether nothing but blanks is left.
    mutating func isAtEnd() -> Bool {
        skipBlanks()
        return position == bytes.count
    }

    mutating func bool() -> Bool? { skip("true") ? true : skip("false") ? false : nil }

    mutating func array<Element>(of element: (inout JSONFields) -> Element?) -> [Element]? {
        guard skip("[") else { return nil }
        var elements: [Element] = []
        skipBlanks()
        if skip("]") { return elements }
        while let next = element(&self) {
            elements.append(next)
            skipBlanks()
            if skip("]") { return elements }
            guard skip(",") else { return nil }
            skipBlanks()
        }
        return nil
    }

    mutating func texts() -> [String: String]? {
        guard begin() else { return nil }
        var texts: [String: String] = [:]
        while let key = next({ $0.string() }) {
            guard let text = string(), texts.updateValue(text, forKey: key) == nil else { return nil }
        }
        return end() ? texts : nil
    }

    mutating func integer() -> Int64? {
        let isNegative = position < bytes.count && bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        // Digits of a negative number are subtracted, because the smallest number has no positive counterpart.
        var value: Int64 = 0
        let digits = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            let digit = Int64(bytes[position] - UInt8(ascii: "0"))
            let (scaled, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) =
                isNegative ? scaled.subtractingReportingOverflow(digit) : scaled.addingReportingOverflow(digit)
            guard !first, !second else { return nil }
            value = sum
            position += 1
        }
        guard position > digits, position == digits + 1 || bytes[digits] != UInt8(ascii: "0") else { return nil }
        return value
    }

    /// Returns the integer of the next field, if that field has the given name.
    mutating func integer(of name: StaticString) -> Int? {
        guard nextKey().map({ $0 == name }) == true, let value = integer() else { return nil }
        return Int(exactly: value)
    }

    /// Returns the integer at the end of a part of a record if it belongs to a key, and the place where the key begins.
    static func lastInteger(
        after key: [UInt8],
        in bytes: UnsafeRawBufferPointer,
        _ range: Range<Int>
    ) -> (value: Int64, start: Int)? {
        var start = range.upperBound
        while start > range.lowerBound, bytes[start - 1] != UInt8(ascii: ":") { start -= 1 }
        guard start - key.count >= range.lowerBound, bytes[(start - key.count)..<start].elementsEqual(key) else {
            return nil
        }
        var fields = JSONFields(UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), from: start)
        guard let value = fields.integer(), fields.position == range.upperBound else { return nil }
        return (value, start - key.count)
    }

    mutating func string() -> String? {
        let start = position
        guard let (range, marks) = quoted() else { return nil }
        let text: String? =
            if marks.isEscaped {
                try? JSONDecoder().decode(String.self, from: Data(bytes[start..<position]))
            } else {
                Self.text(UnsafeRawBufferPointer(rebasing: bytes[range]), isASCII: marks.isASCII)
            }
        // Otherwise, what follows could be read in place of an invalid text.
        if text == nil { position = start }
        return text
    }

    /// Skips a text, and returns the range between its quotation marks.
    private mutating func quoted() -> (range: Range<Int>, marks: (isEscaped: Bool, isASCII: Bool))? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        var end = start
        var isEscaped = false
        var bits: UInt8 = 0
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] >= 0x20 else { return nil }
            bits |= bytes[end]
            if bytes[end] == UInt8(ascii: "\\") {
                isEscaped = true
                end += 1
            }
            end += 1
        }
        guard end < bytes.count else { return nil }
        position = end + 1
        return (start..<end, (isEscaped, bits < 0x80))
    }

    /// Returns bytes as text; `nil` if they are not valid UTF-8.
    private static func text(_ bytes: UnsafeRawBufferPointer, isASCII: Bool) -> String? {
        // ASCII is always valid, and checking a short text takes six times as long as copying it.
        isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    /// Returns the text of a given length at the end of the record.
    func lastString(length: Int64) -> String? {
        guard length >= 2, length <= Int64(bytes.count - position) else { return nil }
        var last = JSONFields(bytes, from: bytes.count - Int(length))
        guard let text = last.string(), last.position == bytes.count else { return nil }
        return text
    }

    /// Reads a UUID in the form of `uuidString`; the system's own reader takes ten times as long.
    mutating func uuid() -> UUID? {
        let end = position + 38
        guard end <= bytes.count, bytes[position] == UInt8(ascii: "\""), bytes[end - 1] == UInt8(ascii: "\"") else {
            return nil
        }
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isWhole = withUnsafeMutableBytes(of: &value) { value in
            var count = 0
            for byte in UnsafeRawBufferPointer(rebasing: bytes[(position + 1)..<(end - 1)]) {
                if byte == UInt8(ascii: "-"), count == 8 || count == 12 || count == 16 || count == 20 { continue }
                guard let digit = byte.hexDigitValue, count < 32 else { return false }
                value[count / 2] = value[count / 2] << 4 | digit
                count += 1
            }
            return count == 32
        }
        guard isWhole else { return nil }
        position = end
        return UUID(uuid: value)
    }

    /// Skips everything that can be part of a number, and returns it.
    mutating func number() -> UnsafeRawBufferPointer {
        let start = position
        while position < bytes.count, "0123456789+-.eE".utf8.contains(bytes[position]) { position += 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    mutating func skipBlanks() {
        while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Skips a text, and returns whether it was there.
    mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        let isHere = text.withUTF8Buffer { text in text.indices.allSatisfy { bytes[position + $0] == text[$0] } }
        guard isHere else { return false }
        position += count
        return true
    }
}
