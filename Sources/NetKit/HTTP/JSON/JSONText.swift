import Foundation

/// A writer for a JSON object; it runs at each enqueue, and `JSONEncoder` takes ten times as long.
struct JSONText {
    /// The text so far, and zeros in the room for more.
    ///
    /// A key or a value is written with one change of the array, because each change first checks that nothing else
    /// uses the array.
    private var buffer: [UInt8]
    private var count = 0
    private var isFirst = true

    init(capacity: Int = 512) {
        buffer = [UInt8](repeating: 0, count: capacity)
    }

    /// The text.
    var bytes: [UInt8] { Array(buffer[..<count]) }

    /// Returns a text as JSON, in quotation marks.
    static func literal(_ value: String) -> [UInt8] {
        var text = JSONText(capacity: value.utf8.count + 8)
        text.string(value)
        return text.bytes
    }

    /// Begins an object; with a key, as the value of that key.
    mutating func begin(_ key: StaticString? = nil) {
        if let key { self.key(key) }
        append(UInt8(ascii: "{"))
        isFirst = true
    }

    mutating func end() {
        append(UInt8(ascii: "}"))
        isFirst = false
    }

    /// Adds a number, if there is one.
    ///
    /// Not inlined: it would be repeated for each number of a record.
    @inline(never)
    mutating func add(_ key: StaticString, _ value: Int64?) {
        guard let value else { return }
        self.key(key)
        value.withDigits { append($0) }
    }

    mutating func add(_ key: StaticString, _ value: Bool) {
        self.key(key)
        append(value ? "true" : "false")
    }

    /// Adds a text, if there is one.
    mutating func add(_ key: StaticString, _ value: String?) {
        guard let value else { return }
        self.key(key)
        string(value)
    }

    /// Adds a UUID in capitals, as `uuidString` does, which takes twenty times as long.
    mutating func add(_ key: StaticString, _ value: UUID) {
        self.key(key)
        append(38) { text in
            text[0] = UInt8(ascii: "\"")
            let digits = UnsafeMutableRawBufferPointer(rebasing: text[1...])
            withUnsafeBytes(of: value.uuid) { digits.writeUUID($0, in: UInt8.capitalHexDigits) }
            text[37] = UInt8(ascii: "\"")
        }
    }

    /// Adds bytes as text if they are valid UTF-8, or else in Base64 under another key.
    mutating func add(text: StaticString, orBytes: StaticString, _ data: Data) {
        if data.withUnsafeBytes({ Self.isPlain($0, high: 0x80) }) {
            key(text)
            data.withUnsafeBytes { quote($0) }
        } else if let valid = String(validating: data, as: UTF8.self) {
            add(text, valid)
        } else {
            add(orBytes, data.base64EncodedString())
        }
    }

    /// Adds a value that is already JSON.
    mutating func add(_ key: StaticString, json: some Collection<UInt8>) {
        self.key(key)
        append(json.count) { $0.copyBytes(from: json) }
    }

    mutating func add(_ key: StaticString, texts: [String]) {
        self.key(key)
        append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            string(text)
        }
        append(UInt8(ascii: "]"))
    }

    mutating func add(_ key: StaticString, pairs: [(String, String)]) {
        self.key(key)
        append(UInt8(ascii: "["))
        for (index, pair) in pairs.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(UInt8(ascii: "["))
            string(pair.0)
            append(UInt8(ascii: ","))
            string(pair.1)
            append(UInt8(ascii: "]"))
        }
        append(UInt8(ascii: "]"))
    }

    mutating func add(_ key: StaticString, object: [(key: String, value: String)]) {
        self.key(key)
        append(UInt8(ascii: "{"))
        for (index, pair) in object.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            string(pair.key)
            append(UInt8(ascii: ":"))
            string(pair.value)
        }
        append(UInt8(ascii: "}"))
    }

    private mutating func key(_ key: StaticString) {
        if !isFirst { append(UInt8(ascii: ",")) }
        isFirst = false
        key.withUTF8Buffer { quote(UnsafeRawBufferPointer($0)) }
        append(UInt8(ascii: ":"))
    }

    private mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { text in
            let text = UnsafeRawBufferPointer(text)
            if Self.isPlain(text, high: 0) { return quote(text) }
            append(UInt8(ascii: "\""))
            var start = 0
            for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
                escape(byte)
                start = index + 1
            }
            append(UnsafeRawBufferPointer(rebasing: text[start...]))
            append(UInt8(ascii: "\""))
        }
    }

    /// Appends bytes in quotation marks.
    private mutating func quote(_ text: UnsafeRawBufferPointer) {
        append(text.count + 2) { quoted in
            quoted[0] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: quoted[1...]).copyMemory(from: text)
            quoted[text.count + 1] = UInt8(ascii: "\"")
        }
    }

    private mutating func append(_ byte: UInt8) {
        append(1) { $0[0] = byte }
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(_ text: UnsafeRawBufferPointer) {
        append(text.count) { $0.copyMemory(from: text) }
    }

    /// Appends as many bytes as `write` fills.
    private mutating func append(_ length: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        let (start, end) = (count, count + length)
        if end > buffer.count { buffer += [UInt8](repeating: 0, count: max(length, buffer.count)) }
        buffer.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[start..<end])) }
        count = end
    }

    /// Returns whether bytes need no escapes in a JSON text, eight bytes a step; `high` is 0x80 if none above 0x7F is
    /// allowed.
    private static func isPlain(_ bytes: UnsafeRawBufferPointer, high: UInt64) -> Bool {
        let (each, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let (blanks, quotes, slashes) = (0x20 &* each, 0x22 &* each, 0x5C &* each)
        let highs = high &* each
        var index = 0
        var marks: UInt64 = 0
        // Subtracting 1 from a byte sets its top bit if it was 0, and subtracting 32 if it was below 32.
        func mark(_ word: UInt64) -> UInt64 {
            let (quote, slash) = (word ^ quotes, word ^ slashes)
            let found = ((word &- blanks) & ~word) | ((quote &- each) & ~quote) | ((slash &- each) & ~slash)
            return (found & tops) | (word & highs)
        }
        while index &+ 8 <= bytes.count {
            marks |= mark(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index &+= 8
        }
        while index < bytes.count {
            // The other bytes of the word are blanks.
            marks |= mark(blanks ^ UInt64(bytes[index] ^ 0x20))
            index &+= 1
        }
        return marks == 0
    }

    private mutating func escape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: append(byte)
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x09: append(UInt8(ascii: "t"))
        default:
            append("u00")
            append(UInt8.hexDigits[Int(byte >> 4)])
            append(UInt8.hexDigits[Int(byte & 15)])
        }
    }
}
