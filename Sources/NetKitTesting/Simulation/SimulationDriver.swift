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
        /// The run was cancelled, and what it waits for does not end with that.
        case cancelled
    }

    let time: TestClock
    let executor: SimulationExecutor
    /// The instant beyond which the clock does not advance.
    let deadline: NetKitClock.Instant
    /// The time for which the loop waits in real time for a task that left the simulation.
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
        while true {
            // It is read first, because the tasks that a cancellation wakes run before the loop ends.
            let isCancelled = isCancelled.isSet
            executor.runAll()
            if isDone.isSet { return .done }
            let next = time.timeToNext.map { time.now.advanced(by: $0) } ?? .distantFuture
            if !isCancelled, next < .distantFuture, next <= deadline {
                time.advance(to: next)
            } else if !executor.waitForJob(stallTimeout) {
                return isCancelled ? .cancelled : next < .distantFuture ? .outOfTime : .stuck
            }
        }
    }
}
