import Dispatch
import NetKit

/// A user's handler that blocks its thread until the test releases it, or for five minutes at most.
final class SlowHandler: Sendable {
    private struct State {
        var hasBegun = false
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let gate = DispatchSemaphore(value: 0)
    private let entries: AsyncStream<Void>
    private let entry: AsyncStream<Void>.Continuation
    private let state = Locked(State())
    /// For each run, whether the test released it before its time was over.
    let endings = Notebook<Bool>()

    init() {
        (entries, entry) = AsyncStream.makeStream()
    }

    /// Whether it has run, or a task has begun to wait to be cancelled.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// The number of tasks that wait to be cancelled.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The slow part of the code.
    func run() {
        state.withLock { $0.hasBegun = true }
        entry.yield()
        endings.add(gate.wait(timeout: .now() + .seconds(300)) == .success)
    }

    /// Waits until the task is cancelled. The cancellation handler is slow, and the task continues only after its end.
    func wait() async throws {
        state.withLock { $0.hasBegun = true }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting.append(continuation) }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            run()
            let waiting = state.withLock { state in
                state.isOver = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
        throw CancellationError()
    }

    /// Waits until a number of runs has begun.
    func waitForRuns(_ count: Int) async {
        var left = count
        for await _ in entries {
            left -= 1
            if left == 0 { return }
        }
    }

    /// Releases a number of runs.
    func release(_ count: Int) {
        for _ in 0..<count { gate.signal() }
    }
}
