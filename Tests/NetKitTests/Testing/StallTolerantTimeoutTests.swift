import Foundation
import NetKit
import Testing

@testable import NetKitTesting

@Suite(.timeLimit(.minutes(5)))
struct StallTolerantTimeoutTests {
    private static let limit = Duration.seconds(8)

    /// A clock whose sleeps end at once, except the first three, which end much too late.
    private final class LateClock: ClockSource {
        private struct State {
            var now = NetKitClock.Instant(nanoseconds: 0)
            var sleeps = 0
        }

        let delay: Duration
        private let state = Locked(State())

        init(delay: Duration) { self.delay = delay }

        var now: NetKitClock.Instant { state.withLock { $0.now } }
        var date: Date { Date(timeIntervalSince1970: 0) }
        var sleeps: Int { state.withLock { $0.sleeps } }

        func sleep(until deadline: NetKitClock.Instant) async throws {
            state.withLock { state in
                state.now = state.sleeps < 3 ? deadline.advanced(by: delay) : deadline
                state.sleeps += 1
            }
        }

        func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
            ClockAlarm {}
        }
    }

    /// If something blocks every thread for a while, that counts as one part at most.
    @Test(arguments: [(Duration.zero, Duration.seconds(8)), (.seconds(60), .seconds(188))])
    func aStallOfTheProcessDoesNotCount(_ delay: Duration, _ end: Duration) async throws {
        let clock = LateClock(delay: delay)
        try await StallTolerantTimeout(limit: Self.limit, clock: NetKitClock(clock)).wait()
        #expect(clock.now == NetKitClock.Instant(nanoseconds: 0).advanced(by: end))
        #expect(clock.sleeps == 16)
    }

    @Test func cancellationEndsTheWait() async {
        let time = TestClock()
        let patience = Task { try await StallTolerantTimeout(limit: Self.limit, clock: time.clock).wait() }
        await time.waitForSleepers(1)
        patience.cancel()
        await #expect(throws: CancellationError.self) { try await patience.value }
    }
}
