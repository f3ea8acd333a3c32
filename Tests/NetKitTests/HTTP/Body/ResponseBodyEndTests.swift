import Foundation
import Testing

@testable import NetKit

/// Tests that `onEnd` runs exactly once, however the body ends, and that an unread body is cancelled at its source.
struct ResponseBodyEndTests {
    private struct Odd: Error {}

    private let ends = Notebook<BodyEnd>()
    private let source = ScriptedSource("one", "two")

    private func makeBody(_ source: ScriptedSource? = nil) -> ResponseBody {
        let body = ResponseBody(source: source ?? self.source)
        body.onEnd { [ends] in ends.add($0) }
        return body
    }

    @Test func isCompleteWhenItWasReadToTheEnd() async throws {
        let body = makeBody()
        var iterator = body.makeAsyncIterator()
        while try await iterator.next() != nil { #expect(ends.count == 0) }
        _ = try await iterator.next()
        body.discard()
        let end = try #require(ends.entries.first)
        #expect(ends.count == 1)
        #expect(end.isComplete)
        #expect(end.byteCount == 6)
        #expect(end.error == nil)
        #expect(!end.isAbandoned)
        #expect(source.cancellations.count == 0)
    }

    @Test func hasItsErrorWhenItFailed() async throws {
        let failing = ScriptedSource("one", error: Odd())
        await #expect(throws: NetKitError.self) { try await makeBody(failing).collect(upTo: 100) }
        let end = try #require(ends.entries.first)
        #expect(ends.count == 1)
        #expect((end.error as? NetKitError)?.cause is Odd)
        #expect(end.byteCount == 3)
        #expect(!end.isComplete)
        #expect(!end.isAbandoned)
    }

    @Test func isAbandonedWhenItsReaderStopsEarly() async throws {
        for try await _ in makeBody() { break }
        let end = try #require(ends.entries.first)
        #expect(ends.count == 1)
        #expect(end.isAbandoned)
        #expect(!end.isComplete)
        #expect(end.byteCount == 3)
        #expect(end.error == nil)
        #expect(source.cancellations.count == 1)
        #expect(source.cancellations.entries.first is CancellationError)
    }

    @Test func isAbandonedWhenItsReaderIsDroppedBeforeItReads() {
        do { _ = makeBody().makeAsyncIterator() }
        #expect(ends.entries.map(\.isAbandoned) == [true])
        #expect(source.cancellations.count == 1)
        #expect(source.reads.count == 0)
    }

    @Test func isAbandonedIfItIsNotRead() {
        do { _ = makeBody() }
        #expect(ends.entries.map(\.isAbandoned) == [true])
        #expect(ends.entries.map(\.byteCount) == [0])
        #expect(source.cancellations.count == 1)
    }

    @Test func isAbandonedWhenItIsDiscarded() async {
        let body = makeBody()
        body.discard()
        body.discard()
        #expect(ends.entries.map(\.isAbandoned) == [true])
        #expect(source.cancellations.count == 1)
        #expect(body.isConsumed)
        let error = await #expect(throws: NetKitError.self) { try await body.collect(upTo: 10) }
        #expect(error?.code == .bodyConsumed)
        #expect(ends.count == 1)
    }

    @Test func hasTheReasonWhenItWasEndedFromOutside() throws {
        let body = makeBody()
        body.cancel(NetKitError(.timeout, "Late."))
        body.cancel(Odd())
        let end = try #require(ends.entries.first)
        #expect(ends.count == 1)
        #expect((end.error as? NetKitError)?.code == .timeout)
        #expect(!end.isAbandoned)
        #expect(source.cancellations.count == 1)
    }

    @Test func canBeEndedFromOutsideWithoutBeingKeptAlive() {
        let canceller: @Sendable (any Error) -> Void
        do {
            let body = makeBody()
            canceller = body.weakCanceller()
        }
        #expect(ends.entries.map(\.isAbandoned) == [true])
        canceller(Odd())
        #expect(source.cancellations.count == 1)

        let kept = makeBody(ScriptedSource("x"))
        kept.weakCanceller()(Odd())
        #expect(ends.count == 2)
        #expect((ends.entries.last?.error as? NetKitError)?.cause is Odd)
        kept.discard()
    }

    @Test func notifiesListenersInOrderAndLateOnesAtOnce() async throws {
        let order = Notebook<Int>()
        let body = ResponseBody(source: source)
        body.onEnd { _ in order.add(1) }
        body.onEnd { _ in order.add(2) }
        _ = try await body.collect(upTo: 100)
        body.onEnd { _ in order.add(3) }
        #expect(order.entries == [1, 2, 3])
    }

    @Test func aBufferedBodyHasEndedAlready() {
        ResponseBody(Data("hello".utf8)).onEnd { [ends] in ends.add($0) }
        #expect(ends.entries.map(\.byteCount) == [5])
        #expect(ends.entries.map(\.isComplete) == [true])
    }

    @Test func givesTheTransferUpWhenTheReadingTaskIsCancelled() async throws {
        let gone = Notebook<String>()
        let pipe = BodyPipe(onCancel: { gone.add("\(type(of: $0))") })
        let body = ResponseBody(source: pipe)
        body.onEnd { [ends] in ends.add($0) }
        let reader = startImmediately { try await body.collect(upTo: 10) }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(gone.entries == ["CancellationError"])
        #expect(ends.count == 1)
        #expect(ends.entries.first?.error is CancellationError)
    }

    @Test func endsOnceWhileManyEndIt() async {
        for _ in 0..<50 {
            let ends = Notebook<Int>()
            let body = ResponseBody(source: BodyPipe())
            body.onEnd { _ in ends.add(1) }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await body.collect(upTo: 10) }
                group.addTask { body.discard() }
                group.addTask { body.cancel(CancellationError()) }
            }
            #expect(ends.count == 1)
        }
    }
}
