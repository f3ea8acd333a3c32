/// One attempt of a call as retry saw it: when, how it ended, and what was decided then.
public struct AttemptRecord: Sendable, Hashable, CustomStringConvertible {
    /// The number of the attempt, from 1.
    public internal(set) var number: Int
    /// The time from the beginning of the first attempt to that of this one.
    public internal(set) var startedAfter: Duration
    /// The duration of the attempt.
    public let duration: Duration
    /// The status of its answer, where there was one.
    public let status: HTTPStatus?
    /// The kind of failure; `nil` if there is a status, or if the attempt was cancelled.
    public let code: NetKitError.Code?
    /// Whether the server may have acted on it.
    public let outcome: NetKitError.Outcome
    /// The delay that the server asked for, if it did.
    public let serverDelay: Duration?
    /// The delay before the next attempt; `nil` for the last one.
    public let delay: Duration?

    /// Time, result and delay in words.
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
