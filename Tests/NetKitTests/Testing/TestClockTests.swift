import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TestClockTests {
    private let time = TestClock()
    private let log = EventLog()

    /// A sleep that records when it ended.
    private func sleeper(_ name: String, for duration: Duration) -> Task<Void, any Error> {
        let (time, log) = (time, log)
        return Task {
            try await time.clock.sleep(for: duration)
            log.add(name)
        }
    }

    private func alarm(_ name: String, in duration: Duration) -> ClockAlarm {
        let log = log
        return time.clock.schedule(at: time.now.advanced(by: duration)) { log.add(name) }
    }

    @Test func standsStillUntilItIsAdvanced() {
        #expect(time.now == .init(nanoseconds: 0))
        #expect(time.clock.now == time.now)
        #expect(time.date == Date(timeIntervalSince1970: 1_800_000_000))
        time.advance(by: .milliseconds(1500))
        #expect(time.now == .init(nanoseconds: 1_500_000_000))
        #expect(time.clock.date == Date(timeIntervalSince1970: 1_800_000_001.5))
        #expect(TestClock(date: Date(timeIntervalSince1970: 0)).date == Date(timeIntervalSince1970: 0))
    }

    @Test func neverGoesBack() {
        time.advance(by: .seconds(2))
        time.advance(by: .seconds(-1))
        time.advance(to: .init(nanoseconds: 5))
        #expect(time.now == .init(nanoseconds: 2_000_000_000))
    }

    @Test func waitingForSleepersEndsWhenTheyArrive() async throws {
        let first = sleeper("first", for: .seconds(1))
        await time.waitForSleepers(1)
        let second = sleeper("second", for: .seconds(1))
        await time.waitForSleepers(2)
        #expect(time.sleeperCount == 2)
        #expect(time.alarmCount == 0)
        time.advance(by: .seconds(1))
        try await first.value
        try await second.value
        #expect(time.sleeperCount == 0)
        #expect(log.all.sorted() == ["first", "second"])
    }

    @Test func waitingForAReachedCountReturnsAtOnce() async throws {
        await time.waitForSleepers(0)
        await time.waitForAlarms(0)
        let alarm = alarm("a", in: .seconds(1))
        await time.waitForAlarms(1)
        #expect(alarm.isPending)
    }

    @Test func sleepersAndAlarmsAreCountedSeparately() async throws {
        let alarm = alarm("alarm", in: .seconds(1))
        let waiter = Task { [time, log] in
            await time.waitForSleepers(1)
            log.add("met")
        }
        let sleeping = sleeper("sleeper", for: .seconds(2))
        await waiter.value
        #expect(log.all == ["met"])
        #expect(time.sleeperCount == 1)
        #expect(time.alarmCount == 1)
        #expect(alarm.isPending)
        time.advance(by: .seconds(2))
        try await sleeping.value
        #expect(log.all == ["met", "alarm", "sleeper"])
    }

    @Test func severalTestsCanWaitAtOnce() async throws {
        let time = time
        let waiters = (1...3).map { count in Task { await time.waitForAlarms(count) } }
        let alarms = (1...3).map { alarm("\($0)", in: .seconds($0)) }
        for waiter in waiters { await waiter.value }
        #expect(alarms.allSatisfy { $0.isPending })
    }

    @Test func dueAlarmsFireInTheOrderOfTimeThenOfSetting() {
        let alarms = [
            alarm("c", in: .seconds(3)), alarm("a", in: .seconds(1)), alarm("b1", in: .seconds(2)),
            alarm("d", in: .seconds(4)), alarm("b2", in: .seconds(2)),
        ]
        time.advance(by: .seconds(3))
        #expect(log.all == ["a", "b1", "b2", "c"])
        #expect(alarms.map(\.isPending) == [false, false, false, true, false])
        #expect(time.timeToNext == .seconds(1))
        time.advance(by: .seconds(1))
        #expect(log.all == ["a", "b1", "b2", "c", "d"])
    }

    @Test func anActionSeesTheTimeItWasSetFor() {
        let (time, log) = (time, log)
        let alarms = [1, 2].map { second in
            time.schedule(at: .init(nanoseconds: second * 1_000_000_000)) { log.add("\(time.now.nanoseconds)") }
        }
        time.advance(by: .seconds(10))
        #expect(log.all == ["1000000000", "2000000000"])
        #expect(time.now == .init(nanoseconds: 10_000_000_000))
        #expect(alarms.allSatisfy { !$0.isPending })
    }

    @Test func alarmsSetDuringAnAdvanceFireInIt() {
        let (time, log) = (time, log)
        let later = Locked<[ClockAlarm]>([])
        let first = time.schedule(at: .init(nanoseconds: 10)) {
            log.add("first at \(time.now.nanoseconds)")
            let second = time.schedule(at: time.now.advanced(by: .nanoseconds(5))) {
                log.add("second at \(time.now.nanoseconds)")
            }
            let third = time.schedule(at: time.now.advanced(by: .nanoseconds(100))) { log.add("third") }
            later.withLock { $0 = [second, third] }
        }
        time.advance(to: .init(nanoseconds: 20))
        #expect(log.all == ["first at 10", "second at 15"])
        #expect(!first.isPending)
        #expect(later.withLock { $0.map(\.isPending) } == [false, true])
        #expect(time.timeToNext == .nanoseconds(90))
    }

    @Test func aCancelledAlarmDoesNotFire() {
        let alarm = alarm("a", in: .seconds(1))
        #expect(time.alarmCount == 1)
        alarm.cancel()
        #expect(time.alarmCount == 0)
        #expect(time.timeToNext == nil)
        time.advance(by: .seconds(2))
        #expect(log.all.isEmpty)
    }

    @Test func aCancelledSleepEndsAtOnceAndIsForgotten() async throws {
        let sleeping = sleeper("a", for: .seconds(1))
        await time.waitForSleepers(1)
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        #expect(time.sleeperCount == 0)
        time.advance(by: .seconds(2))
        #expect(log.all.isEmpty)
    }

    @Test func aSleepInACancelledTaskDoesNotBegin() async throws {
        let time = time
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await time.clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(time.sleeperCount == 0)
    }

    @Test(arguments: [0, -1, -1000] as [Int64])
    func aDeadlineInThePastIsOverAtOnce(seconds: Int64) async throws {
        time.advance(by: .seconds(5))
        try await time.clock.sleep(for: .seconds(seconds))
        let alarm = alarm("a", in: .seconds(seconds))
        #expect(log.all == ["a"])
        #expect(!alarm.isPending)
        #expect(time.timeToNext == nil)
    }

    @Test func anAlarmThatNeverComesIsNotCounted() {
        let alarm = time.schedule(at: .distantFuture) {}
        #expect(time.alarmCount == 0)
        #expect(alarm.isPending)
        alarm.cancel()
        #expect(!alarm.isPending)
    }

    @Test func reportsTheTimeToTheNextDeadline() async throws {
        #expect(time.timeToNext == nil)
        let alarm = alarm("a", in: .seconds(9))
        let sleeping = sleeper("s", for: .seconds(4))
        await time.waitForSleepers(1)
        #expect(time.timeToNext == .seconds(4))
        time.advance(by: .seconds(1))
        #expect(time.timeToNext == .seconds(3))
        time.advance(by: .seconds(3))
        try await sleeping.value
        #expect(time.timeToNext == .seconds(5))
        alarm.cancel()
        #expect(time.timeToNext == nil)
    }

    @Test func steppingToTheNextFiresThemOneByOne() throws {
        let alarms = [alarm("b", in: .seconds(2)), alarm("a", in: .seconds(1))]
        time.advance(by: try #require(time.timeToNext))
        #expect(log.all == ["a"])
        time.advance(by: try #require(time.timeToNext))
        #expect(log.all == ["a", "b"])
        #expect(alarms.allSatisfy { !$0.isPending })
    }

    @Test func manyTasksCanSleepCancelAndAdvanceAtOnce() async throws {
        let (time, log) = (time, log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask {
                    try await time.clock.sleep(until: .init(nanoseconds: Int64(number)))
                    log.add("ended")
                }
                group.addTask {
                    let alarm = time.schedule(at: .init(nanoseconds: Int64(number))) { log.add("ended") }
                    if number.isMultiple(of: 2) { alarm.cancel() }
                }
            }
            for step in 1...50 { group.addTask { time.advance(to: .init(nanoseconds: Int64(step * 4))) } }
            try await group.waitForAll()
        }
        #expect(time.now == .init(nanoseconds: 200))
        #expect(time.sleeperCount == 0)
        #expect(time.alarmCount == 0)
        #expect((300...400).contains(log.all.count))
    }

    @Test func skippedSleepsAdvanceTheClock() async throws {
        let (time, log) = (TestClock(skipsSleeps: true), log)
        let alarm = time.schedule(at: .init(nanoseconds: 1_000_000_000)) { log.add("alarm") }
        try await time.clock.sleep(for: .seconds(2))
        log.add("slept")
        #expect(log.all == ["alarm", "slept"])
        #expect(!alarm.isPending)
        #expect(time.now.nanoseconds == 2_000_000_000)
    }

    @Test func aSkippedSleepEndsWithItsTask() async throws {
        let time = TestClock(skipsSleeps: true)
        let sleeping = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await time.clock.sleep(for: .seconds(2))
        }
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        #expect(time.now.nanoseconds == 0)
    }

    @Test func measuresTimeLikeAnyClock() {
        let elapsed = time.clock.measure { time.advance(by: .milliseconds(250)) }
        #expect(elapsed == .milliseconds(250))
    }
}
