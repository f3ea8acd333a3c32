import Foundation
import NetKit
import Testing

struct ResponseBodyLinesTests {
    private func lines(_ chunks: [Data], upTo limit: Int? = nil) async throws -> [String] {
        let body = ResponseBody(source: ScriptedSource(chunks))
        var lines: [String] = []
        for try await line in limit.map({ body.lines(upTo: $0) }) ?? body.lines { lines.append(line) }
        return lines
    }

    @Test(arguments: [
        ("", []), ("\n", [""]), ("\r\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\r\n", ["a"]), ("a\nb", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b"]), ("a\n\nb", ["a", "", "b"]), ("\n\n", ["", ""]), ("a\rb\n", ["a\rb"]),
        ("a\r\r\n", ["a\r"]), ("\na", ["", "a"]), ("ä\u{2028}b\u{85}c\n", ["ä\u{2028}b\u{85}c"]), (" a \n", [" a "]),
    ])
    func endsWithLineFeedsOnly(_ text: String, _ expected: [String]) async throws {
        #expect(try await lines([Data(text.utf8)]) == expected)
        #expect(try await lines(text.utf8.map { Data([$0]) }) == expected)
        #expect(try await lines([Data(), Data(text.utf8), Data()]) == expected)
    }

    /// One text, cut in two and in three at every place: the lines never change.
    @Test func doesNotDependOnWhereChunksAreCut() async throws {
        let bytes = Data("one\r\n\r\ntwo\n\nthré\rx\r\nlast".utf8)
        let expected = ["one", "", "two", "", "thré\rx", "last"]
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let chunks = [bytes[..<first], bytes[first..<second], bytes[second...]]
                #expect(try await lines(chunks) == expected)
            }
        }
    }

    @Test func readsUTF8AndReplacesInvalidBytes() async throws {
        #expect(try await lines([Data([0x61, 0xC3]), Data([0xA9, 0x0A, 0xFF, 0x0A])]) == ["aé", "\u{FFFD}"])
    }

    @Test(arguments: [3, 4, 100])
    func allowsLinesUpToTheBound(_ limit: Int) async throws {
        #expect(try await lines([Data("abc\nde\n\nabc".utf8)], upTo: limit) == ["abc", "de", "", "abc"])
        #expect(try await lines("abc\nde\n\nabc".utf8.map { Data([$0]) }, upTo: limit) == ["abc", "de", "", "abc"])
    }

    @Test func theEndOfALineIsNotCounted() async throws {
        for text in ["abc\r\nde\r\n", "abc\r\nde"] {
            #expect(try await lines([Data(text.utf8)], upTo: 3) == ["abc", "de"])
            #expect(try await lines(text.utf8.map { Data([$0]) }, upTo: 3) == ["abc", "de"])
        }
    }

    @Test(arguments: ["ab\nabcd\nx", "ab\nabcd", "ab\nabcd\r\n", "ab\nabc\rx", "ab\nab\r\rx", "ab\nabc\r\r\n"])
    func stopsAtALineThatIsTooLong(_ text: String) async throws {
        for chunks in [[Data(text.utf8)], text.utf8.map { Data([$0]) }] {
            let source = ScriptedSource(chunks)
            do {
                var iterator = ResponseBody(source: source).lines(upTo: 3).makeAsyncIterator()
                #expect(try await iterator.next() == "ab")
                let error = await #expect(throws: NetKitError.self) { try await iterator.next() }
                #expect(error?.code == .bodyTooLarge)
                #expect(error?.outcome == .answered)
                #expect(error?.message.contains("longer than 3 bytes") == true)
                #expect(try await iterator.next() == nil)
            }
            #expect(source.cancellations.count == 1)
        }
    }

    @Test func aLineHasAtMostAMebibyteByDefault() async throws {
        let longest = Data(repeating: 0x61, count: 1 << 20)
        #expect(try await lines([longest, Data("\nb".utf8)]).map(\.utf8.count) == [1 << 20, 1])
        await #expect(throws: NetKitError.self) { try await lines([longest, Data("a".utf8)]) }
    }

    @Test func givesTheLinesBeforeAnError() async throws {
        let body = ResponseBody(source: ScriptedSource("a\nb", error: NetKitError(.connectionLost, "Gone.")))
        var iterator = body.lines.makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        let error = await #expect(throws: NetKitError.self) { try await iterator.next() }
        #expect(error?.code == .connectionLost)
    }

    @Test func givesALineAsSoonAsItIsThere() async throws {
        let pipe = BodyPipe()
        var iterator = ResponseBody(source: pipe).lines.makeAsyncIterator()
        pipe.offer(Data("one\ntw".utf8))
        #expect(try await iterator.next() == "one")
        pipe.offer(Data("o\n".utf8))
        #expect(try await iterator.next() == "two")
        pipe.finish()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func endsTheTransferWhenItsReaderStops() async throws {
        let source = ScriptedSource("a\nb\nc")
        for try await _ in ResponseBody(source: source).lines { break }
        #expect(source.cancellations.count == 1)
    }
}
