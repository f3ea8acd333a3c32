import NetKitTesting
import Testing

@testable import NetKit

struct TimerHeapTests {
    private let fired = Notebook<Int64>()

    private func instant(_ nanoseconds: Int64) -> NetKitClock.Instant {
        NetKitClock.Instant(nanoseconds: nanoseconds)
    }

    private func alarm(_ name: Int64) -> ClockAlarm {
        ClockAlarm { [fired] in fired.add(name) }
    }

    @Test func asksForAWakeUpOnlyIfNoneIsDueEarlier() {
        var heap = TimerHeap()
        let asks = [20, 30, 20, 10, 15].map { heap.insert(alarm($0), at: instant($0)) }
        #expect(asks == [true, false, false, true, false])
        #expect(heap.count == 5)
    }

    @Test func returnsDueAlarmsInOrderAndTheNextWakeUp() {
        var heap = TimerHeap()
        for time: Int64 in [50, 10, 40, 20, 30] { _ = heap.insert(alarm(time), at: instant(time)) }
        let (due, next) = heap.removeDue(now: instant(30), wakeUp: instant(10))
        for alarm in due { alarm.fire() }
        #expect(fired.entries == [10, 20, 30])
        #expect(next == instant(40))
        #expect(heap.count == 2)
    }

    @Test func asksForNoSecondWakeUpAtTheSameInstant() {
        var heap = TimerHeap()
        _ = heap.insert(alarm(20), at: instant(20))
        _ = heap.insert(alarm(10), at: instant(10))
        _ = heap.insert(alarm(30), at: instant(30))
        let wakeUps = [10, 20, 30].map { heap.removeDue(now: instant($0), wakeUp: instant($0)) }
        #expect(wakeUps.map(\.next) == [nil, instant(30), nil])
        #expect(wakeUps.map(\.due.count) == [1, 1, 1])
        #expect(heap.count == 0)
    }

    @Test func shortAlarmsLeaveTheWakeUpOfALongOneAlone() {
        var heap = TimerHeap()
        let isFirst = heap.insert(alarm(1_000_000), at: instant(1_000_000))
        #expect(isFirst)
        for time: Int64 in 1...1000 {
            let isEarlier = heap.insert(alarm(time), at: instant(time))
            #expect(isEarlier)
            let (due, next) = heap.removeDue(now: instant(time), wakeUp: instant(time))
            #expect(due.count == 1 && next == nil)
        }
        let (due, next) = heap.removeDue(now: instant(1_000_000), wakeUp: instant(1_000_000))
        #expect(due.count == 1 && next == nil)
    }

    @Test func aWakeUpThatComesAfterALaterOneIsNotArrangedAgain() {
        var heap = TimerHeap()
        for time: Int64 in [20, 10, 30] { _ = heap.insert(alarm(time), at: instant(time)) }
        let wakeUps = [20, 10, 30].map { heap.removeDue(now: instant(max(20, $0)), wakeUp: instant($0)) }
        #expect(wakeUps.map(\.next) == [instant(30), nil, nil])
        #expect(wakeUps.map(\.due.count) == [2, 0, 1])
    }

    @Test func waitsOnWhenTheWakeUpCameTooEarly() {
        var heap = TimerHeap()
        _ = heap.insert(alarm(20), at: instant(20))
        let (due, next) = heap.removeDue(now: instant(19), wakeUp: instant(20))
        #expect(due.isEmpty)
        #expect(next == instant(20))
    }

    @Test func passesOverCancelledAlarms() {
        var heap = TimerHeap()
        let cancelled = alarm(10)
        _ = heap.insert(cancelled, at: instant(10))
        _ = heap.insert(alarm(20), at: instant(20))
        cancelled.cancel()
        heap.noteCancelled()
        let (due, next) = heap.removeDue(now: instant(10), wakeUp: instant(10))
        #expect(due.isEmpty)
        #expect(next == instant(20))
        #expect(heap.count == 1)
    }

