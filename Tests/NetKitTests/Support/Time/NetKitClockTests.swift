import Foundation
import NetKit
import Testing

struct NetKitClockTests {
    @Test func asksItsSourceForEverything() async throws {
        let source = FixedClockSource()
        let clock = NetKitClock(source)
        #expect(clock.now == NetKitClock.Instant(nanoseconds: 42))
        #expect(clock.date == Date(timeIntervalSince1970: 7))
        try await clock.sleep(until: NetKitClock.Instant(nanoseconds: 50), tolerance: .seconds(1))
        let alarm = clock.schedule(at: NetKitClock.Instant(nanoseconds: 60)) {}
        #expect(!alarm.isPending)
        #expect(source.calls.entries == ["sleep 50", "schedule 60"])
    }

    @Test func tellsNanosecondsApart() {
        #expect(NetKitClock.system.minimumResolution == .nanoseconds(1))
    }

    @Test func theSystemClockGoesForwards() {
        let first = NetKitClock.system.now
        #expect(NetKitClock.system.now >= first)
        #expect(first > NetKitClock.Instant(nanoseconds: 0))
        #expect(abs(NetKitClock.system.date.timeIntervalSinceNow) < 60)
    }

    @Test func sleepsForADurationOnTheSystemClock() async throws {
        let start = NetKitClock.system.now
        try await NetKitClock.system.sleep(for: .milliseconds(2))
        #expect(start.duration(to: NetKitClock.system.now) >= .milliseconds(2))
    }

    @Test func anAlarmOfTheSystemClockCanBeCancelled() {
        let alarm = NetKitClock.system.schedule(at: NetKitClock.system.now.advanced(by: .seconds(3600))) {}
        #expect(alarm.isPending)
        alarm.cancel()
        #expect(!alarm.isPending)
    }
}

private final class FixedClockSource: ClockSource {
    let calls = Notebook<String>()
    let now = NetKitClock.Instant(nanoseconds: 42)
    let date = Date(timeIntervalSince1970: 7)

    func sleep(until deadline: NetKitClock.Instant) async throws {
        calls.add("sleep \(deadline.nanoseconds)")
    }

    func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
        calls.add("schedule \(deadline.nanoseconds)")
        let alarm = ClockAlarm(action)
        alarm.fire()
        return alarm
    }
}
