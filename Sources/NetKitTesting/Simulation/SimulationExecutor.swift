import Dispatch
import NetKit

/// An executor that runs jobs in order, on the thread that calls `runAll`.
final class SimulationExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var first = 0
        var isAwaited = false
    }

    /// The number of parts of a wait for a job; a period in which all threads are blocked counts as one part at most.
    private static let parts = 10

    private let state = Locked(State())
    private let arrival = DispatchSemaphore(value: 0)
    private let wait: @Sendable (DispatchSemaphore, Duration) -> Bool

    /// Creates an executor; `wait` waits for a semaphore in real time, and returns whether it was signaled.
    init(
        wait: @escaping @Sendable (DispatchSemaphore, Duration) -> Bool = { semaphore, time in
            let nanoseconds = Int(clamping: max(0, time.clampedNanoseconds))
            return semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
        }
    ) {
        self.wait = wait
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAwaited = state.withLock { state in
            state.jobs.append(job)
            return exchange(&state.isAwaited, with: false)
        }
        if isAwaited { arrival.signal() }
    }

    /// Runs jobs until there are none left.
    func runAll() {
        while let job = takeFirst() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Waits in real time for a job from a task that left the simulation.
    ///
    /// Returns `false` if none arrived.
    func waitForJob(_ patience: Duration) -> Bool {
        let isEmpty = state.withLock { state in
            state.isAwaited = state.first == state.jobs.count
            return state.isAwaited
        }
        guard isEmpty else { return true }
        for _ in 0..<Self.parts where wait(arrival, patience / Self.parts) { return true }
        // A job that arrived just now has taken the flag, and its signal has to be consumed.
        let isTooLate = state.withLock { exchange(&$0.isAwaited, with: false) }
        if !isTooLate { arrival.wait() }
        return !isTooLate
    }

    private func takeFirst() -> UnownedJob? {
        state.withLock { state in
            guard state.first < state.jobs.count else {
                state.jobs.removeAll(keepingCapacity: true)
                state.first = 0
                return nil
            }
            defer { state.first += 1 }
            return state.jobs[state.first]
        }
    }
}
