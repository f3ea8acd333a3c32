/// `Set-Cookie` fields that were joined into one.
enum SetCookieValue {
    /// Takes joined fields apart again.
    ///
    /// A comma separates two cookies only where a name and `=` follow it: the one in `Expires=Wed, 21 Oct 2026` is followed
    /// by a day, and RFC 6265 allows none in a value.
    static func split(_ joined: String) -> [String] {
        let bytes = Array(joined.utf8)
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: ",") {
            guard beginsCookie(bytes[(index + 1)...]) else { continue }
            parts.append(bytes[start..<index])
            start = index + 1
        }
        parts.append(bytes[start...])
        return parts.map { String(decoding: $0.trimmingBlanks, as: UTF8.self) }
    }

    private static func beginsCookie(_ rest: ArraySlice<UInt8>) -> Bool {
        let name = rest.trimmingBlanks.prefix { $0.isHTTPTokenByte }
        return !name.isEmpty && name.endIndex < rest.endIndex && rest[name.endIndex] == UInt8(ascii: "=")
    }
}
