import Foundation
import Testing

@testable import NetKit

struct HTTPBodyStreamTests {
    private struct Odd: Error {}

    private func stream(_ texts: [String], failing: Bool = false) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish(throwing: failing ? Odd() : nil)
        }
    }

    /// The chunks of an iteration, and the error that ends it.
    private func walk(_ body: HTTPBody) async -> (text: String, error: (any Error)?) {
        var text = ""
        do {
            for try await chunk in body.chunks { text += String(decoding: chunk, as: UTF8.self) }
            return (text, nil)
        } catch {
            return (text, error)
        }
    }

    @Test func givesTheChunksOfTheSequence() async {
        let (text, error) = await walk(.stream(length: 6, contentType: "a/b", stream(["one", "two"])))
        #expect(text == "onetwo")
        #expect(error == nil)
    }

    @Test func takesASequenceThatCannotFail() async {
        let chunks = AsyncStream<Data> { continuation in
            for text in ["one", "two"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        #expect(await walk(.stream(length: 6, chunks)).text == "onetwo")
    }

    @Test func leavesOutEmptyChunks() async throws {
        var iterator = HTTPBody.stream(length: 2, stream(["", "a", "", "", "b", ""])).chunks.makeAsyncIterator()
        #expect(try await iterator.next() == Data("a".utf8))
        #expect(try await iterator.next() == Data("b".utf8))
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func knowsItsLengthOnlyIfItIsDeclared() {
        #expect(HTTPBody.stream(stream([])).length == nil)
        #expect(HTTPBody.stream(length: 7, stream([])).length == 7)
        #expect(HTTPBody.stream(contentType: "a/b", stream([])).contentType == "a/b")
        #expect(HTTPBody.replayableStream(length: 7, contentType: "a/b") { stream([]) }.length == 7)
        #expect(HTTPBody.stream(stream([])).bytes == nil)
        #expect(HTTPBody.stream(stream([])).fileRange == nil)
    }

    @Test func cannotBeReadTwice() async throws {
        let body = HTTPBody.stream(stream(["a"]))
        #expect(!body.canReplay)
        #expect(await walk(body).text == "a")
        let (text, error) = await walk(body)
        #expect(text.isEmpty)
        #expect((error as? NetKitError)?.code == .bodyConsumed)
        #expect((error as? NetKitError)?.message.contains("replayableStream") == true)
    }

    @Test func isReadAgainIfAFunctionStartsIt() async throws {
        let starts = Notebook<Int>()
        let body = HTTPBody.replayableStream(length: 1) {
            starts.add(1)
            return stream(["a"])
        }
        #expect(body.canReplay)
        #expect(starts.count == 0)
        for _ in 0..<3 { #expect(await walk(body).text == "a") }
        #expect(starts.count == 3)
    }

    @Test func rethrowsTheErrorOfItsStart() async {
        let (text, error) = await walk(
            .replayableStream { () throws -> AsyncThrowingStream<Data, any Error> in throw Odd() }
        )
        #expect(text.isEmpty)
        #expect(error is Odd)
    }

    @Test func rethrowsTheErrorOfTheSequence() async {
        let (text, error) = await walk(.stream(stream(["a"], failing: true)))
        #expect(text == "a")
        #expect(error is Odd)
    }

    @Test(arguments: [(4, "1 bytes short of"), (9, "6 bytes short of")] as [(Int64, String)])
    func failsWhenItIsShorterThanDeclared(_ length: Int64, _ how: String) async throws {
        let (text, error) = await walk(.stream(length: length, stream(["ab", "c"])))
        #expect(text == "abc")
        let refusal = try #require(error as? NetKitError)
        #expect(refusal.code == .invalidRequest)
        #expect(refusal.outcome == .unknown)
        #expect(refusal.message.contains(how))
    }

    /// With all announced bytes, a server would have a complete request.
    @Test(arguments: [(0, ""), (1, ""), (2, ""), (3, "ab")] as [(Int64, String)])
    func failsWhenItIsLongerThanDeclaredBeforeTheBytesGoOut(_ length: Int64, _ sent: String) async throws {
        let (text, error) = await walk(.stream(length: length, stream(["ab", "cd"])))
        #expect(text == sent)
        let refusal = try #require(error as? NetKitError)
        #expect(refusal.code == .invalidRequest)
        #expect(refusal.outcome == .unknown)
        #expect(refusal.message.contains("longer than its declared length"))
    }

    /// As the stream of a response that is passed on.
    @Test func anErrorOfAnotherCallSaysNothingAboutTheServer() async throws {
        let other = NetKitError(.connectionLost, "gone", outcome: .answered)
            .attaching(requestLine: "GET https://a.example/", attempts: 1)
        let chunks = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: other) }
        let error = try #require(await walk(.stream(chunks)).error as? NetKitError)
        #expect(error.code == .connectionLost)
        #expect(error.requestLine == "GET https://a.example/")
        #expect(error.outcome == .unknown)
        #expect(CircuitBreakerPolicy.standard.verdict(ofBroken: error) == .nothing)
        #expect(NetworkEvidenceInterceptor.evidence(of: error) == nil)
    }

    @Test func itsCancellationIsNotThatOfTheCall() async {
        let chunks = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CancellationError()) }
        let error = await walk(.stream(chunks)).error as? NetKitError
        #expect(error?.code == .custom)
        #expect(error?.cause is CancellationError)
        let unstarted = HTTPBody.replayableStream { () throws -> AsyncStream<Data> in throw CancellationError() }
        let startError = await walk(unstarted).error as? NetKitError
        #expect(startError?.code == .custom)
        #expect(startError?.cause is CancellationError)
    }

    @Test func isNotCompleteIfItFailsAfterTheDeclaredLength() async {
        let (text, error) = await walk(.stream(length: 2, stream(["ab"], failing: true)))
        #expect(text.isEmpty)
        #expect(error is Odd)
    }

    @Test func isOverAfterAnError() async throws {
        var iterator = HTTPBody.stream(length: 1, stream(["ab", "cd"])).chunks.makeAsyncIterator()
        await #expect(throws: NetKitError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func keepsADeclaredLengthOfNone() async {
        let (text, error) = await walk(.stream(length: 0, stream([""])))
        #expect(text.isEmpty)
        #expect(error == nil)
    }

    @Test func refusesANegativeLength() throws {
        let error = try #require(throws: NetKitError.self) { try HTTPBody.stream(length: -1, stream([])).prepared() }
        #expect(error.code == .invalidRequest)
        #expect(error.message == "The length of the body stream is negative (-1). Leave it out if it is unknown.")
        #expect(try HTTPBody.stream(length: 0, stream([])).prepared().length == 0)
    }
}
