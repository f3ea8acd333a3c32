import Foundation

/// A URL as keys know it: without fragment, with scheme and host in lower case, without the scheme's own port.
enum CacheAddress {
    static func text(of url: URL) -> String { String(decoding: bytes(of: url), as: UTF8.self) }

    /// The bytes, with room for more behind them.
    static func bytes(of url: URL, room: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        var text = url.absoluteString
        text.withUTF8 { text in
            bytes.reserveCapacity(text.count + 1 + room)
            let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.count
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<end]))
        }
        guard let start = authorityStart(bytes) else { return bytes }
        var (host, end) = (start, start)
        var colon: Int?
        var hasCapitals = bytes[..<start].contains { $0 != $0.lowercasedASCII }
        scan: while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "/"), UInt8(ascii: "?"): break scan
            case UInt8(ascii: "@"): (host, colon) = (end + 1, nil)
            case UInt8(ascii: ":"): colon = end
            default: hasCapitals = hasCapitals || bytes[end] != bytes[end].lowercasedASCII
            }
            end += 1
        }
        if hasCapitals {
            for index in 0..<end where index < start || index >= host { bytes[index] = bytes[index].lowercasedASCII }
        }
        if end == bytes.count || bytes[end] == UInt8(ascii: "?") { bytes.insert(UInt8(ascii: "/"), at: end) }
        if let colon {
            let usual = start == "https://".utf8.count ? "443" : "80"
            let port = bytes[(colon + 1)..<end]
            if port.isEmpty || port.elementsEqual(usual.utf8) { bytes.removeSubrange(colon..<end) }
        }
        return bytes
    }

    private static func authorityStart(_ bytes: [UInt8]) -> Int? {
        let slash = UInt8(ascii: "/")
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 2 < bytes.count,
            bytes[colon + 1] == slash, bytes[colon + 2] == slash
        else { return nil }
        return colon + 3
    }
}
