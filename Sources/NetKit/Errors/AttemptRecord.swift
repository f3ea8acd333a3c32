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
    /// The reason in words, as in errors and logs.
    public let description: String

    /// The response needed no retry.
    public static let answered = RetryStop(description: "then answered")
    /// Another attempt would not help.
    public static let notRetryable = RetryStop(description: "not retried: trying again would not help")
    /// The policy's `shouldRetry` refused.
    public static let refused = RetryStop(description: "not retried: the policy's closure refused")
    /// The server may have acted on a request that must not be repeated.
    public static let notIdempotent = RetryStop(
        description: "not retried: the server may have acted on it, and it has no Idempotency-Key"
    )
    /// The body is a stream that can be read only once.
    public static let bodyNotReplayable = RetryStop(description: "not retried: the body cannot be sent again")
    /// The policy allows no further attempt.
    public static let attemptsUsedUp = RetryStop(description: "gave up: every attempt was used")
    /// The host's retry budget is empty, because too many calls have failed there recently.
    public static let budgetUsedUp = RetryStop(description: "not retried: the host's retry budget is used up")
    /// The next attempt would begin after the deadline.
    public static let deadline = RetryStop(description: "not retried: the deadline comes first")
    /// The next attempt would begin later than the policy allows.
    public static let maxElapsed = RetryStop(description: "not retried: the policy's time is used up")
    /// The server asked for a longer delay than the policy allows.
    public static let serverDelayTooLong = RetryStop(
        description: "not retried: the server asked to wait longer than the policy allows"
    )
    /// The call was ended from outside.
    public static let cancelled = RetryStop(description: "then ended from outside")

    /// Returns whether the reason adds something to the error itself, or to the presence of a response.
    func tellsMore(than error: NetKitError?) -> Bool {
        switch self {
        case .answered, .notRetryable, .cancelled: false
        case .deadline: error?.isOfDeadline != true
        default: true
        }
    }
}
