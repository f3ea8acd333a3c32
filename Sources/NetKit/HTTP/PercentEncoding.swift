/// Percent-encoding (RFC 3986, section 2).
enum PercentEncoding {
    /// Encodes everything but unreserved characters: the result is one segment, or one part of a query.
    static func segment(_ text: String) -> String {
        encode(text) { byte, _ in byte.isURLUnreserved }
    }

    /// Encodes only what cannot stand in a URL at all and keeps what is already encoded.
    static func tolerant(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0.isURLUnreserved || $0.isURLReserved }) { return text }
        return encode(text) { byte, rest in
            if byte == UInt8(ascii: "%") {
                let digits = rest.dropFirst().prefix(2)
                return digits.count == 2 && digits.allSatisfy(\.isHexDigit)
            }
            return byte.isURLUnreserved || byte.isURLReserved
        }
    }

    private static func encode(_ text: String, keep: (UInt8, ArraySlice<UInt8>) -> Bool) -> String {
        let bytes = Array(text.utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if keep(byte, bytes[index...]) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension UInt8 {
    fileprivate var isURLUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    fileprivate var isURLReserved: Bool {
        switch self {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
