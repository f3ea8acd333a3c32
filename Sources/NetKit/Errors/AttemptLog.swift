/// Every attempt of a call that retry made, and why it stopped, for errors, logs and tests.
///
/// ```swift
/// catch let error as NetKitError {
///     print(error.attemptLog?.description ?? "not retried")
/// }
/// ```
public struct AttemptLog: Sendable, Hashable, CustomStringConvertible {
    /// The attempts in order; if there are too many, only the first and the last ones.
    public private(set) var attempts: [AttemptRecord] = []
    /// The number of attempts that are left out of the list.
    public private(set) var omittedCount = 0
    /// The reason why there was no further attempt; `nil` while the call continues.
    public private(set) var stop: RetryStop?

    /// The maximum number of attempts in the list.
    static let limit = 100

    /// The number of attempts.
    public var count: Int { attempts.count + omittedCount }

    /// Each attempt and the end, in one line of text.
    public var description: String {
        var parts = attempts.map(\.description)
        if omittedCount > 0 { parts.insert("\(omittedCount) more", at: Self.limit / 2) }
        if let stop { parts.append(stop.description) }
        return parts.joined(separator: "; ")
    }

    func adding(_ attempt: AttemptRecord, stop: RetryStop?) -> AttemptLog {
        var log = self
        if log.attempts.count == Self.limit {
            log.attempts.remove(at: Self.limit / 2)
            log.omittedCount += 1
        }
        log.attempts.append(attempt)
        log.stop = stop
        return log
    }

    /// Returns the log followed by another one, whose first attempt began a delay after this one's.
    func adding(_ later: AttemptLog, after delay: Duration) -> AttemptLog {
        var log = self
        for var attempt in later.attempts {
            attempt.number += count
            attempt.startedAfter += delay
            log = log.adding(attempt, stop: later.stop)
        }
        log.omittedCount += later.omittedCount
        return log
    }

    /// Returns the log of a call that ended during the wait after its last attempt.
    func stopped(_ stop: RetryStop) -> AttemptLog {
        var log = self
        log.stop = stop
        // The planned delay would otherwise count as a wait that took place.
        if let last = log.attempts.indices.last { log.attempts[last].delay = nil }
        return log
    }
}
