import Foundation

/// A URL as keys know it: without fragment, with scheme and host in lower case, without the scheme's own port.
enum CacheAddress {
    static func text(of url: URL) -> String { String(decoding: bytes(of: url), as: UTF8.self) }

    static func bytes(of url: URL) -> [UInt8] {
        var bytes = Array(url.absoluteString.utf8)
        if let fragment = bytes.firstIndex(of: UInt8(ascii: "#")) { bytes.removeSubrange(fragment...) }
        guard let start = authorityStart(bytes) else { return bytes }
        var end = start
        var host = start
        while end < bytes.count, !isDelimiter(bytes[end]) {
            if bytes[end] == UInt8(ascii: "@") { host = end + 1 }
            end += 1
        }
        for index in 0..<start { bytes[index] = bytes[index].lowercasedASCII }
        for index in host..<end { bytes[index] = bytes[index].lowercasedASCII }
        if end == bytes.count || bytes[end] == UInt8(ascii: "?") { bytes.insert(UInt8(ascii: "/"), at: end) }
        if let colon = bytes[host..<end].lastIndex(of: UInt8(ascii: ":")) {
            let port = bytes[(colon + 1)..<end]
            let usual = bytes.starts(with: "https:".utf8) ? "443" : "80"
            if port.isEmpty || port.elementsEqual(usual.utf8) { bytes.removeSubrange(colon..<end) }
        }
        return bytes
    }

    private static func authorityStart(_ bytes: [UInt8]) -> Int? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[(colon + 1)...].starts(with: "//".utf8) else {
            return nil
        }
        return colon + 3
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }
}
