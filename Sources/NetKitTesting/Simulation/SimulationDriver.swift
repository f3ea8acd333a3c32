import Foundation
import NetKit

/// A loop that runs the tasks of a simulation, and advances its clock when none of them can run.
struct SimulationDriver: Sendable {
    /// The reason why a loop ended.
    enum End: Sendable {
        case done
        /// Every task waits, and nothing is due.
        case stuck
        /// The next event is later than the run may take.
        case outOfTime
        /// The run was cancelled, but its operation does not end.
        case cancelled
    }

    let time: TestClock
    let executor: SimulationExecutor
    /// The instant beyond which the clock does not advance.
    let deadline: NetKitClock.Instant
    /// The time for which the loop waits in real time for a task that left the simulation.
    ///
    /// While the next event is later than the run may take, all waits together take at most ten times as long.
    /// Otherwise, tasks that leave the simulation again and again would keep it from ending.
    let stallTimeout: Duration
    let isDone: Flag
    let isCancelled: Flag

    /// Runs the loop on a separate thread.
    func run() async -> End {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: loop()) }
            thread.name = "netkit.simulation"
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private func loop() -> End {
        // The time waited since the clock last advanced.
        var waited = Duration.zero
        while true {
            // It is read before the tasks run, so that the tasks that a cancellation wakes run before the loop ends.
            let isCancelled = isCancelled.isSet
            executor.runAll()
            if isDone.isSet { return .done }
            let next = time.timeToNext.map { time.now.advanced(by: $0) } ?? .distantFuture
            if !isCancelled, next < .distantFuture, next <= deadline {
                time.advance(to: next)
                waited = .zero
                continue
            }
            let start = NetKitClock.system.now
            let hasJob = executor.waitForJob(stallTimeout)
            waited += start.duration(to: NetKitClock.system.now)
            let isOutOfTime = !isCancelled && next < .distantFuture
            // Ten times the longest duration would overflow.
            if hasJob, !isOutOfTime || waited / 10 <= stallTimeout { continue }
            if isCancelled { return .cancelled }
            // Cancelled during the wait: what ends with it may still run.
            if self.isCancelled.isSet { continue }
            return isOutOfTime ? .outOfTime : .stuck
        }
    }
}
