import Foundation

/// A JSON object, written by hand: each enqueue pays for it, and `JSONEncoder` takes ten times as long.
struct JSONText {
    private(set) var bytes: [UInt8]
    private var isFirst = true

    init(capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Begins an object; inside another one as the value of a key.
    mutating func begin(_ key: StaticString? = nil) {
        if let key { self.key(key) }
        bytes.append(UInt8(ascii: "{"))
        isFirst = true
    }

    mutating func end() {
        bytes.append(UInt8(ascii: "}"))
        isFirst = false
    }

    mutating func add(_ key: StaticString, _ value: Int64) {
        self.key(key)
        number(value)
    }

    mutating func add(_ key: StaticString, _ value: Bool) {
        self.key(key)
        bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
    }

    mutating func add(_ key: StaticString, _ value: String) {
        self.key(key)
        string(value)
    }

    /// Writes the name in capitals, as `uuidString` does, which takes twenty times as long.
    mutating func add(_ key: StaticString, _ value: UUID) {
        self.key(key)
        bytes.append(UInt8(ascii: "\""))
        withUnsafeBytes(of: value.uuid) { digits in
            for (index, byte) in digits.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
                bytes.append(Self.capitals[Int(byte >> 4)])
                bytes.append(Self.capitals[Int(byte & 15)])
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func add(_ key: StaticString, _ value: Int64?) {
        if let value { add(key, value) }
    }

    mutating func add(_ key: StaticString, _ value: String?) {
        if let value { add(key, value) }
    }

    /// Bytes as text where they are text, else in base 64 under another key.
    mutating func add(text: StaticString, orBytes: StaticString, _ data: Data) {
        if let valid = String(validating: data, as: UTF8.self) {
            add(text, valid)
        } else {
            add(orBytes, data.base64EncodedString())
        }
    }

    /// Something that is JSON already.
    mutating func add(_ key: StaticString, json: some Collection<UInt8>) {
        self.key(key)
        bytes.append(contentsOf: json)
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

    private mutating func number(_ value: Int64) {
        bytes.append(contentsOf: String(value).utf8)
    }

    private mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
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

    private static let capitals = Array("0123456789ABCDEF".utf8)
}
