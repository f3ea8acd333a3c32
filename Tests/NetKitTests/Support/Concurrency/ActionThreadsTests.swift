import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct ActionThreadsTests {
    @Test func carriesOutEveryActionOnceAndThenEndsItsThreads() async throws {
        let threads = ActionThreads()
        let done = Notebook<Int>()
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<8 {
                group.addTask {
                    for number in 0..<250 { threads.run { done.add(250 * part + number) } }
                }
            }
        }
        try await waitUntil { done.count == 2000 && threads.threadCount == 0 }
        #expect(Set(done.entries).count == 2000)
    }

    @Test func slowActionsHoldUpNoOther() async throws {
        let threads = ActionThreads(bound: 32)
        let handler = SlowHandler()
        for _ in 0..<20 { threads.run { handler.run() } }
        await handler.waitForRuns(20)
        await withCheckedContinuation { continuation in threads.run { continuation.resume() } }
        handler.release(20)
        try await waitUntil { handler.endings.count == 20 }
        #expect(handler.endings.entries.allSatisfy { $0 })
    }

    @Test func startsNoMoreThreadsThanItsBound() async throws {
        let threads = ActionThreads(bound: 2)
        let handler = SlowHandler()
        for _ in 0..<4 { threads.run { handler.run() } }
        await handler.waitForRuns(2)
        // As long as it takes to look for progress a few times.
        try await NetKitClock.system.sleep(for: .milliseconds(5))
        #expect(threads.threadCount == 2)
        handler.release(4)
        try await waitUntil { handler.endings.count == 4 && threads.threadCount == 0 }
        #expect(handler.endings.entries.allSatisfy { $0 })
    }

    /// A machine without a free processor begins no thread for a while.
    @Test func startsNoThreadBeforeTheLastOneHasBegun() {
        let time = TestClock()
        let started = Notebook<@Sendable () -> Void>()
        let threads = ActionThreads(clock: time.clock) { started.add($0) }
        let done = Notebook<Int>()
        for number in 0..<8 { threads.run { done.add(number) } }
        for _ in 0..<5 { time.advance(by: .milliseconds(1)) }
        #expect(threads.threadCount == 1)
        for work in started.entries { work() }
        #expect(done.entries == Array(0..<8))
        #expect(threads.threadCount == 0)
    }

    /// The first action waits until a second thread has carried out the others.
    @Test func startsAnotherThreadOnceTheLastOneHasBegun() {
        let time = TestClock()
        let started = Notebook<@Sendable () -> Void>()
        let threads = ActionThreads(clock: time.clock) { started.add($0) }
        let done = Notebook<Int>()
        threads.run {
            time.advance(by: .milliseconds(1))
            time.advance(by: .milliseconds(1))
            #expect(started.count == 2)
            started.entries.last?()
            done.add(0)
        }
        for number in 1..<3 { threads.run { done.add(number) } }
        started.entries.first?()
        #expect(done.entries == [1, 2, 0])
        #expect(threads.threadCount == 0)
    }
}
