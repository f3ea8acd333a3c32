import Foundation

extension URL {
    /// Creates a URL from a text, with the characters encoded that no URL may contain, and existing escapes kept.
    ///
    /// For one such character, Foundation encodes a whole component, with the `%` of its escapes. The authority is left
    /// to Foundation, which knows international names and addresses in brackets.
    package init?(text: String, relativeTo base: URL? = nil) {
        let (encoded, hasInternationalHost) = URLText.encoded(text)
        guard let url = URL(string: encoded, relativeTo: base) else { return nil }
        // Only a URL from the text with the encoded name gives that name as its host.
        self = hasInternationalHost ? url.reparsed : url
    }

    /// The absolute URL with the host that is sent.
    ///
    /// Foundation's own `URL(string:)` encodes an international name in the text of the URL, but gives its letters as
    /// the host.
    var asSent: URL {
        let url = absoluteURL
        let isEscaped = url.host(percentEncoded: true)?.utf8.contains(UInt8(ascii: "%")) ?? false
        return isEscaped ? url.reparsed : url
    }

    /// The URL without a user and a password, which libcurl and `URLSession` would send as a credential.
    var withoutUserInfo: URL {
        guard user(percentEncoded: true) != nil, var parts = URLComponents(url: self, resolvingAgainstBaseURL: false)
        else { return self }
        (parts.user, parts.password) = (nil, nil)
        return parts.url ?? self
    }

    /// The URL of the same text, whose host is the encoded name.
    private var reparsed: URL { URL(string: absoluteString) ?? self }
}

/// The text of a URL, in the form that Foundation reads without a change.
enum URLText {
    /// Returns the text with the characters encoded that no URL may contain, and whether its host has letters of
    /// another script.
    fileprivate static func encoded(_ text: String) -> (text: String, hasInternationalHost: Bool) {
        var text = text
        if text.withUTF8(needsNoEncoding) { return (text, false) }
        let bytes = Array(text.utf8)
        let scheme = schemeEnd(of: bytes)
        let host = host(in: bytes)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count + 16)
        // Without a scheme, a colon in the first segment would end one.
        var (mayHaveColon, isFragment) = (scheme > 0 || host.lowerBound > 0, false)
        for (index, byte) in bytes.enumerated() {
            let isKept: Bool
            switch byte {
            case _ where host.contains(index): isKept = true
            case UInt8(ascii: "%"): isKept = isEscape(bytes[index...].prefix(3))
            case UInt8(ascii: "["), UInt8(ascii: "]"): isKept = false
            case UInt8(ascii: ":"): isKept = mayHaveColon
            case UInt8(ascii: "#"):
                isKept = !isFragment
                isFragment = true
            default: isKept = byte.isURLUnreserved || byte.isURLReserved
            }
            if isEnd(byte) { mayHaveColon = true }
            PercentEncoding.append(byte, isKept: isKept, to: &encoded)
        }
        return (String(decoding: encoded, as: UTF8.self), !bytes[host].allSatisfy { $0 < 0x80 })
    }

    /// Returns the place of the host and port; an empty one if there is no authority.
    static func host(in bytes: [UInt8]) -> Range<Int> {
        let scheme = schemeEnd(of: bytes)
        guard bytes[scheme...].starts(with: "//".utf8) else { return scheme..<scheme }
        let authority = bytes[(scheme + 2)...].prefix { !isEnd($0) }
        let start = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        return start..<authority.endIndex
    }

    /// Returns whether Foundation changes nothing in a text.
    private static func needsNoEncoding(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var isFragment = false
        for index in text.indices where !text[index].isURLUnreserved {
            switch text[index] {
            case UInt8(ascii: "%"): guard isEscape(text[index...].prefix(3)) else { return false }
            case UInt8(ascii: "["), UInt8(ascii: "]"): return false
            case UInt8(ascii: "#"):
                guard !isFragment else { return false }
                isFragment = true
            default: guard text[index].isURLReserved else { return false }
            }
        }
        return true
    }

    private static func isEscape(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count == 3 && bytes.dropFirst().allSatisfy { $0.hexDigitValue != nil }
    }

    /// Returns whether a byte ends an authority, or the first segment of a path.
    private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Returns the position after the scheme and its colon; 0 if there is none.
    private static func schemeEnd(of bytes: [UInt8]) -> Int {
        guard let end = bytes.firstIndex(where: { !$0.isSchemeByte }), end > 0, bytes[end] == UInt8(ascii: ":"),
            bytes[0].isASCIILetter
        else { return 0 }
        return end + 1
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    fileprivate var isSchemeByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: isASCIILetter
        }
    }
}
