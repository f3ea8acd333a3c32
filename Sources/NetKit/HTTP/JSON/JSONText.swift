import Foundation

/// A writer for a JSON object; it runs at each enqueue, and `JSONEncoder` takes ten times as long.
struct JSONText {
    private(set) var bytes: [UInt8]
    private var isFirst = true

    init(capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Returns a text as JSON, in quotation marks.
    static func literal(_ value: String) -> [UInt8] {
        var text = JSONText(capacity: value.utf8.count + 8)
        text.string(value)
        return text.bytes
    }

    /// Begins an object; with a key, as the value of that key.
    mutating func begin(_ key: StaticString? = nil) {
        if let key { self.key(key) }
        bytes.append(UInt8(ascii: "{"))
        isFirst = true
    }

    mutating func end() {
        bytes.append(UInt8(ascii: "}"))
        isFirst = false
    }

    /// Adds a number, if there is one.
    ///
    /// Not inlined: it would be repeated for each number of a record.
    @inline(never)
    mutating func add(_ key: StaticString, _ value: Int64?) {
        guard let value else { return }
        self.key(key)
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func add(_ key: StaticString, _ value: Bool) {
        self.key(key)
        bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
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
        bytes.append(UInt8(ascii: "\""))
        withUnsafeBytes(of: value.uuid) { digits in
            for (index, byte) in digits.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
                bytes.append(UInt8.capitalHexDigits[Int(byte >> 4)])
                bytes.append(UInt8.capitalHexDigits[Int(byte & 15)])
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds bytes as text if they are valid UTF-8, or else in Base64 under another key.
    mutating func add(text: StaticString, orBytes: StaticString, _ data: Data) {
        if data.withUnsafeBytes({ Self.isPlain($0, high: 0x80) }) {
            key(text)
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: data)
            bytes.append(UInt8(ascii: "\""))
        } else if let valid = String(validating: data, as: UTF8.self) {
            add(text, valid)
        } else {
            add(orBytes, data.base64EncodedString())
        }
    }

    /// Adds a value that is already JSON.
    mutating func add(_ key: StaticString, json: some Collection<UInt8>) {
        self.key(key)
        bytes.append(contentsOf: json)
    }

    mutating func add(_ key: StaticString, texts: [String]) {
        self.key(key)
        bytes.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            string(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func add(_ key: StaticString, pairs: [(String, String)]) {
        self.key(key)
        bytes.append(UInt8(ascii: "["))
        for (index, pair) in pairs.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "["))
            string(pair.0)
            bytes.append(UInt8(ascii: ","))
            string(pair.1)
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func add(_ key: StaticString, object: [(key: String, value: String)]) {
        self.key(key)
        bytes.append(UInt8(ascii: "{"))
        for (index, pair) in object.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            string(pair.key)
            bytes.append(UInt8(ascii: ":"))
            string(pair.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func key(_ key: StaticString) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
            if Self.isPlain(UnsafeRawBufferPointer(text), high: 0) { return bytes.append(contentsOf: text) }
            var start = 0
            for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                escape(byte)
                start = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
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
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(UInt8.hexDigits[Int(byte >> 4)])
            bytes.append(UInt8.hexDigits[Int(byte & 15)])
        }
    }
}
