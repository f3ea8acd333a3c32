import Testing

@testable import NetKit

struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-9/10", 0, 10), ("bytes 5-9/10", 5, 10), ("BYTES  5-5/*", 5, -1),
        ("bytes 9223372036854775806-9223372036854775806/9223372036854775807", Int64.max - 1, Int64.max),
    ])
    func readsARange(_ text: String, _ first: Int64, _ total: Int64) throws {
        let range = try #require(ContentRange(text))
        #expect(range.first == first && range.total == (total < 0 ? nil : total))
    }

    @Test(arguments: [
        "", "bytes", "bytes */10", "bytes 9-5/10", "bytes 0-10/10", "bytes 0-9", "bytes 0-9/", "bytes -9/10",
        "bytes 0-/10",
        "items 0-9/10", "bytes 0-9/10 x", "bytes 0-99999999999999999999/*", "bytes +0-9/10", "bytes 0-9/-1",
        "bytes 0–9/10",
    ])
    func invalidTextIsNil(_ text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test func noInputCrashes() {
        ParserFuzz.texts(["bytes", " ", "0", "9", "99999999999999999999", "-", "/", "*", "\t"]) { text in
            if let range = ContentRange(text) {
                #expect(range.first >= 0 && range.total.map { $0 > range.first } ?? true)
            }
        }
        #expect(ParserFuzz.isLinear(["-", "/", "0", " "], prefix: "bytes ") { _ = ContentRange($0) })
    }
}
