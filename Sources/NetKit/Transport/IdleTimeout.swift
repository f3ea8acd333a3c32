/// The limits for the silence of an exchange.
///
/// Pure: it is told what moved, and says when to look again and what has run out by then. Foundation does not tell when a
/// connection stands, so the first-byte limit counts from the moment a request without a body was handed over.
struct IdleTimeout {
    /// The limit that has run out.
    struct Expiry: Equatable {
        let phase: NetKitError.TimeoutPhase
        let limit: Duration

        func error(outcome: NetKitError.Outcome) -> NetKitError {
            NetKitError(
                .timeout,
                phase == .firstByte
                    ? "No byte of the response came within \(limit.shortText). Raise `timeouts.firstByte`."
                    : "Nothing moved for \(limit.shortText). Raise `timeouts.idle` or check the server.",
                outcome: outcome,
                timeoutPhase: phase
            )
        }
    }

    private let idle: Duration?
    private let firstByte: Duration?
    private var lastMove: NetKitClock.Instant
    /// The time at which the last byte of the request was handed over, if it was.
    private var requestEnd: NetKitClock.Instant?
    private var isAnswered = false

    init(timeouts: Timeouts, hasBody: Bool, start: NetKitClock.Instant) {
        idle = timeouts.idle
        firstByte = timeouts.firstByte
        lastMove = start
        requestEnd = hasBody ? nil : start
    }

    /// A part of the request left.
    mutating func noteSent(isEnd: Bool, at now: NetKitClock.Instant) {
        lastMove = now
        if isEnd, requestEnd == nil { requestEnd = now }
    }

    /// A part of the response came; it ends the wait for the first byte, even if the request is not through.
    mutating func noteReceived(at now: NetKitClock.Instant) {
        lastMove = now
        isAnswered = true
    }

    /// The next time to check; `nil` if there is none.
    var nextCheck: NetKitClock.Instant? {
        guard let idleEnd, let firstByteEnd else { return idleEnd ?? firstByteEnd }
        return min(idleEnd, firstByteEnd)
    }

    /// Returns the limit that has run out, if one has.
    func expiry(at now: NetKitClock.Instant) -> Expiry? {
        if let firstByte, let firstByteEnd, firstByteEnd <= now { return Expiry(phase: .firstByte, limit: firstByte) }
        if let idle, let idleEnd, idleEnd <= now { return Expiry(phase: .idle, limit: idle) }
        return nil
    }

    private var idleEnd: NetKitClock.Instant? { idle.map { lastMove.advanced(by: $0) } }

    private var firstByteEnd: NetKitClock.Instant? {
        guard !isAnswered, let firstByte, let requestEnd else { return nil }
        return requestEnd.advanced(by: firstByte)
    }
}
