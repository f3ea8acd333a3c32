extension UInt8 {
    /// Whether the byte may be in a token (RFC 9110, section 5.6.2), such as a method or a field name.
    var isHTTPTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "!"),
            UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether the byte is a space or a tab.
    var isHTTPBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension String {
    /// Whether the text is a token (RFC 9110, section 5.6.2).
    var isHTTPToken: Bool {
        var text = self
        return text.withUTF8 { !$0.isEmpty && $0.allSatisfy(\.isHTTPTokenByte) }
    }

    /// Whether the text is empty or consists of spaces and tabs, so that as the value of a field it is empty.
    var isHTTPBlank: Bool { utf8.allSatisfy(\.isHTTPBlank) }
}
