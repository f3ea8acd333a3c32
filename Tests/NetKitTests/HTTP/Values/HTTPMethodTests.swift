import Testing

@testable import NetKit

struct HTTPMethodTests {
    @Test(
        arguments: [
            (.get, "GET", true, true), (.head, "HEAD", true, true), (.options, "OPTIONS", true, true),
            (.trace, "TRACE", true, true), (.query, "QUERY", true, true), (.put, "PUT", false, true),
            (.delete, "DELETE", false, true), (.post, "POST", false, false), (.patch, "PATCH", false, false),
            ("PURGE", "PURGE", false, false),
        ] as [(HTTPMethod, String, Bool, Bool)]
    )
    func knowsWhatRepeatingItDoes(_ method: HTTPMethod, _ name: String, _ isSafe: Bool, _ isIdempotent: Bool) {
        #expect(method.rawValue == name)
        #expect(method.description == name)
        #expect(method.isSafe == isSafe)
        #expect(method.isIdempotent == isIdempotent)
        #expect(method.isToken)
    }

    @Test func isCaseSensitive() {
        #expect(HTTPMethod("get") != .get)
        #expect(!HTTPMethod("get").isSafe)
    }

    /// RFC 9110, section 5.6.2: every ASCII byte is accepted or refused as the grammar says.
    @Test func allowsTheBytesOfATokenOnly() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(byte.isHTTPTokenByte == allowed.contains(byte))
        }
    }

    @Test(arguments: [
        "", " ", "GET ", " GET", "GE T", "GET\r\n", "GET / HTTP/1.1\r\nX: y", "GÉT", "GET\0", "GET\t", "\u{7F}",
        "(GET)",
        "GET,POST", "GET:", "GET/", "\"GET\"", "GET\u{85}",
    ])
    func refusesWhatIsNoToken(_ text: String) {
        #expect(!HTTPMethod(text).isToken)
    }
}
