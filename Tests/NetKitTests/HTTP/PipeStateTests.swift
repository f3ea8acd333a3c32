import Foundation
import Testing

@testable import NetKit

/// The state machine of a pipe, step by step. Continuations are made inside a suspension and resumed by what it returns.
struct PipeStateTests {
    private struct Odd: Error {}

    private func data(_ text: String) -> Data { Data(text.utf8) }

    private func perform(_ action: PipeState.Action) -> [String] {
        action.map { effect in
            switch effect {
            case .resumeReader(let reader, let result):
                reader.resume(with: result)
                return "reader"
            case .resumeWriter(let writer, let result):
                writer.resume(with: result)
                return "writer"
            case .drained: return "drained"
            case .cancelled: return "cancelled"
            }
        }
    }

    private func taken(_ state: inout PipeState) throws -> String? {
        let (result, action) = state.takeReady()
        #expect(perform(action).isEmpty)
        return try #require(result).get().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func asksForAPauseOnceItIsFull() {
        var state = PipeState(capacity: 10)
        #expect(state.add(Data(count: 9)).hasRoom)
        #expect(!state.add(Data(count: 1)).hasRoom)
        #expect(!state.add(Data(count: 100)).hasRoom)
        #expect(state.pendingBytes == 110)
    }

    @Test func saysOnceThatItHasDrainedToHalf() {
        var state = PipeState(capacity: 10)
        for size in [4, 4, 4] { _ = state.add(Data(count: size)) }
        #expect(perform(state.takeReady().action) == [])
        #expect(perform(state.takeReady().action) == ["drained"])
        #expect(perform(state.takeReady().action) == [])
        #expect(state.takeReady().result == nil)
        #expect(state.pendingBytes == 0)
    }

    @Test func doesNotSayThatItDrainedWhenItWasNeverFull() {
        var state = PipeState(capacity: 10)
        _ = state.add(Data(count: 9))
        #expect(perform(state.takeReady().action) == [])
    }

    @Test func handsAChunkToAWaitingReader() async throws {
        let chunk = try await withCheckedThrowingContinuation { reader in
            var state = PipeState(capacity: 1)
            #expect(perform(state.wait(reader: reader)) == [])
            let (action, hasRoom) = state.add(data("a"))
            #expect(hasRoom)
            #expect(state.pendingBytes == 0)
            #expect(perform(action) == ["reader"])
        }
        #expect(chunk == data("a"))
    }

    @Test func givesAReaderWhatIsThereAtOnce() async throws {
        let chunk = try await withCheckedThrowingContinuation { reader in
            var state = PipeState(capacity: 1)
            _ = state.add(data("a"))
            #expect(perform(state.wait(reader: reader)) == ["drained", "reader"])
        }
        #expect(chunk == data("a"))
    }

    @Test func releasesAWaitingWriterWhenItDrains() async throws {
        try await withCheckedThrowingContinuation { writer in
            var state = PipeState(capacity: 4)
            _ = state.add(Data(count: 2))
            _ = state.add(Data(count: 2))
            #expect(perform(state.wait(writer: writer)) == [])
            #expect(perform(state.takeReady().action) == ["writer", "drained"])
        }
    }

    @Test func doesNotKeepAWriterWaitingWhereThereIsRoom() async throws {
        try await withCheckedThrowingContinuation { writer in
            var state = PipeState(capacity: 4)
            #expect(perform(state.wait(writer: writer)) == ["writer"])
        }
    }

