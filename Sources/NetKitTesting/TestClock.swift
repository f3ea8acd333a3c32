import Foundation
public import NetKit

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let time = TestClock()
/// let task = Task { try await client.send(.user("42")) }       // client with `configuration.clock = time.clock`
/// await time.waitForSleepers(1)                                // the back-off has begun: no polling, no real time
/// time.advance(by: .seconds(1))
/// let user = try await task.value
/// ```
/// Sleepers are tasks that wait in `sleep`, such as a retry delay. Alarms end something, such as a call at its
/// deadline. They are counted separately, so that a test can wait for either.
///
/// With `TestClock(skipsSleeps: true)`, the clock advances by itself: each sleep ends at once, with the clock at its
/// end. NetKit sleeps before a retry, before it resumes a stream or a download, and for a permit of a rate limit.
/// Timeouts and periodic work are alarms, which fire when a sleep or the test advances the clock.
public final class TestClock: ClockSource {
    private enum Entry {
        case sleeper(Promise<Void>)
        case alarm(ClockAlarm)

        var isSleeper: Bool { if case .sleeper = self { true } else { false } }
    }

    /// The order of entries: by deadline, and then by arrival.
    private struct Rank: Comparable {
        let deadline: NetKitClock.Instant
        let key: Int

        static func < (left: Rank, right: Rank) -> Bool { (left.deadline, left.key) < (right.deadline, right.key) }
    }

    private struct Goal {
        let sleepers: Int
        let alarms: Int
    }

    private struct State {
        var now = NetKitClock.Instant(nanoseconds: 0)
        var nextKey = 0
        var entries = RankedHeap<Int, Rank, Entry>()
        var sleeperCount = 0
        var waits: [TestWait<Goal>] = []

        var alarmCount: Int { entries.count - sleeperCount }

        func isReached(_ goal: Goal) -> Bool { goal.sleepers <= sleeperCount && goal.alarms <= alarmCount }
    }

    private let start: Date
    private let skipsSleeps: Bool
    private let state = Locked(State())

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - date: The initial date of the clock.
    ///   - skipsSleeps: Whether a sleep advances the clock to its end instead of waiting. Alarms that are due before
    ///     fire first.
    public init(date: Date = Date(timeIntervalSince1970: 1_800_000_000), skipsSleeps: Bool = false) {
        start = date
        self.skipsSleeps = skipsSleeps
    }

    /// The clock to pass to the code under test.
    public var clock: NetKitClock { NetKitClock(self) }

    /// The current instant.
    public var now: NetKitClock.Instant { state.withLock { $0.now } }

    /// The current date.
    public var date: Date { start.addingTimeInterval(Double(now.nanoseconds) / 1e9) }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleeperCount } }

    /// The number of alarms that neither fired nor were cancelled.
    public var alarmCount: Int { state.withLock { $0.alarmCount } }

    /// The time to the next end of a sleep or alarm, or `nil` if there is none.
    public var timeToNext: Duration? {
        state.withLock { state in
            state.entries.firstRank.map { state.now.duration(to: $0.deadline) }
        }
    }

    /// Advances the clock, and ends the sleeps and alarms that become due, in order.
    public func advance(by duration: Duration) {
        advance(to: now.advanced(by: duration))
    }

    /// Advances the clock to an instant.
    ///
    /// An instant in the past has no effect.
    public func advance(to target: NetKitClock.Instant) {
        while let entry = state.withLock({ Self.takeNext(&$0, before: target) }) {
            switch entry {
            case .sleeper(let sleeper): sleeper.resolve(.success(()))
            case .alarm(let alarm): alarm.fire()
            }
        }
    }

    /// Waits until at least a number of tasks is sleeping.
    ///
    /// If the test is cancelled first, as it is at its time limit, the wait ends, and a line on standard error says
    /// what it waited for.
    public func waitForSleepers(_ count: Int) async {
        await wait(sleepers: count, alarms: 0)
    }

    /// Waits until at least a number of alarms is set.
    ///
    /// If the test is cancelled first, as it is at its time limit, the wait ends, and a line on standard error says
    /// what it waited for.
    public func waitForAlarms(_ count: Int) async {
        await wait(sleepers: 0, alarms: count)
    }

    /// Suspends until the clock reaches the deadline or the task is cancelled.
    ///
    /// A clock that skips sleeps advances there.
    public func sleep(until deadline: NetKitClock.Instant) async throws {
        if skipsSleeps {
            try Task.checkCancellation()
            advance(to: deadline)
            // Without a yield, a loop of sleeps would block its thread, and the task that ends it might never run.
            await Task.yield()
            return try Task.checkCancellation()
        }
        try Task.checkCancellation()
        let sleeper = Promise<Void>()
        let key = makeKey()
        defer { remove(key) }
        if !add(.sleeper(sleeper), at: deadline, key: key) { return }
        try await sleeper.cancellableValue()
    }

    /// Calls an action when the clock reaches the deadline.
    public func schedule(
        at deadline: NetKitClock.Instant,
        _ action: @escaping @Sendable () -> Void
    ) -> ClockAlarm {
        let key = makeKey()
        let alarm = ClockAlarm(action) { [weak self] in self?.remove(key) }
        guard deadline < .distantFuture else { return alarm }
        if !add(.alarm(alarm), at: deadline, key: key) { alarm.fire() }
        return alarm
    }

    private func makeKey() -> Int {
        state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
    }

    /// Adds an entry.
    ///
    /// Returns `false` if the deadline is not in the future.
    private func add(_ entry: Entry, at deadline: NetKitClock.Instant, key: Int) -> Bool {
        let (isAdded, reached) = state.withLock { state -> (Bool, [TestWait<Goal>]) in
            guard deadline > state.now else { return (false, []) }
            state.entries.insert(key, rank: Rank(deadline: deadline, key: key), entry)
            if entry.isSleeper { state.sleeperCount += 1 }
            let current = state
            return (true, state.waits.takeReached { current.isReached($0) })
        }
        for wait in reached { wait.finish() }
        return isAdded
    }

    private func remove(_ key: Int) {
        state.withLock { state in
            if state.entries.remove(key)?.isSleeper == true { state.sleeperCount -= 1 }
        }
    }

    private func wait(sleepers: Int, alarms: Int) async {
        let wait = TestWait(for: Goal(sleepers: sleepers, alarms: alarms))
        let isReached = state.withLock { state in
            if state.isReached(wait.goal) { return true }
            state.waits.append(wait)
            return false
        }
        if isReached { return }
        await wait.value {
            let (sleeping, set) = state.withLock { ($0.sleeperCount, $0.alarmCount) }
            let next = timeToNext.map { ", and the next is due in \($0)" } ?? ""
            let awaited =
                sleepers > 0 ? sleepers.counting("sleeper") : alarms.counting("alarm")
            let present = "\(sleeping.counting("sleeper")) and \(set.counting("alarm"))"
            return "\(awaited) of the test clock. There were \(present)\(next)."
        }
    }

    private static func takeNext(_ state: inout State, before target: NetKitClock.Instant) -> Entry? {
        guard let deadline = state.entries.firstRank?.deadline, deadline <= target,
            let entry = state.entries.popFirst()?.member
        else {
            state.now = max(state.now, target)
            return nil
        }
        state.now = max(state.now, deadline)
        if entry.isSleeper { state.sleeperCount -= 1 }
        return entry
    }
}
