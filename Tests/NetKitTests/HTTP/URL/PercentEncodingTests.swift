import Testing

@testable import NetKit

struct PercentEncodingTests {
    private static let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    private static let reserved = ":/?#[]@!$&'()*+,;="

    @Test func aSegmentKeepsUnreservedCharactersOnly() {
        for byte in UInt8(0)..<128 {
            let text = String(decoding: [byte], as: UTF8.self)
            let hex = String(byte, radix: 16, uppercase: true)
            let encoded = "%" + (hex.count < 2 ? "0" : "") + hex
            #expect(PercentEncoding.segment(text) == (Self.unreserved.contains(text) ? text : encoded))
        }
    }

    @Test(arguments: [
        ("", ""), ("a/../b?x#y%2f", "a%2F..%2Fb%3Fx%23y%252f"), ("ä", "%C3%A4"),
        ("👩‍💻", "%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB"),
        ("a b+c", "a%20b%2Bc"), ("\"'<>\\^`{|}", "%22%27%3C%3E%5C%5E%60%7B%7C%7D"), ("\r\n\0", "%0D%0A%00"),
        ("%", "%25"), ("%2e%2e", "%252e%252e"), (";=&", "%3B%3D%26"),
    ])
    func aSegmentIsEncodedOnceAndFully(_ text: String, _ encoded: String) {
        #expect(PercentEncoding.segment(text) == encoded)
    }

    @Test func theTolerantFormKeepsCharactersThatAURLMayHave() {
        #expect(PercentEncoding.tolerant(Self.unreserved + Self.reserved) == Self.unreserved + Self.reserved)
    }

    @Test(arguments: [
        ("", ""), ("/a b", "/a%20b"), ("/a%20b", "/a%20b"), ("/a%2fb", "/a%2fb"), ("/100%", "/100%25"),
        ("/100%2", "/100%252"), ("/%zz", "/%25zz"), ("/%4", "/%254"), ("/%%41", "/%25%41"),
        ("/ü?ü=1", "/%C3%BC?%C3%BC=1"),
        ("/a\r\nb", "/a%0D%0Ab"), ("/\"<>\\^`{|}", "/%22%3C%3E%5C%5E%60%7B%7C%7D"), ("/\u{7F}", "/%7F"),
    ])
    func theTolerantFormEncodesTheRest(_ text: String, _ encoded: String) {
        #expect(PercentEncoding.tolerant(text) == encoded)
        #expect(PercentEncoding.tolerant(encoded) == encoded)
    }
}
