import Foundation

/// The normalized form of a URL, as RFC 3986, section 6.2.2, and the HTTP scheme allow.
///
/// The fragment, the scheme's own port and dot segments are removed. Scheme and host are in lower case, and an empty
/// path becomes `/`. Percent-encoded characters that need no encoding are decoded; the others have capital digits. The
/// request itself is sent unchanged.
enum NormalizedURL {
    /// Returns the normalized URL.
    static func text(of url: URL) -> String { String(decoding: bytes(of: url), as: UTF8.self) }

    /// Returns the normalized URL in bytes, followed by the value of a `Host` field that names another host.
    static func bytes(of url: URL, host named: String? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        let (mayHaveDots, hasPercent) = append(url, to: &bytes)
        guard let start = authorityStart(bytes) else { return bytes }
        if hasPercent { decodeUnreserved(&bytes, from: start) }
        var authority = Authority(in: bytes, from: start)
        if authority.hasCapitals { lowercaseSchemeAndHost(&bytes, authority) }
        if authority.end == bytes.count || bytes[authority.end] == UInt8(ascii: "?") {
            bytes.insert(UInt8(ascii: "/"), at: authority.end)
        }
        removeOwnPort(&bytes, &authority)
        if mayHaveDots || hasPercent { removeDotSegments(&bytes, from: authority.end) }
        if let named { append(host: named, to: &bytes, unlessIn: authority) }
        return bytes
    }

    /// The places of the parts of an authority.
    private struct Authority {
        /// The start of the user info, or else of the host.
        let start: Int
        /// The start of the host.
        private(set) var host: Int
        /// The place of the colon before the port.
        private(set) var colon: Int?
        var end: Int
        /// Whether the scheme or the authority has capitals.
        private(set) var hasCapitals: Bool

        init(in bytes: [UInt8], from start: Int) {
            (self.start, host, end) = (start, start, start)
            hasCapitals = bytes[..<start].contains { $0 != $0.lowercasedASCII }
            while end < bytes.count {
                switch bytes[end] {
                case UInt8(ascii: "/"), UInt8(ascii: "?"): return
                case UInt8(ascii: "@"): (host, colon) = (end + 1, nil)
                case UInt8(ascii: ":"): colon = end
                default: hasCapitals = hasCapitals || bytes[end] != bytes[end].lowercasedASCII
                }
                end += 1
            }
        }

        /// Whether the scheme is `https`.
        var isSecure: Bool { start == "https://".utf8.count }
    }

    /// Appends a URL without its fragment, and returns whether it has anything to decode or to remove, which is rare.
    private static func append(_ url: URL, to bytes: inout [UInt8]) -> (mayHaveDots: Bool, hasPercent: Bool) {
        var mayHaveDots = false
        var hasPercent = false
        var text = url.absoluteString
        text.withUTF8 { text in
            bytes.reserveCapacity(text.count + 1)
            var end = 0
            var last: UInt8 = 0
            while end < text.count {
                let byte = text[end]
                if byte == UInt8(ascii: "#") { break }
                if byte == UInt8(ascii: "%") { hasPercent = true }
                if byte == UInt8(ascii: "."), last == UInt8(ascii: "/") { mayHaveDots = true }
                last = byte
                end += 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<end]))
        }
        return (mayHaveDots, hasPercent)
    }

    private static func authorityStart(_ bytes: [UInt8]) -> Int? {
        let slash = UInt8(ascii: "/")
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 2 < bytes.count,
            bytes[colon + 1] == slash, bytes[colon + 2] == slash
        else { return nil }
        return colon + 3
    }

    private static func lowercaseSchemeAndHost(_ bytes: inout [UInt8], _ authority: Authority) {
        for index in 0..<authority.end where index < authority.start || index >= authority.host {
            bytes[index] = bytes[index].lowercasedASCII
        }
    }

    private static func removeOwnPort(_ bytes: inout [UInt8], _ authority: inout Authority) {
        guard let colon = authority.colon,
            isOwnPort(bytes[(colon + 1)..<authority.end], isSecure: authority.isSecure)
        else { return }
        bytes.removeSubrange(colon..<authority.end)
        authority.end = colon
    }

    private static func isOwnPort(_ port: ArraySlice<UInt8>, isSecure: Bool) -> Bool {
        port.isEmpty || port.elementsEqual((isSecure ? "443" : "80").utf8)
    }

    /// Decodes unreserved characters, and writes all other escapes with capital digits (RFC 3986, section 6.2.2).
    private static func decodeUnreserved(_ bytes: inout [UInt8], from start: Int) {
        var (source, target) = (start, start)
        while source < bytes.count {
            if bytes[source] == UInt8(ascii: "%"), source + 2 < bytes.count,
                let high = bytes[source + 1].hexDigitValue, let low = bytes[source + 2].hexDigitValue
            {
                let byte = UInt8(high << 4 | low)
                if byte.isURLUnreserved {
                    bytes[target] = byte
                    target += 1
                } else {
                    bytes[target] = UInt8(ascii: "%")
                    bytes[target + 1] = bytes[source + 1].uppercasedHexDigit
                    bytes[target + 2] = bytes[source + 2].uppercasedHexDigit
                    target += 3
                }
                source += 3
            } else {
                bytes[target] = bytes[source]
                source += 1
                target += 1
            }
        }
        bytes.removeSubrange(target...)
    }

    /// Removes `.` and `..` from the path (RFC 3986, section 5.2.4); the query is left as it is.
    private static func removeDotSegments(_ bytes: inout [UInt8], from start: Int) {
        let slash = UInt8(ascii: "/")
        let dot = UInt8(ascii: ".")
        let query = bytes[start...].firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
        guard start < query, bytes[start] == slash else { return }
        var path: [UInt8] = []
        path.reserveCapacity(query - start)
        let segments = bytes[(start + 1)..<query].split(separator: slash, omittingEmptySubsequences: false)
        for (number, segment) in segments.enumerated() {
            let isLast = number == segments.count - 1
            if segment.elementsEqual([dot]) {
                if isLast { path.append(slash) }
            } else if segment.elementsEqual([dot, dot]) {
                path.removeSubrange((path.lastIndex(of: slash) ?? 0)...)
                if isLast { path.append(slash) }
            } else {
                path.append(slash)
                path.append(contentsOf: segment)
            }
        }
        bytes.replaceSubrange(start..<query, with: path)
    }

    /// Adds the host that a request names, unless it is the URL's own.
    private static func append(host text: String, to bytes: inout [UInt8], unlessIn own: Authority) {
        var host = Array(text.utf8.trimmingBlanks.map(\.lowercasedASCII))
        if let colon = host.lastIndex(of: UInt8(ascii: ":")), isOwnPort(host[(colon + 1)...], isSecure: own.isSecure) {
            host.removeSubrange(colon...)
        }
        if bytes[own.host..<own.end].elementsEqual(host) { return }
        // No URL contains a blank.
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: host)
    }
}

extension UInt8 {
    /// The hexadecimal digit in upper case.
    fileprivate var uppercasedHexDigit: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self) ? self & 0xDF : self
    }
}
