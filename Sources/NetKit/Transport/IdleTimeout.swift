/// The idle and first-byte limits of an exchange.
///
/// A pure value: it is told when bytes move, and returns the time of the next check and the limit that has expired by
/// then. Foundation does not report when a connection is established, so for a request without a body, the first-byte
/// limit starts when the request is handed over.
struct IdleTimeout {
    /// A limit that has expired.
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
    /// The time at which the last byte of the request was handed over, or seen to leave after that; `nil` before.
    private var requestEnd: NetKitClock.Instant?
    private var isAnswered = false

    init(timeouts: Timeouts, hasBody: Bool, start: NetKitClock.Instant) {
        idle = timeouts.idle
        firstByte = timeouts.firstByte
        lastMove = start
        requestEnd = hasBody ? nil : start
    }

    /// Records that a part of the request was sent, possibly for a second time.
    mutating func noteSent(isEnd: Bool, at now: NetKitClock.Instant) {
        lastMove = now
        requestEnd = isEnd ? now : nil
    }

    /// Records that bytes of the request reached the server, which may be long after they were handed over.
    mutating func noteDelivered(at now: NetKitClock.Instant) {
        lastMove = now
        if requestEnd != nil { requestEnd = now }
    }

    /// Records a part of the response, which ends the wait for the first byte, even if the request is incomplete.
    mutating func noteReceived(at now: NetKitClock.Instant) {
        lastMove = now
        isAnswered = true
    }

    /// The next time to check; `nil` if there is none.
    var nextCheck: NetKitClock.Instant? { earlier(idleEnd, firstByteEnd) }

    /// Returns the limit that has expired, if one has.
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
