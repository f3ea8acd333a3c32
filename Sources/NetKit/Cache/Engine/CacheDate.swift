import Foundation

/// Dates as a cache reads them: the three forms of HTTP, in upper or lower case (RFC 9111, section 4.2).
enum CacheDate {
    /// Returns the date in a field; `nil` if the field is absent, repeated or not a date.
    static func read(_ name: String, in headers: HTTPHeaders, now: Date) -> Date? {
        let values = headers.values(of: name)
        guard values.count == 1, let value = values.first else { return nil }
        return parse(value, now: now)
    }

    static func parse(_ text: String, now: Date) -> Date? {
        // Text longer than any form is not worth copying.
        guard text.utf8.count <= 64 else { return nil }
        return HTTPDate.parse(inUsualCase(text), now: now)
    }

    /// Returns the text with a capital letter at the start of each word, and the zone in capitals.
    private static func inUsualCase(_ text: String) -> String {
        var isInside = false
        let words = text.utf8.map { byte -> UInt8 in
            let lower = byte.lowercasedASCII
            guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower) else {
                isInside = false
                return byte
            }
            defer { isInside = true }
            return isInside ? lower : lower & 0xDF
        }
        let usual = String(decoding: words, as: UTF8.self)
        return usual.hasSuffix("Gmt") ? usual.dropLast(3) + "GMT" : usual
    }
}
