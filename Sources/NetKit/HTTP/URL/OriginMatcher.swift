import Foundation

/// A test whether URLs are of one origin, which needs no parsing if the URL's text begins with that of the origin.
struct OriginMatcher: Sendable, Hashable {
    let origin: Origin
    /// The origin as a URL writes it.
    let text: String

    init?(_ url: URL) {
        guard let origin = Origin(url) else { return nil }
        self.init(origin)
    }

    init(_ origin: Origin) {
        self.origin = origin
        let whole = origin.description
        let isUsual = origin.port == (origin.scheme == "https" ? 443 : 80)
        text = isUsual ? String(whole[..<(whole.lastIndex(of: ":") ?? whole.endIndex)]) : whole
    }

    /// Returns whether a URL is of the origin.
    func matches(_ url: URL) -> Bool {
        let url = url.absoluteURL
        let whole = url.absoluteString
        guard whole.hasPrefix(text) else { return Origin(url) == origin }
        let bytes = whole.utf8
        let end = bytes.index(bytes.startIndex, offsetBy: text.utf8.count)
        guard end < bytes.endIndex else { return true }
        switch bytes[end] {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
        // A longer host, another port, or a user's name that looked like a host.
        default: return Origin(url) == origin
        }
    }
}
