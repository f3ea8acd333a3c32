import Foundation
import Testing

@testable import NetKit

/// Tests of generated paths, queries, dates and texts: nothing traps, nothing is quadratic, and no value leaves its
/// place.
struct AddressFuzzTests {
    private static let pieces = [
        "/", "..", ".", "?", "#", "%", "%2f", "%2E", "&", "=", "+", " ", "\\", "\r\n", "\0", "é", "😀", "a", ":", "@",
        "//", "[", ";",
    ]

    @Test func aValueNeverLeavesItsSegment() throws {
        let base = try BaseURL(#require(URL(string: "https://api.example.com/v1")))
        ParserFuzz.texts(Self.pieces) { value in
            let path: RequestPath = "/users/\(value)/posts"
            guard let url = try? HTTPRequest(.get, path).resolved(against: base).url else {
                #expect(value.isEmpty || value == "." || value == "..")
                return
            }
            #expect(url.host() == "api.example.com" && url.query == nil && url.fragment == nil)
            let segments = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false)
            #expect(segments.count == 5 && segments.first == "" && segments[2] == "users" && segments[4] == "posts")
            #expect(PercentEncoding.decoded(segments[3].utf8) == Array(value.utf8))
        }
    }

    @Test func aQueryReadsBackAsItWasWritten() throws {
        var fuzz = ParserFuzz(Self.pieces)
        for _ in 0..<ParserFuzz.count {
            let items = (0..<3).map { _ in (fuzz.nextText(), fuzz.nextText()) }
            var query = QueryBuilder()
            for (name, value) in items { query.add(name, value) }
            let parts = query.encoded.split(separator: "&", omittingEmptySubsequences: false)
            let read = parts.map { part in part.split(separator: "=", omittingEmptySubsequences: false) }
            #expect(read.map(\.count) == [2, 2, 2])
            for (pair, item) in zip(read, items) where pair.count == 2 {
                #expect(PercentEncoding.decoded(pair[0].utf8) == Array(item.0.utf8))
                #expect(PercentEncoding.decoded(pair[1].utf8) == Array(item.1.utf8))
            }
        }
    }

    @Test func anyTextMakesAPathOrAnError() {
        ParserFuzz.texts(Self.pieces + ["https://", "http://", "x.example"]) { text in
            let path = RequestPath(raw: text)
            if let url = try? URLBuilder(base: "https://a.example/b").adding(path: path).build() {
                #expect(url.scheme == "https" && url.host() == "a.example" && url.user() == nil)
            }
        }
        #expect(
            ParserFuzz.isLinear(["/", "%", "a", "é", "..", "?", "/../"], prefix: "/x") {
                _ = try? URLBuilder(base: "https://a.example/b").adding(path: RequestPath(raw: $0)).build()
            }
        )
    }

    @Test func anyTextIsADateOrNone() {
        let pieces = [
            "2023-11-14", "T", "22:13:20", ".123", "Z", "+01:00", "-", ":", "9", "0", " ", "é", "99999999999",
        ]
        ParserFuzz.texts(pieces) { text in
            if let date = ISO8601Date.parse(text) {
                let again = ISO8601Date.parse(ISO8601Date.format(date, fraction: true))
                #expect(again.map { abs($0.timeIntervalSince(date)) <= 0.0006 } ?? false, "\(text)")
            }
        }
        #expect(ParserFuzz.isLinear(["9", "Z", "0"], prefix: "2023-11-14T22:13:20.") { _ = ISO8601Date.parse($0) })
    }

    @Test func anyBytesAreText() {
        let names = [
            "utf-8", "utf-16", "utf-16be", "utf-32", "shift_jis", "euc-jp", "iso-2022-jp", "windows-1252", "x", "",
        ]
        var fuzz = ParserFuzz(["\u{FEFF}", "a", "é", "\0", "\u{1B}$B", "\u{1B}(B"])
        for _ in 0..<ParserFuzz.count {
            let data = Data(fuzz.nextBytes())
            _ = TextEncoding.text(of: data, charset: names[fuzz.number(below: names.count)])
        }
    }

    @Test func anyLinesAreValuesOrAnError() async throws {
        let pieces = ["{\"id\":1}", "\n", "\r\n", "\r", "{", "}", " ", "null", "[1]", "\"a\"", "é"]
        var fuzz = ParserFuzz(pieces)
        // Each input is a whole call, so there are fewer.
        for _ in 0..<(ParserFuzz.count / 10) {
            let input = Data(fuzz.nextBytes())
            let cut = fuzz.number(below: input.count + 1)
            let transport = ScriptedTransport { _, _ in
                HTTPResponse(
                    status: 200,
                    body: ResponseBody(source: ScriptedSource([input.prefix(cut), input.dropFirst(cut)]))
                )
            }
            let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
            do {
                for try await _ in client.stream(.get("/x"), of: JSONValue.self, maxLineBytes: 64) {}
            } catch {
                #expect(error is NetKitError)
            }
        }
    }
}
