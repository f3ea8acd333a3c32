import Foundation
import Testing

@testable import NetKit

struct HTTPBodyTests {
    private struct Odd: Error {}

    private func read(_ body: HTTPBody) async throws -> Data {
        var data = Data()
        for try await chunk in body.chunks {
            #expect(!chunk.isEmpty)
            data.append(chunk)
        }
        return data
    }

    @Test func bytesAreKnownAndCanBeSentAgain() async throws {
        let body = HTTPBody.data(Data("hello".utf8), contentType: "a/b")
        #expect(body.length == 5)
        #expect(body.canReplay)
        #expect(body.bytes == Data("hello".utf8))
        #expect(body.contentType == "a/b")
        #expect(body.fileRange == nil)
        #expect(try await read(body) == Data("hello".utf8))
        #expect(try await read(body) == Data("hello".utf8))
    }

    @Test func textIsUTF8() async throws {
        let body = HTTPBody.text("é")
        #expect(body.length == 2)
        #expect(body.bytes == Data([0xC3, 0xA9]))
        #expect(body.contentType == "text/plain; charset=utf-8")
        #expect(HTTPBody.text("x", contentType: nil).contentType == nil)
    }

    @Test func noBytesGiveNoChunk() async throws {
        var iterator = HTTPBody.data(Data()).chunks.makeAsyncIterator()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(HTTPBody.data(Data()).length == 0)
    }

    @Test func deferredBytesAreMadeWhenTheyAreNeeded() async throws {
        let made = Notebook<Int>()
        let body = HTTPBody.deferred(contentType: "a/b") {
            made.add(1)
            return Data("hello".utf8)
        }
        #expect(body.length == nil)
        #expect(body.bytes == nil)
        #expect(body.canReplay)
        #expect(made.count == 0)
        let prepared = try body.prepared()
        #expect(prepared.length == 5)
        #expect(prepared.bytes == Data("hello".utf8))
        #expect(prepared.contentType == "a/b")
        #expect(try await read(prepared) == Data("hello".utf8))
        #expect(made.count == 1)
        #expect(try await read(body) == Data("hello".utf8))
    }

    @Test func aValueIsWrittenAsJSONByTheClientsCoderUnlessItBringsItsOwn() async throws {
        let date = Date(timeIntervalSince1970: 0)
        let seconds = JSONCoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .secondsSince1970
            return encoder
        } decoder: {
            JSONDecoder()
        }
        let body = HTTPBody.json([date])
        #expect(body.contentType == "application/json")
        #expect(body.canReplay)
        #expect(body.length == nil)
        #expect(try body.prepared().bytes == Data("[\"1970-01-01T00:00:00Z\"]".utf8))
        #expect(try body.prepared(json: seconds).bytes == Data("[0]".utf8))
        #expect(try HTTPBody.json([date], coder: seconds).prepared(json: .standard).bytes == Data("[0]".utf8))
        #expect(try await read(body) == Data("[\"1970-01-01T00:00:00Z\"]".utf8))
    }

    @Test func anEncodingErrorNamesThePath() throws {
        struct Inner: Encodable, Sendable { var ratio = Double.infinity }
        struct Outer: Encodable, Sendable { var items = [Inner()] }
        let error = try #require(throws: NetKitError.self) { try HTTPBody.json(Outer()).prepared() }
        #expect(error.code == .encoding)
        #expect(error.outcome == .notSent)
        #expect(error.message.hasPrefix("The body could not be encoded: items."))
        #expect(error.message.contains(".ratio: "))
        #expect(error.cause is EncodingError)
    }

    @Test func anEncodingErrorWithoutAPathDescribesTheProblem() throws {
        let error = try #require(throws: NetKitError.self) {
            try HTTPBody.deferred {
                throw EncodingError.invalidValue("s3cret", .init(codingPath: [], debugDescription: "No such value."))
            }
            .prepared()
        }
        #expect(error.message == "The body could not be encoded: No such value.")
    }

    @Test func anyOtherErrorOfDeferredBytesIsAnEncodingErrorToo() throws {
        let error = try #require(throws: NetKitError.self) { try HTTPBody.deferred { throw Odd() }.prepared() }
        #expect(error.code == .encoding)
        #expect(error.message == "The body could not be encoded: Odd.")
        #expect(error.cause is Odd)
    }

    @Test func anErrorOfItsOwnPassesThrough() throws {
        let body = HTTPBody.deferred { throw NetKitError(.unsupported, "Not here.") }
        let error = try #require(throws: NetKitError.self) { try body.prepared() }
        #expect(error.code == .unsupported)
        #expect(error.message == "Not here.")
    }

    @Test func deferredBytesMayBeNone() async throws {
        #expect(try await read(HTTPBody.deferred { Data() }) == Data())
        #expect(try HTTPBody.deferred { Data() }.prepared().length == 0)
    }
}
