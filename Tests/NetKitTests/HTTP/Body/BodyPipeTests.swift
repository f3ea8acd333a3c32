import Foundation
import Testing

@testable import NetKit

/// Tests of the pipe. Tasks are started on the test's own thread: when `startImmediately` returns, they wait in the
/// pipe.
struct BodyPipeTests {
    private struct Odd: Error {}

    private let reasons = Notebook<String>()
    private let drains = Notebook<Int>()

    private func makePipe(capacity: Int = 4) -> BodyPipe {
        BodyPipe(maxBytes: capacity) { [drains] in
            drains.add(1)
        } onCancel: { [reasons] reason in
            reasons.add("\(type(of: reason))")
        }
    }

    private func data(_ text: String) -> Data { Data(text.utf8) }

    @Test func deliversTheBytesThatWereWritten() async throws {
        let pipe = makePipe(capacity: 100)
        try await pipe.write(data("one"))
        try await pipe.write(data("two"))
        #expect(pipe.pendingByteCount == 6)
        pipe.finish(trailers: ["X": "1"])
        #expect(try await pipe.next() == data("one"))
        #expect(try await pipe.next() == data("two"))
        #expect(try await pipe.next() == nil)
        #expect(pipe.trailers == ["X": "1"])
        #expect(!pipe.isCancelled)
    }

    @Test func passesOverEmptyChunks() async throws {
        let pipe = makePipe(capacity: 1)
        #expect(pipe.offer(Data()))
        try await pipe.write(Data())
        #expect(pipe.pendingByteCount == 0)
    }

    @Test func aReaderWaitsForTheWriter() async throws {
        let pipe = makePipe()
        let reader = startImmediately { try await pipe.next() }
        #expect(pipe.offer(data("a")))
        #expect(try await reader.value == data("a"))
        #expect(pipe.pendingByteCount == 0)
    }

    @Test func aWriterWaitsForTheReader() async throws {
        let pipe = makePipe()
        let written = Flag()
        let writer = startImmediately {
            try await pipe.write(data("four"))
            written.set()
        }
        #expect(!written.isSet)
        #expect(pipe.pendingByteCount == 4)
        #expect(try await pipe.next() == data("four"))
        try await writer.value
        #expect(written.isSet)
        #expect(drains.count == 1)
    }

    @Test func aCallbackIsToldToPauseAndToGoOn() async throws {
        let pipe = makePipe()
        #expect(pipe.offer(data("abc")))
        #expect(!pipe.offer(data("def")))
        #expect(drains.count == 0)
        _ = try await pipe.next()
        #expect(drains.count == 0)
        _ = try await pipe.next()
        #expect(drains.count == 1)
        #expect(pipe.offer(data("ghi")))
    }

    @Test func aCapacityOfZeroStillMovesBytes() async throws {
        let pipe = makePipe(capacity: 0)
        let writer = startImmediately {
            for text in ["a", "b", "c"] { try await pipe.write(data(text)) }
            pipe.finish()
        }
        var text = ""
        while let chunk = try await pipe.next() { text += String(decoding: chunk, as: UTF8.self) }
        try await writer.value
        #expect(text == "abc")
    }

    @Test func failsAfterTheBytes() async throws {
        let pipe = makePipe()
        _ = pipe.offer(data("a"))
        pipe.fail(Odd())
        pipe.finish()
        #expect(try await pipe.next() == data("a"))
        await #expect(throws: Odd.self) { try await pipe.next() }
        #expect(pipe.trailers == nil)
        #expect(reasons.entries == [])
    }

    @Test func failingWakesAReader() async {
        let pipe = makePipe()
        let reader = startImmediately { try await pipe.next() }
        pipe.fail(Odd())
        await #expect(throws: Odd.self) { try await reader.value }
    }

    @Test func finishingWakesAReader() async throws {
        let pipe = makePipe()
        let reader = startImmediately { try await pipe.next() }
        pipe.finish(trailers: ["X": "1"])
        #expect(try await reader.value == nil)
        #expect(pipe.trailers == ["X": "1"])
    }

    @Test func endingReleasesAWriter() async throws {
        for fails in [true, false] {
            let pipe = makePipe()
            let writer = startImmediately { try await pipe.write(data("four")) }
            if fails { pipe.fail(Odd()) } else { pipe.finish() }
            try await writer.value
        }
    }

    @Test func aReaderThatWalksAwayStopsTheWriter() async {
        let pipe = makePipe()
        let writer = startImmediately { try await pipe.write(data("four")) }
        pipe.cancel(Odd())
        await #expect(throws: Odd.self) { try await writer.value }
        await #expect(throws: Odd.self) { try await pipe.write(data("more")) }
        await #expect(throws: Odd.self) { try await pipe.next() }
        #expect(!pipe.offer(data("more")))
        #expect(pipe.isCancelled)
        #expect(pipe.pendingByteCount == 0)
        #expect(reasons.entries == ["Odd"])
    }

    @Test func tellsTheWriterOnceThatTheReaderIsGone() {
        let pipe = makePipe()
        pipe.cancel(Odd())
        pipe.cancel(CancellationError())
        pipe.fail(CancellationError())
        #expect(reasons.entries == ["Odd"])
    }

    @Test func aCancelledReaderEndsTheBody() async {
        let pipe = makePipe()
        let reader = startImmediately { try await pipe.next() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(pipe.isCancelled)
        #expect(reasons.entries == ["CancellationError"])
    }

    @Test func aReaderThatWasCancelledBeforeEndsTheBodyToo() async {
        let pipe = makePipe()
        let reader = startImmediately {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pipe.next()
        }
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(reasons.entries == ["CancellationError"])
    }

    @Test func aCancelledWriterWaitsNoLonger() async throws {
        let pipe = makePipe()
        let writer = startImmediately { try await pipe.write(data("four")) }
        writer.cancel()
        await #expect(throws: CancellationError.self) { try await writer.value }
        #expect(!pipe.isCancelled)
        #expect(try await pipe.next() == data("four"))
    }

    @Test func aWriterThatWasCancelledBeforeDoesNotWaitAtAll() async throws {
        let pipe = makePipe()
        let writer = startImmediately {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pipe.write(data("four"))
        }
        await #expect(throws: CancellationError.self) { try await writer.value }
        #expect(try await pipe.next() == data("four"))
    }

    @Test func aSecondReaderIsRefusedAndTheFirstGoesOn() async throws {
        let pipe = makePipe()
        let first = startImmediately { try await pipe.next() }
        let error = await #expect(throws: NetKitError.self) { try await pipe.next() }
        #expect(error?.code == .bodyConsumed)
        #expect(pipe.offer(data("a")))
        #expect(try await first.value == data("a"))
    }

    @Test(arguments: [1, 2, 3, 4] as [Int])
    func losesNoWakeUpWhenBothSidesAreCancelledAtRandom(_ round: Int) async {
        for turn in 0..<200 {
            let pipe = makePipe(capacity: 1)
            let writer = Task { while true { try await pipe.write(data("x")) } }
            let reader = Task { while try await pipe.next() != nil {} }
            if (turn + round).isMultiple(of: 2) { reader.cancel() } else { writer.cancel() }
            _ = await writer.result
            pipe.finish()
            _ = await reader.result
        }
    }
}
