import Foundation

/// The scheme, host and port of a URL in the form that nearly all have: `https://` or `http://`, letters, digits, dots
/// and hyphens, perhaps a port.
///
/// URLs in any other form are left to Foundation, which takes ten times as long.
struct PlainAuthority {
    let isSecure: Bool
    /// The position of the host in the URL's text.
    let host: Range<Int>
    /// Whether there is no capital letter in the host.
    let isLowercase: Bool
    let port: Int?

    /// Calls a function with the authority and the URL's text, if the URL has that form.
    static func read<Result>(_ url: URL, _ body: (PlainAuthority, UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        var text = url.absoluteString
        return text.withUTF8 { text in PlainAuthority(text).map { body($0, text) } }
    }

    private init?(_ text: UnsafeBufferPointer<UInt8>) {
        let isSecure = UnsafeRawBufferPointer(text).begins(with: "https://")
        guard isSecure || UnsafeRawBufferPointer(text).begins(with: "http://") else { return nil }
        let start = isSecure ? 8 : 7
        var end = start
        var isLowercase = true
        scan: while end < text.count {
            switch text[end] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): break
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): isLowercase = false
            // Two hyphens in a row may stand for other letters.
            case UInt8(ascii: "-") where text[end - 1] != UInt8(ascii: "-"): break
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ":"): break scan
            default: return nil
            }
            end += 1
        }
        guard end > start else { return nil }
        self.isSecure = isSecure
        self.isLowercase = isLowercase
        host = start..<end
        guard end < text.count, text[end] == UInt8(ascii: ":") else {
            port = nil
            return
        }
        var port = 0
        digits: for byte in text[(end + 1)...] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): port = min(65_536, port * 10 + Int(byte - UInt8(ascii: "0")))
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break digits
            default: return nil
            }
        }
        guard (1...65_535).contains(port) else { return nil }
        self.port = port
    }
}