    @Test func sweepsCancelledAlarmsOnceTheyAreTheMajority() {
        var heap = TimerHeap()
        let alarms = (0..<200).map { alarm(Int64($0)) }
        for (index, alarm) in alarms.enumerated() { _ = heap.insert(alarm, at: instant(Int64(200 - index))) }
        for alarm in alarms.prefix(100) {
            alarm.cancel()
            heap.noteCancelled()
        }
        #expect(heap.count == 200)
        alarms[100].cancel()
        heap.noteCancelled()
        #expect(heap.count == 99)
        for alarm in heap.removeDue(now: instant(200), wakeUp: instant(1)).due { alarm.fire() }
        #expect(fired.entries == (101..<200).reversed().map { Int64($0) })
    }

    @Test func canBeEmptiedBySweeping() {
        var heap = TimerHeap()
        for _ in 0..<65 {
            let alarm = alarm(1)
            _ = heap.insert(alarm, at: instant(1))
            alarm.cancel()
            heap.noteCancelled()
        }
        #expect(heap.count == 0)
        let (due, next) = heap.removeDue(now: instant(1), wakeUp: instant(1))
        #expect(due.isEmpty)
        #expect(next == nil)
        let asks = heap.insert(alarm(2), at: instant(2))
        #expect(asks)
    }

    /// A thousand alarms are set, cancelled and waited for at random. Each that was not cancelled fires exactly in
    /// time.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func firesEveryAlarmExactlyInTime(_ seed: UInt64) {
        var random = RandomSource.seeded(seed)
        var world = World()
        var expected: [Int: Int64] = [:]
        var pending: [Int] = []
        for name in 0..<1000 {
            let deadline = world.now + Int64.random(in: 1...40, using: &random)
            world.add(name, at: deadline)
            expected[name] = deadline
            pending.append(name)
            if Int.random(in: 0..<3, using: &random) == 0 {
                let victim = pending.remove(at: Int.random(in: 0..<pending.count, using: &random))
                if world.cancel(victim) { expected[victim] = nil }
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                world.move(to: world.now + Int64.random(in: 0...15, using: &random))
            }
        }
        world.move(to: .max)
        #expect(world.firedAt == expected)
        #expect(world.heap.count == 0)
        #expect(world.isInOrder)
    }
}

/// Drives a heap as the real clock does, in a virtual time.
private struct World {
    var heap = TimerHeap()
    var now: Int64 = 0
    private var wakeUps: [Int64] = []
    private var alarms: [Int: ClockAlarm] = [:]
    private let fired = Notebook<Int>()
    private(set) var firedAt: [Int: Int64] = [:]
    private(set) var isInOrder = true
    private var deadlines: [Int: Int64] = [:]

    mutating func add(_ name: Int, at deadline: Int64) {
        let alarm = ClockAlarm { [fired] in fired.add(name) }
        alarms[name] = alarm
        deadlines[name] = deadline
        if heap.insert(alarm, at: NetKitClock.Instant(nanoseconds: deadline)) { wakeUps.append(deadline) }
    }

    /// Returns false if it has fired before.
    mutating func cancel(_ name: Int) -> Bool {
        guard let alarm = alarms[name], alarm.isPending else { return false }
        alarm.cancel()
        heap.noteCancelled()
        return true
    }

    mutating func move(to target: Int64) {
        while let next = wakeUps.min(), next <= target {
            wakeUps.remove(at: wakeUps.firstIndex(of: next) ?? 0)
            now = max(now, next)
            wake(NetKitClock.Instant(nanoseconds: next))
        }
        now = max(now, target)
    }

    private mutating func wake(_ wakeUp: NetKitClock.Instant) {
        let before = fired.count
        let (due, next) = heap.removeDue(now: NetKitClock.Instant(nanoseconds: now), wakeUp: wakeUp)
        for alarm in due { alarm.fire() }
        let names = fired.entries.dropFirst(before)
        for name in names { firedAt[name] = now }
        let times = names.compactMap { deadlines[$0] }
        if times != times.sorted() { isInOrder = false }
        if let next { wakeUps.append(next.nanoseconds) }
    }
}
