/// The exchanges of a call so far, and the facts that follow from all of them.
struct AttemptHistory {
    /// The number of exchanges that were begun.
    private(set) var count = 0
    /// The exchange that began last.
    private(set) var current: Attempt?
    /// The record of attempts that failed; `nil` if none did.
    private(set) var log: AttemptLog?
    /// The time at which the first attempt in the log began.
    private(set) var logStart = NetKitClock.Instant.distantFuture
    /// Calls whose exchanges this one shares instead of making its own.
    private(set) var followed: [Call] = []
    /// The placeholder before the first exchange.
    private var none: Attempt?
    /// Whether an earlier exchange may have reached the server.
    private var reachedWire = false
    /// Earlier exchanges that had sent nothing when the next one began; in a race, they may still send.
    private var unsent: [Attempt] = []

    /// Whether an exchange before the current one may have reached the server.
    var mayHaveReachedWire: Bool { reachedWire || unsent.contains { $0.outcome != .notSent } }

    /// Begins the next exchange.
    mutating func begin(
        at start: NetKitClock.Instant,
        deadline: NetKitClock.Instant?,
        updates: TransferUpdates?
    ) -> Attempt {
        if let current {
            if current.outcome == .notSent { unsent.append(current) } else { reachedWire = true }
        }
        count += 1
        let attempt = Attempt(number: count, start: start, deadline: deadline, updates: updates)
        current = attempt
        return attempt
    }

    /// Returns the placeholder for the exchange of a call that has not begun one.
    mutating func placeholder(at start: NetKitClock.Instant, deadline: NetKitClock.Instant?) -> Attempt {
        let attempt = none ?? Attempt(number: 0, start: start, deadline: deadline)
        none = attempt
        return attempt
    }

    /// Counts the exchanges of another call as those of this one.
    mutating func follow(_ other: Call) {
        followed.append(other)
    }

    /// Adds an attempt that is over to the log.
    ///
    /// - Parameters:
    ///   - attempt: The attempt, whose number and start are set here.
    ///   - start: The time at which it began.
    ///   - stop: The reason why there is no further attempt; `nil` if there is one.
    /// - Returns: The attempt as it is in the log.
    mutating func add(_ attempt: AttemptRecord, start: NetKitClock.Instant, stop: RetryStop?) -> AttemptRecord {
        let earlier = log ?? AttemptLog()
        if earlier.count == 0 { logStart = start }
        var attempt = attempt
        attempt.number = earlier.count + 1
        attempt.startedAfter = logStart.duration(to: start)
        log = earlier.adding(attempt, stop: stop)
        if stop == nil { current?.noteOver() }
        return attempt
    }

    /// Adds to the log the reason why there is no further attempt.
    mutating func add(_ stop: RetryStop) {
        log = log?.stopped(stop)
    }
}
