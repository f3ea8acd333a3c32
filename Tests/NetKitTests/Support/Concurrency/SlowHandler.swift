import Dispatch
import NetKit

/// A handler of a user's that keeps its thread until the test lets it go, or for a minute at most.
final class SlowHandler: Sendable {
    private struct State {
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let gate = DispatchSemaphore(value: 0)
    private let entries: AsyncStream<Void>
    private let entry: AsyncStream<Void>.Continuation
    private let state = Locked(State())
    /// For each run, whether the test let it go, instead of the minute being over.
    let endings = Notebook<Bool>()

    init() {
        (entries, entry) = AsyncStream.makeStream()
    }

    /// How many wait to be cancelled.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// What is slow.
    func run() {
        entry.yield()
        endings.add(gate.wait(timeout: .now() + .seconds(60)) == .success)
    }

    /// Waits until the task is cancelled; the cancellation handler is slow, and only its end lets the task go on.
    func wait() async throws {
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

    /// Waits until so many runs have begun.
    func waitForRuns(_ count: Int) async {
        var left = count
        for await _ in entries {
            left -= 1
            if left == 0 { return }
        }
    }

    /// Lets so many runs end.
    func release(_ count: Int) {
        for _ in 0..<count { gate.signal() }
    }
}
