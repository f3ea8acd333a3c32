import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests with a system clock that is set while entries wait.
struct OfflineClockTests {
    /// A clock whose time of day can be set, while its instants continue.
    private final class SetClock: ClockSource {
        let time = TestClock()
        let skew = Locked(0.0)

        var now: NetKitClock.Instant { time.now }
        var date: Date { time.date.addingTimeInterval(skew.withLock { $0 }) }

        func sleep(until deadline: NetKitClock.Instant) async throws { try await time.sleep(until: deadline) }

        func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
            time.schedule(at: deadline, action)
        }
    }

    private static let year = 365 * 86_400.0

    @Test(arguments: [-year, -3600, 3600, year], [false, true])
    func aPostponedEntryWaitsNoLongerThanItWasTo(jump: Double, isReopened: Bool) async throws {
        let (clock, folder) = (SetClock(), try TemporaryFolder())
        func queue(_ sender: ScriptedSender) async throws -> OfflineQueue {
            let store = JSONOfflineStore(directory: folder.file("queue"))
            return try await OfflineQueue.testing(sender, store: store) { $0.clock = NetKitClock(clock) }
        }
        // The clock is wrong when the entry is postponed for a second, and is set right afterwards.
        clock.skew.withLock { $0 = jump }
        let failing = ScriptedSender(statuses: 503)
        let first = try await queue(failing)
        try await first.enqueue(.post("/1"))
        await first.processQueue()
        #expect(failing.paths == ["/1"])
        clock.skew.withLock { $0 = 0 }
        guard isReopened else {
            clock.time.advance(by: .milliseconds(900))
            await first.processQueue()
            #expect(failing.paths.count == 1)
            clock.time.advance(by: .milliseconds(200))
            await first.processQueue()
            #expect(failing.paths.count == 2)
            _ = await first.close()
            return
        }
        await first.close()
        let sender = ScriptedSender()
        let second = try await queue(sender)
        clock.time.advance(by: .milliseconds(1001))
        await second.processQueue()
        #expect(sender.paths == ["/1"])
        await second.close()
    }

    /// An end that the caller has set as a date counts from the moment at which the entry was read.
    @Test func anEntryDoesNotExpireBecauseTheClockIsSet() async throws {
        let clock = SetClock()
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(nil) { $0.clock = NetKitClock(clock) }
        var request = QueuedRequest.post("/1")
        request.expiresAt = clock.date.addingTimeInterval(60)
        try await queue.enqueue(request)
        clock.skew.withLock { $0 = Self.year }
        clock.time.advance(by: .seconds(30))
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths == ["/1"])
        await queue.close()
    }
}
