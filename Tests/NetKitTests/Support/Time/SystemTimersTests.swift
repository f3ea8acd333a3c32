import Dispatch
import Testing

@testable import NetKit

/// Tests of the real clock. Two of them wait for a real alarm of a few milliseconds, because nothing else shows that it
/// fires.
struct SystemTimersTests {
    private let timers = SystemTimers()

    /// Alarms are set by Dispatch's clock, so the reported time has to be that clock's.
    @Test func usesTheClockOfDispatch() {
        for _ in 0..<100 {
            let before = DispatchTime.now().uptimeNanoseconds
            let now = SystemTimers.shared.now
            let after = DispatchTime.now().uptimeNanoseconds
            #expect(before <= UInt64(now.nanoseconds) && UInt64(now.nanoseconds) <= after)
        }
    }

    @Test func doesNotRingBeforeItsTime() async {
        let deadline = timers.now.advanced(by: .milliseconds(3))
        let rangAt = await withCheckedContinuation { continuation in
            _ = timers.schedule(at: deadline) { [timers] in continuation.resume(returning: timers.now) }
        }
        #expect(rangAt >= deadline)
        #expect(timers.storedCount == 0)
    }

    @Test func ringsAnEarlierAlarmThatWasSetLater() async {
        let later = timers.schedule(at: timers.now.advanced(by: .seconds(3600))) {}
        await withCheckedContinuation { continuation in
            _ = timers.schedule(at: timers.now.advanced(by: .milliseconds(3))) { continuation.resume() }
        }
        #expect(later.isPending)
        later.cancel()
    }

    @Test func doesNotKeepAHundredThousandCancelledAlarms() {
        let deadline = timers.now.advanced(by: .seconds(3600))
        for _ in 0..<100_000 { timers.schedule(at: deadline) {}.cancel() }
        #expect(timers.storedCount <= 64)
    }

    @Test func keepsAtMostAsManyCancelledAlarmsAsThereAreOthers() {
        let deadline = timers.now.advanced(by: .seconds(3600))
        let alarms = (0..<1000).map { _ in timers.schedule(at: deadline) {} }
        for _ in 0..<10_000 { timers.schedule(at: deadline) {}.cancel() }
        #expect((1000...2001).contains(timers.storedCount))
        #expect(alarms.allSatisfy { $0.isPending })
        for alarm in alarms { alarm.cancel() }
        #expect(timers.storedCount <= 64)
    }

    @Test func keepsNoAlarmForTheDistantFuture() {
        let alarm = timers.schedule(at: .distantFuture) {}
        #expect(alarm.isPending)
        #expect(timers.storedCount == 0)
        alarm.cancel()
        #expect(!alarm.isPending)
    }

    @Test(arguments: [0, -1, .min] as [Int64])
    func doesNotSleepUntilATimeThatHasPassed(_ nanoseconds: Int64) async throws {
        try await timers.sleep(until: NetKitClock.Instant(nanoseconds: nanoseconds))
        #expect(timers.storedCount == 0)
    }

    @Test func wakesASleeperThatIsCancelled() async {
        let task = startImmediately { [timers] in try await timers.sleep(until: .distantFuture) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func doesNotSleepInATaskThatIsAlreadyCancelled() async {
        let task = startImmediately { [timers] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await timers.sleep(until: timers.now.advanced(by: .seconds(3600)))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(timers.storedCount == 0)
    }

    @Test func endsEverySleepOnceWhileThousandsAreCancelled() async {
        let deadline = timers.now.advanced(by: .seconds(3600))
        let cancelled = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2000 {
                group.addTask { [timers] in
                    do {
                        try await timers.sleep(until: deadline)
                        return false
                    } catch {
                        return error is CancellationError
                    }
                }
            }
            group.cancelAll()
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(cancelled == 2000)
        #expect(timers.storedCount <= 65)
    }

    @Test func neverGoesBackwards() {
        var previous = timers.now
        for _ in 0..<1000 {
            let now = timers.now
            #expect(now >= previous)
            previous = now
        }
    }
}
