/// One attempt of a call as retry saw it: when, how it ended, and what was decided then.
public struct AttemptRecord: Sendable, Hashable, CustomStringConvertible {
    /// Which attempt it was, from 1.
    public internal(set) var number: Int
    /// How long after the first attempt it began.
    public internal(set) var startedAfter: Duration
    /// How long it took.
    public let duration: Duration
    /// The status of its answer, where there was one.
    public let status: HTTPStatus?
    /// What failed, where it failed; nil with a status, and where it was cancelled.
    public let code: NetKitError.Code?
    /// Whether the server may have acted on it.
    public let outcome: NetKitError.Outcome
    /// How long the server asked to wait, where it did.
    public let serverDelay: Duration?
    /// How long retry decided to wait after it; nil where it was the last.
    public let delay: Duration?

    /// Time, result and delay in words.
    public var description: String {
        let moment = startedAfter > .zero ? " after \(startedAfter.shortText)" : ""
        var text = "attempt \(number)\(moment): \(result) in \(duration.shortText)"
        if let serverDelay { text += ", the server asked for \(serverDelay.shortText)" }
        if let delay { text += ", waited \(delay.shortText)" }
        return text
    }

    /// How it ended, in words.
    var result: String {
        if let status { return "status \(status.code)" }
        if let code { return "\(code), \(outcome)" }
        return "cancelled, \(outcome)"
    }
}
