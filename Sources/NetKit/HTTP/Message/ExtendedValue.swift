import Foundation

/// A parameter's value with its character set (RFC 8187): `UTF-8'en'%E2%82%AC`.
enum ExtendedValue {
    /// The text; nil where the form is not kept, or the character set is neither UTF-8 nor ISO 8859-1.
    static func decode(_ value: String) -> String? {
        let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let charset = String(parts[0])?.lowercased(), isPlain(parts[2]) else { return nil }
        guard let bytes = PercentEncoding.decoded(parts[2]) else { return nil }
        switch charset {
        case "utf-8", "utf8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1", "latin1":
            var text = ""
            text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
            return text
        default: return nil
        }
    }

    private static func isPlain(_ bytes: Substring.UTF8View) -> Bool {
        bytes.allSatisfy { $0.isHTTPTokenByte || $0 == UInt8(ascii: "%") }
    }
}
