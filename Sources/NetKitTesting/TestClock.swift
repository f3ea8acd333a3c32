import Foundation
public import NetKit

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let time = TestClock()
/// let task = Task { try await client.send(.user("42")) }       // client with `configuration.clock = time.clock`
/// await time.waitForSleepers(1)                                // the back-off has begun: no polling, no real time
/// time.advance(by: .seconds(1))
/// let user = try await task.value
/// ```
/// Sleepers are what waits in `sleep`, such as a back-off; alarms are what would end a call, such as a deadline. They are
/// counted apart, so that a test waits for exactly what it means.
///
/// Where a test only wants to have what comes after the waiting, `TestClock(skipsSleeps: true)` moves itself: each sleep
/// ends at once, and the clock then stands where it would have ended. NetKit sleeps where it waits for nothing but time:
/// before a retry, before a stream or a download goes on, and for a permit of a rate limit. Limits in time and what
/// repeats itself are alarms: they come when a sleep or the test moves the clock.
public final class TestClock: ClockSource {
    private enum Entry {
        case sleeper(Sleeper)
        case alarm(ClockAlarm)

        var isSleeper: Bool { if case .sleeper = self { true } else { false } }
    }

    private struct Waiter {
        let sleepers: Int
        let alarms: Int
        let resume: @Sendable () -> Void
    }

    private struct State {
        var now = NetKitClock.Instant(nanoseconds: 0)
        var nextKey = 0
        var entries = Timeline<Entry>()
        var sleeperCount = 0
        var waiters: [Waiter] = []

        var alarmCount: Int { entries.count - sleeperCount }
    }

    private let start: Date
    private let skipsSleeps: Bool
    private let state = Locked(State())

    /// Makes a clock that stands at a date.
    ///
    /// - Parameters:
    ///   - date: The time of day at which it begins.
    ///   - skipsSleeps: Whether a sleep moves the clock to its end instead of waiting for the test to do so. Alarms on the
    ///     way fire first.
    public init(date: Date = Date(timeIntervalSince1970: 1_800_000_000), skipsSleeps: Bool = false) {
        start = date
        self.skipsSleeps = skipsSleeps
    }

    /// The clock to hand to what is tested.
    public var clock: NetKitClock { NetKitClock(self) }

    /// The instant the clock stands at.
    public var now: NetKitClock.Instant { state.withLock { $0.now } }

    /// The time of day the clock stands at.
    public var date: Date { start.addingTimeInterval(Double(now.nanoseconds) / 1e9) }

    /// How many sleeps are waiting for the clock to move.
    public var sleeperCount: Int { state.withLock { $0.sleeperCount } }

    /// How many alarms are set and neither fired nor cancelled.
    public var alarmCount: Int { state.withLock { $0.alarmCount } }

    /// How long it is until the next sleep or alarm ends; nil where none is waiting.
    public var timeToNext: Duration? {
        state.withLock { state in
            state.entries.next.map { state.now.duration(to: $0) }
        }
    }

    /// Moves the clock, and ends what is due on the way in the order of time.
    public func advance(by duration: Duration) {
        advance(to: now.advanced(by: duration))
    }

    /// Moves the clock to an instant; one that lies in the past changes nothing.
    public func advance(to target: NetKitClock.Instant) {
        while let entry = state.withLock({ Self.takeNext(&$0, before: target) }) {
            switch entry {
            case .sleeper(let sleeper): sleeper.end(.success(()))
            case .alarm(let alarm): alarm.fire()
            }
        }
    }

    /// Waits until at least this many sleeps are waiting.
    public func waitForSleepers(_ count: Int) async {
        await wait(sleepers: count, alarms: 0)
    }

    /// Waits until at least this many alarms are set.
    public func waitForAlarms(_ count: Int) async {
        await wait(sleepers: 0, alarms: count)
    }

    /// Suspends until the clock has been moved to the deadline, or the task is cancelled; moves it there where it skips sleeps.
    public func sleep(until deadline: NetKitClock.Instant) async throws {
        if skipsSleeps {
            try Task.checkCancellation()
            advance(to: deadline)
            // A loop of sleeps would keep its thread, and what ends it might never run.
            await Task.yield()
            return try Task.checkCancellation()
        }
        let sleeper = Sleeper()
        let key = makeKey()
        defer { remove(key) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard sleeper.start(continuation) else { return }
                if !add(.sleeper(sleeper), at: deadline, key: key) { sleeper.end(.success(())) }
            }
        } onCancel: {
            sleeper.end(.failure(CancellationError()))
        }
    }

    /// Calls an action when the clock is moved to the deadline.
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

    /// False where the deadline is not in the future: there is nothing to wait for.
    private func add(_ entry: Entry, at deadline: NetKitClock.Instant, key: Int) -> Bool {
        let (isAdded, ready) = state.withLock { state -> (Bool, [Waiter]) in
            guard deadline > state.now else { return (false, []) }
            state.entries.insert(entry, at: deadline, key: key)
            if entry.isSleeper { state.sleeperCount += 1 }
            guard !state.waiters.isEmpty else { return (true, []) }
            let (sleepers, alarms) = (state.sleeperCount, state.alarmCount)
            let isReady = { (waiter: Waiter) in waiter.sleepers <= sleepers && waiter.alarms <= alarms }
            let ready = state.waiters.filter(isReady)
            state.waiters.removeAll(where: isReady)
            return (true, ready)
        }
        for waiter in ready { waiter.resume() }
        return isAdded
    }

    private func remove(_ key: Int) {
        state.withLock { state in
            if state.entries.remove(key)?.isSleeper == true { state.sleeperCount -= 1 }
        }
    }

    private func wait(sleepers: Int, alarms: Int) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if sleepers <= state.sleeperCount, alarms <= state.alarmCount { return true }
                state.waiters.append(Waiter(sleepers: sleepers, alarms: alarms) { continuation.resume() })
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    private static func takeNext(_ state: inout State, before target: NetKitClock.Instant) -> Entry? {
        guard let (entry, deadline) = state.entries.popFirst(until: target) else {
            state.now = max(state.now, target)
            return nil
        }
        state.now = max(state.now, deadline)
        if entry.isSleeper { state.sleeperCount -= 1 }
        return entry
    }
}
