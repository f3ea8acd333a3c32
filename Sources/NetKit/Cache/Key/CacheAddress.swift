import Foundation

/// A URL as keys know it: without fragment, with scheme and host in lower case, without the scheme's own port.
enum CacheAddress {
    static func text(of url: URL) -> String {
        var bytes = Array(url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") })
        guard let start = authorityStart(bytes) else { return String(decoding: bytes, as: UTF8.self) }
        var end = start
        var host = start
        while end < bytes.count, !isDelimiter(bytes[end]) {
            if bytes[end] == UInt8(ascii: "@") { host = end + 1 }
            end += 1
        }
        for index in 0..<start { bytes[index] = bytes[index].lowercasedASCII }
        for index in host..<end { bytes[index] = bytes[index].lowercasedASCII }
        let port = bytes.starts(with: "https:".utf8) ? ":443" : ":80"
        if end == bytes.count || bytes[end] == UInt8(ascii: "?") { bytes.insert(UInt8(ascii: "/"), at: end) }
        if bytes[host..<end].reversed().starts(with: port.utf8.reversed()) {
            bytes.removeSubrange(end - port.utf8.count..<end)
        } else if end > host, bytes[end - 1] == UInt8(ascii: ":") {
            bytes.remove(at: end - 1)
        }
        return String(decoding: bytes, as: UTF8.self)
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
