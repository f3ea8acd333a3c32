import Foundation
import Testing

@testable import NetKit

/// The state machine of a pipe, step by step. Continuations are made inside a suspension and resumed by what it
/// returns.
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

    private func taken(_ state: Steps) throws -> String? {
        let (result, action) = state.takeReady()
        #expect(perform(action).isEmpty)
        return try #require(result).get().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func asksForAPauseOnceItIsFull() {
        let state = Steps(maxBytes: 10)
        #expect(state.add(Data(count: 9)).hasRoom)
        #expect(!state.add(Data(count: 1)).hasRoom)
        #expect(!state.add(Data(count: 100)).hasRoom)
        #expect(state.pendingBytes == 110)
    }

    @Test func saysOnceThatItHasDrainedToHalf() {
        let state = Steps(maxBytes: 10)
        for size in [4, 4, 4] { _ = state.add(Data(count: size)) }
        #expect(perform(state.takeReady().action) == [])
        #expect(perform(state.takeReady().action) == ["drained"])
        #expect(perform(state.takeReady().action) == [])
        #expect(state.takeReady().result == nil)
        #expect(state.pendingBytes == 0)
    }

    @Test func doesNotSayThatItDrainedWhenItWasNeverFull() {
        let state = Steps(maxBytes: 10)
        _ = state.add(Data(count: 9))
        #expect(perform(state.takeReady().action) == [])
    }

    @Test func handsAChunkToAWaitingReader() async throws {
        let chunk = try await withCheckedThrowingContinuation { reader in
            let state = Steps(maxBytes: 1)
            #expect(perform(state.wait(reader: reader)) == [])
            let (action, hasRoom) = state.add(data("a"))
            #expect(hasRoom)
            #expect(state.pendingBytes == 0)
            #expect(perform(action) == ["reader"])
        }
        #expect(chunk == data("a"))
    }

    @Test func givesAReaderAvailableBytesAtOnce() async throws {
        let chunk = try await withCheckedThrowingContinuation { reader in
            let state = Steps(maxBytes: 1)
            _ = state.add(data("a"))
            #expect(perform(state.wait(reader: reader)) == ["drained", "reader"])
        }
        #expect(chunk == data("a"))
    }

    @Test func releasesAWaitingWriterWhenItDrains() async throws {
        try await withCheckedThrowingContinuation { writer in
            let state = Steps(maxBytes: 4)
            _ = state.add(Data(count: 2))
            _ = state.add(Data(count: 2))
            #expect(perform(state.wait(writer: writer)) == [])
            #expect(perform(state.takeReady().action) == ["writer", "drained"])
        }
    }

    @Test func doesNotKeepAWriterWaitingIfThereIsRoom() async throws {
        try await withCheckedThrowingContinuation { writer in
            let state = Steps(maxBytes: 4)
            #expect(perform(state.wait(writer: writer)) == ["writer"])
        }
    }

    @Test func refusesASecondReader() async {
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { (first: PipeState.Reader) in
                let state = Steps(maxBytes: 4)
                _ = state.wait(reader: first)
                let refused = Notebook<NetKitError.Code>()
                _ = startImmediately {
                    do {
                        _ = try await withCheckedThrowingContinuation { second in
                            #expect(perform(state.wait(reader: second)) == ["reader"])
                        }
                    } catch let error as NetKitError {
                        refused.add(error.code)
                    }
                }
                #expect(refused.entries == [.bodyConsumed])
                #expect(perform(state.cancel(CancellationError())) == ["reader", "cancelled"])
            }
        }
    }

    @Test func endsAfterTheBytes() throws {
        let state = Steps(maxBytes: 10)
        _ = state.add(data("a"))
        #expect(perform(state.end(.finished(["X": "1"]))) == [])
        #expect(state.trailers == ["X": "1"])
        #expect(try taken(state) == "a")
        #expect(try taken(state) == nil)
        #expect(try taken(state) == nil)
    }

    @Test func failsAfterTheBytes() throws {
        let state = Steps(maxBytes: 10)
        _ = state.add(data("a"))
        _ = state.end(.failed(Odd()))
        #expect(state.trailers == nil)
        #expect(try taken(state) == "a")
        #expect(throws: Odd.self) { try taken(state) }
        #expect(throws: Odd.self) { try taken(state) }
    }

    @Test func endsOnce() throws {
        let state = Steps(maxBytes: 10)
        _ = state.end(.finished(HTTPHeaders()))
        _ = state.end(.failed(Odd()))
        #expect(try taken(state) == nil)
        #expect(state.trailers == HTTPHeaders())
    }

    @Test func endingReleasesAWriter() async throws {
        try await withCheckedThrowingContinuation { writer in
            let state = Steps(maxBytes: 1)
            _ = state.add(data("a"))
            _ = state.wait(writer: writer)
            #expect(perform(state.end(.failed(Odd()))) == ["writer"])
        }
    }

    @Test func takesNothingAfterTheEnd() throws {
        let state = Steps(maxBytes: 10)
        _ = state.end(.finished(HTTPHeaders()))
        let (action, hasRoom) = state.add(data("late"))
        #expect(perform(action) == [])
        #expect(hasRoom)
        #expect(state.pendingBytes == 0)
        #expect(try taken(state) == nil)
    }

    @Test func cancelDropsTheBytesAndTellsOnce() {
        let state = Steps(maxBytes: 1)
        _ = state.add(data("a"))
        #expect(perform(state.cancel(Odd())) == ["cancelled"])
        #expect(perform(state.cancel(CancellationError())) == [])
        #expect(state.cancelReason is Odd)
        #expect(state.pendingBytes == 0)
        #expect(!state.add(data("b")).hasRoom)
        #expect(throws: Odd.self) { try taken(state) }
    }

    @Test func cancelFailsAWaitingWriter() async {
        await #expect(throws: Odd.self) {
            try await withCheckedThrowingContinuation { (writer: PipeState.Writer) in
                let state = Steps(maxBytes: 1)
                _ = state.add(data("a"))
                _ = state.wait(writer: writer)
                #expect(perform(state.cancel(Odd())) == ["writer", "cancelled"])
            }
        }
        await #expect(throws: Odd.self) {
            try await withCheckedThrowingContinuation { (writer: PipeState.Writer) in
                let state = Steps(maxBytes: 1)
                _ = state.cancel(Odd())
                #expect(perform(state.wait(writer: writer)) == ["writer"])
            }
        }
    }

    @Test func cancelAfterTheEndReportsNothing() {
        let state = Steps(maxBytes: 1)
        _ = state.add(data("a"))
        _ = state.end(.finished(HTTPHeaders()))
        #expect(perform(state.cancel(Odd())) == [])
        #expect(state.trailers == nil)
        #expect(throws: Odd.self) { try taken(state) }
    }

    /// A writer that is always ahead must not leave a trace of every chunk that was read.
    @Test func keepsNoRoomForChunksThatWereRead() throws {
        let state = Steps(maxBytes: 1 << 20)
        _ = state.add(Data(count: 1))
        for _ in 0..<20_000 {
            _ = state.add(Data(count: 1))
            #expect(state.takeReady().result != nil)
        }
        let chunks = try #require(Mirror(reflecting: state.copy).descendant("chunks") as? ChunkQueue)
        #expect(chunks.placeCount <= 256)
        #expect(state.pendingBytes == 1)
    }
}

/// A state behind a reference, one step at a time.
private final class Steps: Sendable {
    private let state: Locked<PipeState>

    init(maxBytes: Int) {
        state = Locked(PipeState(maxBytes: maxBytes))
    }

    var copy: PipeState { state.withLock { $0 } }
    var pendingBytes: Int { copy.pendingBytes }
    var trailers: HTTPHeaders? { copy.trailers }
    var cancelReason: (any Error)? { copy.cancelReason }

    func add(_ chunk: Data) -> (action: PipeState.Action, hasRoom: Bool) { state.withLock { $0.add(chunk) } }

    func takeReady() -> (result: Result<Data?, any Error>?, action: PipeState.Action) {
        state.withLock { $0.takeReady() }
    }

    func wait(reader: PipeState.Reader) -> PipeState.Action { state.withLock { $0.wait(reader: reader) } }

    func wait(writer: PipeState.Writer) -> PipeState.Action { state.withLock { $0.wait(writer: writer) } }

    func end(_ end: PipeState.End) -> PipeState.Action { state.withLock { $0.end(end) } }

    func cancel(_ reason: any Error) -> PipeState.Action { state.withLock { $0.cancel(reason) } }
}