    @Test func refusesASecondReader() async {
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { (first: PipeState.Reader) in
                let state = Locked(PipeState(capacity: 4))
                _ = state.withLock { $0.wait(reader: first) }
                let refused = Notebook<NetKitError.Code>()
                _ = startImmediately {
                    do {
                        _ = try await withCheckedThrowingContinuation { second in
                            #expect(perform(state.withLock { $0.wait(reader: second) }) == ["reader"])
                        }
                    } catch let error as NetKitError {
                        refused.add(error.code)
                    }
                }
                #expect(refused.entries == [.bodyConsumed])
                #expect(perform(state.withLock { $0.cancel(CancellationError()) }) == ["reader", "cancelled"])
            }
        }
    }

    @Test func endsBehindTheBytes() throws {
        var state = PipeState(capacity: 10)
        _ = state.add(data("a"))
        #expect(perform(state.end(.finished(["X": "1"]))) == [])
        #expect(state.trailers == ["X": "1"])
        #expect(try taken(&state) == "a")
        #expect(try taken(&state) == nil)
        #expect(try taken(&state) == nil)
    }

    @Test func failsBehindTheBytes() throws {
        var state = PipeState(capacity: 10)
        _ = state.add(data("a"))
        _ = state.end(.failed(Odd()))
        #expect(state.trailers == nil)
        #expect(try taken(&state) == "a")
        #expect(throws: Odd.self) { try taken(&state) }
        #expect(throws: Odd.self) { try taken(&state) }
    }

    @Test func endsOnce() throws {
        var state = PipeState(capacity: 10)
        _ = state.end(.finished(HTTPHeaders()))
        _ = state.end(.failed(Odd()))
        #expect(try taken(&state) == nil)
        #expect(state.trailers == HTTPHeaders())
    }

    @Test func endingReleasesAWriter() async throws {
        try await withCheckedThrowingContinuation { writer in
            var state = PipeState(capacity: 1)
            _ = state.add(data("a"))
            _ = state.wait(writer: writer)
            #expect(perform(state.end(.failed(Odd()))) == ["writer"])
        }
    }

    @Test func takesNothingAfterTheEnd() throws {
        var state = PipeState(capacity: 10)
        _ = state.end(.finished(HTTPHeaders()))
        let (action, hasRoom) = state.add(data("late"))
        #expect(perform(action) == [])
        #expect(hasRoom)
        #expect(state.pendingBytes == 0)
        #expect(try taken(&state) == nil)
    }

    @Test func cancelDropsTheBytesAndTellsOnce() {
        var state = PipeState(capacity: 1)
        _ = state.add(data("a"))
        #expect(perform(state.cancel(Odd())) == ["cancelled"])
        #expect(perform(state.cancel(CancellationError())) == [])
        #expect(state.cancelReason is Odd)
        #expect(state.pendingBytes == 0)
        #expect(!state.add(data("b")).hasRoom)
        #expect(throws: Odd.self) { try taken(&state) }
    }

    @Test func cancelFailsAWaitingWriter() async {
        await #expect(throws: Odd.self) {
            try await withCheckedThrowingContinuation { (writer: PipeState.Writer) in
                var state = PipeState(capacity: 1)
                _ = state.add(data("a"))
                _ = state.wait(writer: writer)
                #expect(perform(state.cancel(Odd())) == ["writer", "cancelled"])
            }
        }
        await #expect(throws: Odd.self) {
            try await withCheckedThrowingContinuation { (writer: PipeState.Writer) in
                var state = PipeState(capacity: 1)
                _ = state.cancel(Odd())
                #expect(perform(state.wait(writer: writer)) == ["writer"])
            }
        }
    }

    @Test func cancelAfterTheEndTellsNobody() {
        var state = PipeState(capacity: 1)
        _ = state.add(data("a"))
        _ = state.end(.finished(HTTPHeaders()))
        #expect(perform(state.cancel(Odd())) == [])
        #expect(state.trailers == nil)
        #expect(throws: Odd.self) { try taken(&state) }
    }

    /// A writer that is always ahead must not leave a trace of every chunk that was read.
    @Test func keepsNoRoomForChunksThatWereRead() throws {
        var state = PipeState(capacity: 1 << 20)
        _ = state.add(Data(count: 1))
        for _ in 0..<20_000 {
            _ = state.add(Data(count: 1))
            #expect(state.takeReady().result != nil)
        }
        let slots = try #require(Mirror(reflecting: state).descendant("chunks") as? [Data])
        #expect(slots.count <= 256)
        #expect(state.pendingBytes == 1)
    }
}
