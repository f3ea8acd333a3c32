/// Percent-encoding (RFC 3986, section 2), and the variant that forms use.
enum PercentEncoding {
    /// Encodes everything but unreserved characters: the result is one segment, or one part of a query.
    static func segment(_ text: String) -> String {
        if text.utf8.allSatisfy(\.isURLUnreserved) { return text }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count + 16)
        appendSegment(text, to: &encoded)
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Adds a text with everything but unreserved characters encoded.
    static func appendSegment(_ text: String, to encoded: inout [UInt8]) {
        for byte in text.utf8 { append(byte, isKept: byte.isURLUnreserved, to: &encoded) }
    }

    /// Adds a text in the form of `application/x-www-form-urlencoded`: a space becomes `+`, and `*` stays.
    static func appendForm(_ text: String, to encoded: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "): encoded.append(UInt8(ascii: "+"))
            case UInt8(ascii: "*"): encoded.append(byte)
            default: append(byte, isKept: byte.isURLUnreserved && byte != UInt8(ascii: "~"), to: &encoded)
            }
        }
    }

    /// Encodes only characters that no URL may contain, and keeps those that are already encoded.
    static func tolerant(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0.isURLUnreserved || $0.isURLReserved }) { return text }
        let bytes = Array(text.utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count + 16)
        for (index, byte) in bytes.enumerated() {
            let isKept: Bool
            if byte == UInt8(ascii: "%") {
                let digits = bytes[(index + 1)...].prefix(2)
                isKept = digits.count == 2 && digits.allSatisfy { $0.hexDigitValue != nil }
            } else {
                isKept = byte.isURLUnreserved || byte.isURLReserved
            }
            append(byte, isKept: isKept, to: &encoded)
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Returns the decoded bytes of a text; `nil` if a `%` is not followed by two hexadecimal digits.
    static func decoded(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next()?.hexDigitValue, let low = iterator.next()?.hexDigitValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Adds a byte that is kept, or the escape of any other.
    @inline(__always)
    static func append(_ byte: UInt8, isKept: Bool, to encoded: inout [UInt8]) {
        if isKept { encoded.append(byte) } else { appendEncoded(byte, to: &encoded) }
    }

    private static func appendEncoded(_ byte: UInt8, to encoded: inout [UInt8]) {
        encoded.append(UInt8(ascii: "%"))
        encoded.append(UInt8.capitalHexDigits[Int(byte >> 4)])
        encoded.append(UInt8.capitalHexDigits[Int(byte & 15)])
    }
}

extension UInt8 {
    var isURLUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    var isURLReserved: Bool {
        switch self {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
