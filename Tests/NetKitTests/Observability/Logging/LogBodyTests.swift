import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the excerpts of bodies in logs.
struct LogBodyTests {
    private static func excerpt(_ text: String, _ type: String?, limit: Int = 1000) -> String {
        LogBody(limit: limit, redaction: .standard).excerpt(Data(text.utf8), contentType: type)
    }

    @Test(
        arguments: [
            ("", "text/plain", "<empty>"), ("hello", "text/plain; charset=utf-8", "hello"), ("hello", nil, "hello"),
            ("<a/>", "application/atom+xml", "<a/>"), ("PNG", "image/png", "<3 bytes of image/png>"),
            ("x", "multipart/form-data; boundary=b", "<1 bytes of multipart/form-data>"),
            ("a\u{0}b", nil, "<3 bytes of unknown type>"),
            ("a=1&password=hunter2&b=2", "application/x-www-form-urlencoded", "a=1&password=***&b=2"),
            ("password=hunter2", "Application/X-WWW-Form-URLEncoded", "password=***"),
            ("color=#fff&password=a#b&n=1?", "application/x-www-form-urlencoded", "color=#fff&password=***&n=1?"),
            // Servers differ in which of several types they take.
            (
                "password=hunter2", "application/x-www-form-urlencoded, application/x-www-form-urlencoded",
                "password=***"
            ),
            ("password=hunter2", "text/plain, application/x-www-form-urlencoded; charset=utf-8", "password=***"),
            (#"{"token":"x"}"#, "application/json, application/x-www-form-urlencoded", #"{"token":"***"}"#),
            (
                "x", "application/x-www-form-urlencoded, multipart/form-data; boundary=b",
                "<1 bytes of multipart/form-data>"
            ),
            (#"{"token":"x"}"#, "application/json, text/html", #"{"token":"***"}"#),
            (#"{"token":"x"}"#, "image/png, application/json", #"{"token":"***"}"#),
            (#"{"token":"x"}"#, "application/x-amz-json-1.1", #"{"token":"***"}"#),
            (#"{"token":"x"}"#, "application/geo+json-seq", #"{"token":"***"}"#),
            (#"{"token":"x"}"#, "application/csp-report", #"{"token":"***"}"#),
            ("x", "application/json+zip", "<1 bytes of application/json+zip>"),
            ("x", "application/jsonish", "<1 bytes of application/jsonish>"),
        ] as [(String, String?, String)]
    )
    func isText(text: String, type: String?, expected: String) {
        #expect(Self.excerpt(text, type) == expected)
    }

    @Test(
        arguments: [
            String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .shiftJIS, .iso2022JP,
        ],
        [
            (#"{"a":"ソ","password":"hunter2"}"#, "application/problem+json; charset=utf-16"),
            (#"{"a":"ソ","password":"hunter2"}"#, "application/json"),
            (#"{"a":"ソ","password":"hunter2"}"#, "text/plain"),
            ("a=ソ&password=hunter2", "application/x-www-form-urlencoded"),
        ]
    )
    func textInOtherEncodingsIsMaskedAsAWhole(encoding: String.Encoding, body: (String, String)) throws {
        let data = try #require(body.0.data(using: encoding))
        #expect(LogBody(limit: 1000, redaction: .standard).excerpt(data, contentType: body.1) == "***")
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .shiftJIS])
    func jsonWithoutATypeIsNotShownInOtherEncodings(encoding: String.Encoding) throws {
        let data = try #require(#"{"a":"ソ","password":"hunter2"}"#.data(using: encoding))
        let excerpt = LogBody(limit: 1000, redaction: .standard).excerpt(data, contentType: nil)
        #expect(excerpt == "<\(data.count) bytes of unknown type>")
        #expect(LogBody.masked(data, contentType: nil, .standard) == Data("***".utf8))
        let command = try HTTPRequest(.post, "https://a.com/", body: .data(data)).curlCommand()
        #expect(command.contains("--data-raw '***'"))
    }

    /// They are shown in HAR and curl, because they may be binary.
    @Test(arguments: [[0xE9, 0x41], [0x00, 0x41], [0x1B, 0x24, 0x42]] as [[UInt8]])
    func secretsInBytesWithoutATypeAreMasked(start: [UInt8]) {
        let body = Data(start) + Data(#" {"password":"hunter2"}"#.utf8)
        let masked = LogBody.masked(body, contentType: nil, .standard)
        #expect(masked == Data(start) + Data(#" {"password":"***"}"#.utf8))
    }

    @Test(arguments: [
        ("text/plain; charset=utf-7", "***"), ("text/plain; charset=none", "***"), ("text/plain; charset=sjis", "***"),
        ("text/plain; charset=utf-8, text/plain; charset=gbk", "***"), ("text/plain; charset=UTF-8", "a"),
        ("text/plain; charset=\"iso-8859-15\"", "a"), ("text/plain; charset=us-ascii", "a"),
    ])
    func aCharacterSetThatHidesNamesIsNotShown(type: String, expected: String) {
        #expect(Self.excerpt("a", type) == expected)
    }

    @Test func textMayBeTruncatedInsideACharacter() {
        #expect(Self.excerpt("a€", "text/plain", limit: 2) == "a\u{FFFD}… (4 bytes)")
        let latin = LogBody(limit: 9, redaction: .standard).excerpt(
            Data([0xE9, 0x41, 0x41, 0x41]),
            contentType: "text/a"
        )
        #expect(latin == "***")
    }

    @Test func isTruncatedAtTheLimit() {
        #expect(Self.excerpt("0123456789", "text/plain", limit: 4) == "0123… (10 bytes)")
        #expect(Self.excerpt("0123456789", "text/plain", limit: 10) == "0123456789")
        #expect(Self.excerpt("0123456789", "text/plain", limit: 0) == "… (10 bytes)")
        #expect(Self.excerpt("0123456789", "text/plain", limit: -1) == "… (10 bytes)")
    }

    @Test(arguments: [
        (#"{"name":"Ada"}"#, #"{"name":"Ada"}"#),
        (#"{"password":"hunter2","name":"Ada"}"#, #"{"password":"***","name":"Ada"}"#),
        (#"{ "access_token" : "abc" , "n" : 1 }"#, #"{ "access_token" : "***" , "n" : 1 }"#),
        (#"{"accessToken":"abc","Refresh-Token":"def"}"#, #"{"accessToken":"***","Refresh-Token":"***"}"#),
        (#"{"token":"a\"b,c"}"#, #"{"token":"***"}"#),
        (#"{"token":12345,"x":1}"#, #"{"token":"***","x":1}"#),
        (#"{"token":null}"#, #"{"token":"***"}"#),
        (#"{"token":{"a":["}","b"]},"x":1}"#, #"{"token":"***","x":1}"#),
        (#"{"secret":["a","b"]}"#, #"{"secret":"***"}"#),
        (#"{"a":{"client_secret":"s"}}"#, #"{"a":{"client_secret":"***"}}"#),
        (#"{"say":"token"}"#, #"{"say":"token"}"#),
        (#"["token","x"]"#, #"["token","x"]"#),
        (#"{"token":"cut sho"#, #"{"token":"***""#),
        (#"{"token""#, #"{"token""#), (#"{"token":"#, #"{"token":"***""#), (#"{"tok"#, #"{"tok"#), (#"{"a\"#, #"{"a\"#),
        (#"data: {"token":"abc"}"#, #"data: {"token":"***"}"#),
        (#"{"Authorization":"Bearer abc"}"#, #"{"Authorization":"***"}"#),
        (
            "{\"\(String(repeating: "a_", count: 50))password\":\"hunter2\"}",
            "{\"\(String(repeating: "a_", count: 50))password\":\"***\"}"
        ),
        // A quotation mark that is not of the JSON.
        ("12\" pipe\n{\"token\":\"abc\"}", "12\" pipe\n{\"token\":\"***\"}"),
        ("\"\r\n{\"a\":1,\"token\":\"abc\"}", "\"\r\n{\"a\":1,\"token\":\"***\"}"),
        // Line breaks that the JSON ought to escape.
        ("{\"private_key\":\"BEGIN\nabc\n\",\"a\":1}", "{\"private_key\":\"***\",\"a\":1}"),
        ("{\"a\":\"x\ny\",\"token\":\"abc\"}", "{\"a\":\"x\ny\",\"token\":\"***\"}"),
        ("{\"private_key\":\"BEGIN\nabc", "{\"private_key\":\"***\""),
        // JSON inside a string.
        (#"{"body":"{\"password\":\"hunter2\",\"a\":1}"}"#, #"{"body":"{\"password\":\"***\",\"a\":1}"}"#),
        (#"{"body":"{ \"pin_token\" : 1234}","a":1}"#, #"{"body":"{ \"pin_token\" : \"***\"}","a":1}"#),
        (#"["{\"a\":\"{\\\"token\\\":\\\"x\\\"}\"}"]"#, #"["{\"a\":\"{\\\"token\\\":\\\"***\\\"}\"}"]"#),
        (#"{"body":"{\"token\":\"a\\\"b\"}"}"#, #"{"body":"{\"token\":\"***\"}"}"#),
        (#"{"body":"{\"token\":\"cut sho"#, #"{"body":"{\"token\":\"***\""#),
        (#"{"body":"{\u0022token\u0022:\u0022x\u0022,\u0022a\u0022:1}"}"#, #"{"body":"{\"token\":\"***\",\"a\":1}"}"#),
        (
            #"["{\u0022a\u0022:\u0022{\\u0022token\\u0022:\\u0022x\\u0022}\u0022}"]"#,
            #"["{\"a\":\"{\\\"token\\\":\\\"***\\\"}\"}"]"#
        ),
        (#"["{\"a\":\"{\\u0022token\\u0022:1}\"}"]"#, #"["{\"a\":\"{\\\"token\\\":\\\"***\\\"}\"}"]"#),
        (#"{"body":"{\u0022token\u0022:\u0022cut sho"#, #"{"body":"{\"token\":\"***\""#),
        (#"{"say":"\\u0022, \u00"}"#, #"{"say":"\\u0022, \u00"}"#),
        (#"{"body":"{\"password\":\"abc\u005c\"def\"}"}"#, #"{"body":"{\"password\":\"***\"}"}"#),
        (#"{"body":"{\"token\":\"a\u005C\u0022b\",\"x\":1}"}"#, #"{"body":"{\"token\":\"***\",\"x\":1}"}"#),
        (#"{"body":"{\"token\":\"a\u005cu0022b\"}"}"#, #"{"body":"{\"token\":\"***\"}"}"#),
        (
            #"["{\"a\":\"{\\\"token\\\":\\\"x\\u005c\\\"y\\\"}\"}"]"#,
            #"["{\"a\":\"{\\\"token\\\":\\\"***\\\"}\"}"]"#
        ),
        // Blanks inside a string are escapes.
        (
            #"{"body":"{\"password\"\n:\r\n\t\"hunter2\" \n, \"a\" : 1}"}"#,
            #"{"body":"{\"password\"\n:\r\n\t\"***\" \n, \"a\" : 1}"}"#
        ),
        (
            #"["{\"a\":\"{\\\"token\\\"\\n :\\t\\\"x\\\"}\"}"]"#,
            #"["{\"a\":\"{\\\"token\\\"\\n :\\t\\\"***\\\"}\"}"]"#
        ),
        // Letters of a name as numbers.
        (#"{"p\u0061ssword":"hunter2"}"#, #"{"p\u0061ssword":"***"}"#),
        (#"{"\u0070\u0057D":1,"\u006":2}"#, #"{"\u0070\u0057D":"***","\u006":2}"#),
        (#"{"body":"{\"to\\u006ben\":\"x\"}"}"#, #"{"body":"{\"to\\u006ben\":\"***\"}"}"#),
        (#"{"say":"\"token\": no JSON \\"}"#, #"{"say":"\"token\": \"***\""}"#),
    ])
    func secretsInJSONAreMasked(json: String, expected: String) {
        #expect(Self.excerpt(json, "application/json") == expected)
    }

    /// A secret is masked wherever the text is truncated.
    @Test(
        arguments: [
            #"{"a":1,"password":"hunter2","b":{"api_key":"k3y-k3y"},"c":"{\"token\":\"k3y\",\"d\":2}"}"#,
            #"{"a":1,"b":"{\u0022password\u0022:\u0022hunter2\u0022}","to\u006ben":["k3y"]}"#,
        ],
        0...95
    )
    func noTruncationShowsASecret(text: String, limit: Int) {
        let shown = Self.excerpt(text, "application/json", limit: limit)
        #expect(!shown.contains("hun") && !shown.contains("k3y"))
    }

    @Test(arguments: UInt64(0)..<20)
    func anyBytesAreAccepted(seed: UInt64) {
        let random = RandomSource.seeded(seed)
        let alphabet = Array(#""\:{}[],token 1"#.utf8) + [0xFF, 0x00, 0x0A]
        for _ in 0..<100 {
            let bytes = (0..<Int(random.next() % 60)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            let masked = JSONMask(.standard).masking(bytes)
            #expect(masked.count <= bytes.count * 6 + 6)
        }
    }

    /// Each quotation mark may open a string that ends at the next line break, before a closing mark that is far away.
    @Test(arguments: ["\"\n", "{\"token\":[\"\n"], [false, true])
    func takesLinearTime(prefix: String, isClosed: Bool) {
        let pieces = ["\"", "\\\"", "\\\"\n", "\"\n", "\n", "{", ":", "x"]
        let isLinear = ParserFuzz.isLinear(pieces, prefix: prefix) { text in
            let end = isClosed ? "\"\(String(repeating: " ", count: text.utf8.count))x" : ""
            _ = JSONMask(.standard).masking((text + end).utf8)
        }
        #expect(isLinear)
    }
}
