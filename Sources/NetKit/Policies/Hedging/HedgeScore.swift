/// The choice between two attempts: the first good one, or else the better of two bad ones.
///
/// An outcome that is returned as `discarded` has no owner, and the caller must end it.
struct HedgeScore {
    typealias Outcome = Result<HTTPResponse, any Error>

    enum Decision {
        case wait
        /// The response has to be read ahead and then finished again.
        case readAhead(Outcome, Quality)
        case deliver(Outcome, discarded: Outcome?)
        case discard(Outcome)
    }

    /// The quality of an outcome.
    enum Quality: Int {
        /// A failure of an attempt that sent nothing, such as one that a limit refused.
        case refusal
        /// The refusal of a change, which may be due to the other attempt: it is making the change or has made it.
        case refusedChange
        case failure
        /// A response with a bad status, for which the other attempt may have a better one.
        case badResponse
        /// A response that is delivered at once.
        case good

        /// Whether a response waits for the other attempt.
        var isKept: Bool { self == .refusedChange || self == .badResponse }
    }

    private var running = 1
    private var kept: (outcome: Outcome, quality: Quality)?
    /// Whether a bad response exceeded the limit while it was read ahead.
    private var isTooLong = false
    private(set) var isDecided = false

    /// Whether an attempt has not ended, as far as it was noted before the decision.
    var isRunning: Bool { running > 0 }

    /// Counts the second attempt.
    ///
    /// Returns `false` if it is too late.
    mutating func startSecond() -> Bool {
        guard !isDecided else { return false }
        running += 1
        return true
    }

    /// Notes the end of an attempt, and decides.
    ///
    /// A bad response that may be kept is read ahead first.
    mutating func finish(_ outcome: Outcome, _ quality: Quality, isReadAhead: Bool = false) -> Decision {
        guard !isDecided else { return .discard(outcome) }
        if quality.isKept, running > 1, !isReadAhead { return .readAhead(outcome, quality) }
        running -= 1
        if quality == .good {
            isDecided = true
            return .deliver(outcome, discarded: kept.take()?.outcome)
        }
        guard running == 0 || isTooLong && quality.isKept else {
            kept = (outcome, quality)
            return .wait
        }
        isDecided = true
        defer { kept = nil }
        // Of two equal outcomes, the first is delivered.
        guard let kept, kept.quality.rawValue >= quality.rawValue else {
            return .deliver(outcome, discarded: kept?.outcome)
        }
        return .deliver(kept.outcome, discarded: outcome)
    }

    /// Decides for the response that was kept, or for the next bad one, without waiting for the other attempt.
    mutating func finishWithKept() -> Decision {
        // A failure that was kept is not the response that is too long.
        guard let kept, kept.quality.isKept else {
            isTooLong = true
            return .wait
        }
        isDecided = true
        self.kept = nil
        return .deliver(kept.outcome, discarded: nil)
    }

    /// Ends the race without a result, and returns the outcome that was kept, if there is one.
    mutating func abandon() -> Outcome? {
        isDecided = true
        return kept.take()?.outcome
    }
}
