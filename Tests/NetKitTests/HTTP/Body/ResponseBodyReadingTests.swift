import Foundation
import Testing

@testable import NetKit

struct ResponseBodyReadingTests {
    private let ends = Notebook<BodyEnd>()

    private func body(_ texts: String..., length: Int64? = nil) -> (ResponseBody, ScriptedSource) {
        let source = ScriptedSource(texts.map { Data($0.utf8) })
        let body = ResponseBody(length: length, source: source)
        body.onEnd { [ends] in ends.add($0) }
        return (body, source)
    }

    @Test(arguments: [5, 6, .max])
    func collectsUpToItsBound(_ limit: Int) async throws {
        #expect(try await body("he", "ll", "o").0.collect(upTo: limit) == Data("hello".utf8))
        #expect(try await body("he", "ll", "o", length: 5).0.collect(upTo: limit) == Data("hello".utf8))
        #expect(try await ResponseBody(Data("hello".utf8)).collect(upTo: limit) == Data("hello".utf8))
    }

    @Test(arguments: [4, 1, 0, -1])
    func refusesADeclaredLengthBeforeItReads(_ limit: Int) async throws {
        let (body, source) = body("hello", length: 5)
        let error = try await #require(throws: NetKitError.self) { try await body.collect(upTo: limit) }
        #expect(error.code == .bodyTooLarge)
        #expect(error.outcome == .answered)
        #expect(
            error.message
                == "The body has 5 bytes, and the limit is \(limit) bytes. Raise the limit, or stream the body."
        )
        #expect(source.reads.count == 0)
        #expect(source.cancellations.count == 1)
        #expect(ends.entries.map(\.isAbandoned) == [true])
    }

    @Test(arguments: [4, 2, 1, 0, -1])
    func stopsAtTheMaximumOfBytes(_ limit: Int) async throws {
        let (body, source) = body("he", "ll", "o", "more")
        let error = try await #require(throws: NetKitError.self) { try await body.collect(upTo: limit) }
        #expect(error.code == .bodyTooLarge)
        #expect(error.message.hasPrefix("The body is longer than the limit of \(limit) bytes."))
        #expect(source.cancellations.count == 1)
        #expect(source.reads.count == (limit >= 4 ? 3 : limit >= 2 ? 2 : 1))
        #expect(ends.entries.map(\.isAbandoned) == [true])
    }

    @Test func refusesABufferedBodyThatIsTooLarge() async {
        await #expect(throws: NetKitError.self) { try await ResponseBody(Data(count: 5)).collect(upTo: 4) }
    }

    @Test func doesNotDisturbAReaderByRefusing() async throws {
        let (body, source) = body("he", "llo", length: 5)
        var iterator = body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("he".utf8))
        await #expect(throws: NetKitError.self) { try await body.collect(upTo: 1) }
        #expect(source.cancellations.count == 0)
        #expect(try await iterator.next() == Data("llo".utf8))
    }

    @Test func doesNotTrustAPeerThatPromisesTooMuch() async throws {
        let data = try await body("he", "llo", length: .max).0.collect(upTo: .max)
        #expect(data == Data("hello".utf8))
    }

    @Test func givesDataThatBeginsAtZero() async throws {
        let slice = Data("hello world".utf8).dropFirst(6)
        let data = try await ResponseBody(source: ScriptedSource([slice])).collect(upTo: 10)
        #expect(data == Data("world".utf8))
        #expect(data.startIndex == 0)
        let both = try await ResponseBody(source: ScriptedSource([slice, slice])).collect(upTo: 10)
        #expect(both == Data("worldworld".utf8))
        #expect(both.startIndex == 0)
    }

    @Test func collectsAnEmptyBody() async throws {
        #expect(try await body().0.collect(upTo: 0) == Data())
        #expect(try await ResponseBody.empty.collect(upTo: 0) == Data())
    }

    @Test func readsTextAcrossChunkBorders() async throws {
        let bytes = Data("Größe 多".utf8)
        let source = ScriptedSource(bytes.map { Data([$0]) })
        #expect(try await ResponseBody(source: source).text(upTo: 100) == "Größe 多")
        #expect(try await ResponseBody(Data([0x61, 0xFF, 0x62])).text(upTo: 3) == "a\u{FFFD}b")
        await #expect(throws: NetKitError.self) { try await ResponseBody(bytes).text(upTo: bytes.count - 1) }
    }

    @Test func decodesJSON() async throws {
        #expect(try await body("[1,", "2]").0.json([Int].self, upTo: 10) == [1, 2])
        let inferred: [String: Bool] = try await body("{\"a\":true}").0.json(upTo: 20)
        #expect(inferred == ["a": true])
        await #expect(throws: NetKitError.self) { try await body("[1,2]").0.json([Int].self, upTo: 4) }
    }

    @Test func decodesWithACoderOfYourOwn() async throws {
        struct Value: Decodable, Equatable { var userName: String }
        let coder = JSONCoder {
            JSONEncoder()
        } decoder: {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
        let value = try await body("{\"user_name\":\"Ada\"}").0.json(Value.self, upTo: 100, coder: coder)
        #expect(value == Value(userName: "Ada"))
    }

    @Test func anErrorOfDecodingNamesThePlace() async throws {
        struct User: Decodable { var name: String }
        struct Page: Decodable { var users: [User] }
        let json = "{\"users\":[{\"name\":\"Ada\"},{\"name\":42}]}"
        let error = try await #require(throws: NetKitError.self) {
            try await body(json).0.json(Page.self, upTo: 100)
        }
        #expect(error.code == .decoding)
        #expect(error.codingPath == "users[1].name")
        #expect(error.outcome == .answered)
        #expect(!error.description.contains("Ada"))
    }

    @Test(arguments: [
        (0, "", true), (1, "h", true), (2, "he", true), (4, "hell", true), (5, "hello", false), (6, "hello", false),
    ])
    func givesAPrefixAndSaysWhetherThereWasMore(_ limit: Int, _ text: String, _ isTruncated: Bool) async throws {
        let (body, source) = body("he", "ll", "o")
        let prefix = try await body.prefix(upTo: limit)
        #expect(prefix.data == Data(text.utf8))
        #expect(prefix.isTruncated == isTruncated)
        #expect(source.cancellations.count == (isTruncated ? 1 : 0))
    }
}
