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
}
