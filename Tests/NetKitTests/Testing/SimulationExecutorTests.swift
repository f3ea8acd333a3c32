import Dispatch
import NetKit
import Testing

@testable import NetKitTesting

struct SimulationExecutorTests {
    /// The first part of a wait takes as long as the machine likes, and the other threads go on only after it.
    @Test func aStandstillOfTheProcessIsNotTakenForTheEndOfAllTasks() {
        let (parts, late) = (Notebook<Duration>(), Shared<SimulationExecutor?>(nil))
        let executor = SimulationExecutor { arrival, part in
            parts.add(part)
            if parts.count == 2, let executor = late.withLock({ $0 }) { Task(executorPreference: executor) {} }
            return arrival.wait(timeout: .now()) == .success
        }
        late.withLock { $0 = executor }
        #expect(executor.waitForJob(.seconds(5)))
        #expect(parts.entries == [.milliseconds(500), .milliseconds(500)])
        executor.runAll()
        #expect(!executor.waitForJob(.seconds(5)))
        #expect(parts.count == 12)
        late.withLock { $0 = nil }
    }

    /// The time limit of a test may end while the run waits in real time for tasks that left it.
    @Test func aRunThatIsCancelledWhileItWaitsSaysSo() async {
        let isCancelled = Flag()
        let executor = SimulationExecutor { _, _ in
            isCancelled.set()
            return false
        }
        let driver = SimulationDriver(
            time: TestClock(),
            executor: executor,
            deadline: .distantFuture,
            stallTimeout: .seconds(5),
            isDone: Flag(),
            isCancelled: isCancelled
        )
        #expect(await driver.run() == .cancelled)
    }
}
