/// One attempt of a call as retry saw it: its time, its result, and the decision after it.
public struct AttemptRecord: Sendable, Hashable, CustomStringConvertible {
    /// The number of the attempt, from 1.
    public internal(set) var number: Int
    /// The time from the beginning of the first attempt to that of this one.
    public internal(set) var startedAfter: Duration
    /// The duration of the attempt.
    public let duration: Duration
    /// The status of its response, if there was one.
    public let status: HTTPStatus?
    /// The kind of failure; `nil` if there is a status, or if the attempt was cancelled.
    public let code: NetKitError.Code?
    /// Whether the server may have acted on it.
    public let outcome: NetKitError.Outcome
    /// The delay that the server asked for, if it did.
    public let serverDelay: Duration?
    /// The delay before the next attempt; `nil` for the last one.
    public internal(set) var delay: Duration?

    /// The time, the result and the delay in words.
    public var description: String {
        let moment = startedAfter > .zero ? " after \(startedAfter.shortText)" : ""
        var text = "attempt \(number)\(moment): \(result) in \(duration.shortText)"
        if let serverDelay { text += ", the server asked for \(serverDelay.shortText)" }
        if let delay { text += ", waited \(delay.shortText)" }
        return text
    }

    /// The result of the attempt in words.
    var result: String {
        if let status { return "status \(status.code)" }
        if let code { return "\(code), \(outcome)" }
        return "cancelled, \(outcome)"
    }
}

/// The reason why a call was not tried again.
public struct RetryStop: Hashable, Sendable, CustomStringConvertible {
    /// A byte, where a string would be copied and compared.
    private enum Name: String {
        case answered = "then answered"
        case notRetryable = "not retried: trying again would not help"
        case refused = "not retried: the policy's closure refused"
        case notIdempotent = "not retried: the server may have acted on it, and it has no Idempotency-Key"
        case bodyNotReplayable = "not retried: the body cannot be sent again"
        case attemptsUsedUp = "gave up: every attempt was used"
        case budgetUsedUp = "not retried: the host's retry budget is used up"
        case deadline = "not retried: the deadline comes first"
        case maxElapsed = "not retried: the policy's time is used up"
        case serverDelayTooLong = "not retried: the server asked to wait longer than the policy allows"
        case cancelled = "then ended from outside"
    }

    private let name: Name

    /// The reason in words, as in errors and logs.
    public var description: String { name.rawValue }

    /// The response needed no retry.
    public static let answered = RetryStop(name: .answered)
    /// Another attempt would not help.
    public static let notRetryable = RetryStop(name: .notRetryable)
    /// The policy's `shouldRetry` refused.
    public static let refused = RetryStop(name: .refused)
    /// The server may have acted on a request that must not be repeated.
    public static let notIdempotent = RetryStop(name: .notIdempotent)
    /// The body is a stream that can be read only once.
    public static let bodyNotReplayable = RetryStop(name: .bodyNotReplayable)
    /// The policy allows no further attempt.
    public static let attemptsUsedUp = RetryStop(name: .attemptsUsedUp)
    /// The host's retry budget is empty, because too many calls have failed there recently.
    public static let budgetUsedUp = RetryStop(name: .budgetUsedUp)
    /// The next attempt would begin after the deadline.
    public static let deadline = RetryStop(name: .deadline)
    /// The next attempt would begin later than the policy allows.
    public static let maxElapsed = RetryStop(name: .maxElapsed)
    /// The server asked for a longer delay than the policy allows.
    public static let serverDelayTooLong = RetryStop(name: .serverDelayTooLong)
    /// The call was ended from outside.
    public static let cancelled = RetryStop(name: .cancelled)

    /// Returns whether the reason adds something to the error itself, or to the presence of a response.
    func tellsMore(than error: NetKitError?) -> Bool {
        switch self {
        case .answered, .notRetryable, .cancelled: false
        case .deadline: error?.isOfDeadline != true
        default: true
        }
    }
}
