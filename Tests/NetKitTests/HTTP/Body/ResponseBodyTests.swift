import Foundation
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct ResponseBodyTests {
    private struct Odd: Error {}

    private func readAll(_ body: ResponseBody) async throws -> String {
        var text = ""
        for try await chunk in body { text += String(decoding: chunk, as: UTF8.self) }
        return text
    }

    @Test func aBodyInMemoryIsReadableWithoutAwaiting() {
        let body = ResponseBody(Data("hello".utf8), trailers: ["X": "1"])
        #expect(body.length == 5)
        #expect(body.buffered == Data("hello".utf8))
        #expect(body.trailers == ["X": "1"])
        #expect(!body.isConsumed)
        #expect(ResponseBody.empty.buffered == Data())
        #expect(ResponseBody.empty.length == 0)
        #expect(ResponseBody.empty.trailers == [:])
    }

    @Test func aStreamIsNotThereBeforeItIsRead() async throws {
        let source = ScriptedSource("he", "llo", trailers: ["X": "1"])
        let body = ResponseBody(length: 5, source: source)
        #expect(body.length == 5)
        #expect(body.buffered == nil)
        #expect(body.trailers == nil)
        #expect(!body.isConsumed)
        #expect(try await readAll(body) == "hello")
        #expect(body.isConsumed)
        #expect(body.trailers == ["X": "1"])
        #expect(ResponseBody(source: ScriptedSource()).length == nil)
    }

    @Test(arguments: [true, false])
    func isReadOnce(_ isBuffered: Bool) async throws {
        let body = isBuffered ? ResponseBody(Data("hi".utf8)) : ResponseBody(source: ScriptedSource("hi"))
        #expect(try await readAll(body) == "hi")
        let error = await #expect(throws: NetKitError.self) { try await readAll(body) }
        #expect(error?.code == .bodyConsumed)
        #expect(error?.outcome == .answered)
        await #expect(throws: NetKitError.self) { try await body.collect(upTo: 10) }
        await #expect(throws: NetKitError.self) { for try await _ in body.lines {} }
    }

    @Test func aSecondReaderDoesNotDisturbTheFirst() async throws {
        let source = ScriptedSource("one", "two")
        let body = ResponseBody(source: source)
        var first = body.makeAsyncIterator()
        #expect(try await first.next() == Data("one".utf8))
        await #expect(throws: NetKitError.self) { try await readAll(body) }
        #expect(source.cancellations.count == 0)
        #expect(try await first.next() == Data("two".utf8))
        #expect(try await first.next() == nil)
    }

    @Test func givesABufferedBodyInOneChunk() async throws {
        var iterator = ResponseBody(Data("hello".utf8)).makeAsyncIterator()
        #expect(try await iterator.next() == Data("hello".utf8))
        #expect(try await iterator.next() == nil)
        var empty = ResponseBody.empty.makeAsyncIterator()
        #expect(try await empty.next() == nil)
        #expect(try await empty.next() == nil)
    }

    @Test func readsASequenceOfChunks() async throws {
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        let body = ResponseBody(length: 4, chunks: chunks)
        #expect(body.length == 4)
        for text in ["ab", "cd"] { continuation.yield(Data(text.utf8)) }
        continuation.finish()
        #expect(try await readAll(body) == "abcd")
        #expect(body.trailers == HTTPHeaders())
    }

    @Test func readsASequenceThatCannotFail() async throws {
        let chunks = AsyncStream<Data> { continuation in
            for text in ["ab", "cd"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        #expect(try await readAll(ResponseBody(chunks: chunks)) == "abcd")
    }

    @Test func rethrowsTheErrorOfASequence() async {
        let chunks = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: NetKitError(.connectionLost, "Gone.")) }
        let error = await #expect(throws: NetKitError.self) { try await readAll(ResponseBody(chunks: chunks)) }
        #expect(error?.code == .connectionLost)
    }

    @Test func endsAnUnreadSequence() async {
        let (ended, signal) = AsyncStream.makeStream(of: Void.self)
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        continuation.onTermination = { _ in signal.finish() }
        ResponseBody(chunks: chunks).discard()
        for await _ in ended {}
        continuation.yield(Data())
    }

    @Test func wakesAReaderThatWaitsForASequence() async {
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        let body = ResponseBody(chunks: chunks)
        let reader = startImmediately { try await body.collect(upTo: 10) }
        body.cancel(NetKitError(.timeout, "Late."))
        let error = await #expect(throws: NetKitError.self) { try await reader.value }
        #expect(error?.code == .timeout)
        continuation.finish()
    }

    @Test func translatesEveryErrorOfItsSource() async throws {
        let errors: [(any Error, NetKitError.Code?)] = [
            (Odd(), .custom), (NetKitError(.tls, "No."), .tls), (URLError(.networkConnectionLost), .connectionLost),
            (FileError(operation: "read", path: "/a", code: 5, reason: "broken"), .file), (CancellationError(), nil),
            (URLError(.cancelled), nil),
        ]
        for (error, code) in errors {
            let body = ResponseBody(source: ScriptedSource("a", error: error))
            var iterator = body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("a".utf8))
            if let code {
                #expect(await #expect(throws: NetKitError.self) { try await iterator.next() }?.code == code)
            } else {
                await #expect(throws: CancellationError.self) { try await iterator.next() }
            }
        }
    }

    @Test func keepsTheErrorOfItsSourceAsTheCause() async {
        let body = ResponseBody(source: ScriptedSource(error: Odd()))
        let error = await #expect(throws: NetKitError.self) { try await body.collect(upTo: 1) }
        #expect(error?.cause is Odd)
        #expect(error?.outcome == .answered)
    }

    @Test func hasItsErrorsPassThroughEveryFunctionInnermostFirst() async {
        let body = ResponseBody(source: ScriptedSource(error: Odd()))
        body.mapErrors { NetKitError(.custom, "\(($0 as? NetKitError)?.code.description ?? "?") 1") }
        body.mapErrors { NetKitError(.custom, "\(($0 as? NetKitError)?.message ?? "?") 2") }
        let error = await #expect(throws: NetKitError.self) { try await body.collect(upTo: 1) }
        #expect(error?.message == "custom 1 2")
        #expect((body.translated(Odd()) as? NetKitError)?.message == "custom 1 2")
    }

    /// Nothing else holds the body, so only its having been read requires another state.
    @Test func canBeReadAgainAfterItBecameUnread() async throws {
        var body = ResponseBody(Data("again".utf8))
        #expect(try await readAll(body) == "again")
        #expect(await #expect(throws: NetKitError.self) { try await body.collect(upTo: 9) }?.code == .bodyConsumed)
        body.becomeUnread(Data("again".utf8))
        #expect(try await readAll(body) == "again")
    }
}
