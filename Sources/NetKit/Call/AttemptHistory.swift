import Foundation
import Synchronization

/// The exchanges of a call so far, and the facts that follow from all of them.
struct AttemptHistory: ~Copyable {
    /// The number of exchanges that were begun.
    private(set) var count = 0
    /// The numbers that this call shares with the calls that make exchanges for it; `nil` if there are none.
    private var numbers: AttemptNumbers?
    /// The exchange that began last.
    private(set) var current: Attempt?
    /// The record of attempts that failed; `nil` if none did.
    private(set) var log: AttemptLog?
    /// The time at which the first attempt in the log began.
    private(set) var logStart = NetKitClock.Instant.distantFuture
    /// Calls whose exchanges this one shares instead of making its own.
    private(set) var followed: [Call] = []
    /// The number of exchanges begun before those of the last of these calls.
    private var countBeforeFollowed = 0
    /// The placeholder before the first exchange.
    private var beforeFirst: Attempt?
    /// Whether a finished exchange may have reached the server.
    private var reachedWire = false
    /// Whether the call ends unsent at the login that it waits for.
    var endsAtLogin = false
    /// Earlier exchanges that may still be under way, because an interceptor runs several at once.
    private var earlier: [Attempt] = []

    init(numbers: AttemptNumbers?) { self.numbers = numbers }

    /// The number of the exchange that began last, in this call or in one that makes exchanges for it.
    var latestNumber: Int { numbers?.latest ?? count }

    /// Returns the numbers for a call that makes exchanges for this one.
    mutating func sharedNumbers() -> AttemptNumbers {
        let shared = numbers ?? AttemptNumbers(after: count)
        numbers = shared
        return shared
    }

    /// Whether an exchange may have reached the server.
    var mayHaveReachedWire: Bool {
        reachedWire || earlier.contains { $0.outcome != .notSent } || current.map { $0.outcome != .notSent } ?? false
    }

    /// Begins the next exchange, and returns it and whether no other one is sending its request.
    mutating func begin(
        at start: NetKitClock.Instant,
        deadline: NetKitClock.Instant?,
        url: URL?,
        updates: TransferUpdates?
    ) -> (attempt: Attempt, isAlone: Bool) {
        if let current {
            earlier.append(current)
            reachedWire = reachedWire || earlier.contains { $0.isSettled && $0.outcome != .notSent }
            earlier.removeAll { $0.isSettled }
        }
        count += 1
        let number = numbers?.next() ?? count
        let attempt = Attempt(number: number, start: start, deadline: deadline, url: url, updates: updates)
        current = attempt
        return (attempt, earlier.allSatisfy { $0.isOver || $0.outcome == .answered })
    }

    /// Returns the placeholder for the exchange of a call that has not begun one.
    mutating func placeholder(at start: NetKitClock.Instant) -> Attempt {
        let attempt = beforeFirst ?? Attempt(number: 0, start: start, deadline: nil)
        beforeFirst = attempt
        return attempt
    }

    /// Returns the first exchange with a higher number, as long as it is under way; `nil` if it has not begun.
    func attempt(after number: Int) -> Attempt? {
        earlier.first { $0.number > number } ?? current.flatMap { $0.number > number ? $0 : nil }
    }

    /// Counts the exchanges of another call as those of this one.
    mutating func follow(_ other: Call) {
        followed.append(other)
        countBeforeFollowed = count
    }

    /// The last exchange that the call began itself; `nil` if it followed another call after that.
    var latestOwn: Attempt? { count > countBeforeFollowed ? current : nil }

    /// Adds an attempt that is over to the log, and returns it with its number and its start in the log.
    ///
    /// `stop` is the reason why there is no further attempt; `nil` if there is one.
    mutating func add(_ attempt: AttemptRecord, start: NetKitClock.Instant, stop: RetryStop?) -> AttemptRecord {
        let known = log ?? AttemptLog()
        if known.count == 0 { logStart = start }
        var attempt = attempt
        attempt.number = known.count + 1
        attempt.startedAfter = logStart.duration(to: start)
        log = known.adding(attempt, stop: stop)
        if stop == nil {
            current?.noteOver()
            for attempt in earlier { attempt.noteOver() }
        }
        return attempt
    }

    /// Adds to the log the reason why there is no further attempt.
    mutating func add(_ stop: RetryStop) { log = log?.stopped(stop) }
}

/// The numbers of the exchanges of a call, and of the calls that make exchanges for it.
final class AttemptNumbers: Sendable {
    private let last: Atomic<Int>

    init(after number: Int) { last = Atomic(number) }

    var latest: Int { last.load(ordering: .relaxed) }

    func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
