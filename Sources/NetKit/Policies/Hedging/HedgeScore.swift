/// The choice between two attempts: the first good one, or else the better of two bad ones.
///
/// Pure; a result that is handed back as `discarded` is nobody's any more and has to be ended.
struct HedgeScore<Outcome> {
    enum Decision {
        case wait
        case deliver(Outcome, discarded: Outcome?)
        case discard(Outcome)
    }

    /// The quality of an outcome.
    enum Quality: Int {
        case failure
        /// An answer, but one that another server may have spared the caller.
        case badAnswer
        case good
    }

    private var running = 1
    private var kept: (outcome: Outcome, quality: Quality)?
    private(set) var isDecided = false

    /// Counts the second attempt in; false where it comes too late.
    mutating func startSecond() -> Bool {
        guard !isDecided else { return false }
        running += 1
        return true
    }

    /// An attempt is over.
    mutating func finish(_ outcome: Outcome, _ quality: Quality) -> Decision {
        guard !isDecided else { return .discard(outcome) }
        running -= 1
        if quality == .good {
            isDecided = true
            defer { kept = nil }
            return .deliver(outcome, discarded: kept?.outcome)
        }
        guard running == 0 else {
            kept = (outcome, quality)
            return .wait
        }
        isDecided = true
        defer { kept = nil }
        // Of two equals the first to end is delivered.
        guard let kept, kept.quality.rawValue >= quality.rawValue else {
            return .deliver(outcome, discarded: kept?.outcome)
        }
        return .deliver(kept.outcome, discarded: outcome)
    }

    /// Ends the race without a result, and returns the outcome that was kept, if there is one.
    mutating func abandon() -> Outcome? {
        isDecided = true
        defer { kept = nil }
        return kept?.outcome
    }
}
