import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the escaping of text from peers and callers in logs.
struct LogTextTests {
    @Test(arguments: [
        ("plain text", "plain text"), ("", ""), ("naïve 日本 👩‍👩‍👧", "naïve 日本 👩‍👩‍👧"), ("a\nb", "a\\nb"), ("a\r\nb", "a\\r\\nb"),
        ("a\tb", "a\\tb"), ("a\u{0}b", "a\\u{0}b"), ("\u{1B}[31mred", "\\u{1B}[31mred"), ("a\u{7F}b", "a\\u{7F}b"),
        ("a\u{85}b", "a\\u{85}b"), ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"), ("a\u{202E}b", "a\\u{202E}b"),
        ("a\u{2066}b", "a\\u{2066}b"), ("a\u{200B}b", "a\\u{200B}b"), ("a\u{FEFF}b", "a\\u{FEFF}b"),
    ])
    func isEscaped(text: String, expected: String) {
        #expect(LogText.escaped(text, limit: 100) == expected)
    }

    @Test(arguments: [("abcdef", 6, "abcdef"), ("abcdef", 5, "abcde…"), ("ééé", 2, "éé…"), ("ab", 0, "…"), ("", 0, "")])
    func isTruncated(text: String, limit: Int, expected: String) {
        #expect(LogText.escaped(text, limit: limit) == expected)
    }

    @Test(arguments: [
        ("plain", "plain"), ("a/b?c", "a/b?c"), ("", "\"\""), ("a b", "\"a b\""), ("a=b", "\"a=b\""),
        ("say \"x\"", "\"say \\\"x\\\"\""), ("back\\slash", "\"back\\\\slash\""),
    ])
    func aValueIsQuotedIfNeeded(text: String, expected: String) {
        #expect(LogText.quotedIfNeeded(text) == expected)
    }

    @Test(arguments: [
        "plain", "quote \" and \\ back", "line\nbreak\r\t", "\u{0}\u{1F}\u{7F}\u{85}", "\u{2028}\u{202E}", "日本 😀 é",
    ])
    func jsonReadsBackAndIsOneLine(text: String) throws {
        let json = LogText.json(text)
        #expect(try JSONDecoder().decode(String.self, from: Data(json.utf8)) == text)
        #expect(json.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{2028}" && $0 != "\u{7F}" })
    }

    /// No text makes a second line or an escape sequence.
    @Test(arguments: UInt64(0)..<20)
    func noTextForgesALine(seed: UInt64) {
        let random = RandomSource.seeded(seed)
        for _ in 0..<50 {
            var text = ""
            for _ in 0..<40 {
                let range: UInt64 = random.next() % 2 == 0 ? 0x100 : 0x3000
                if let scalar = Unicode.Scalar(UInt32(random.next() % range)) { text.unicodeScalars.append(scalar) }
            }
            for shown in [LogText.escaped(text, limit: 30), LogText.escaped(text, limit: 1000), LogText.json(text)] {
                #expect(!shown.contains { $0.isNewline })
                #expect(shown.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            }
        }
    }

    @Test func levelsAreOrdered() {
        #expect(LogLevel.all.shuffled().sorted() == LogLevel.all)
        #expect(
            LogLevel.all.map(\.description) == ["trace", "debug", "info", "notice", "warning", "error", "critical"]
        )
    }
}
