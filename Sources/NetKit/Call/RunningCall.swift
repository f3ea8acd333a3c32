/// One call while it runs: what has to be stopped to end it, and why it was stopped.
///
/// A call runs until its body has ended. Whoever stops it first decides what its caller sees.
final class RunningCall: Sendable {
    /// Why a call was ended from outside.
    enum StopReason: Sendable {
        case cancelled
        case deadline
        case closed
    }

    private enum Phase {
        case running
        case streaming(@Sendable (any Error) -> Void)
        case ended
    }

    private struct State {
        var phase = Phase.running
        var stopReason: StopReason?
        var alarm: ClockAlarm?
    }

    let call: Call
    let request: HTTPRequest
    let started: NetKitClock.Instant
    /// Whether the request passes no interceptor, because all it is for is its connection.
    let onlyConnects: Bool
    private let state = Locked(State())

    init(call: Call, request: HTTPRequest, started: NetKitClock.Instant, onlyConnects: Bool = false) {
        self.call = call
        self.request = request
        self.started = started
        self.onlyConnects = onlyConnects
    }

    /// Remembers the alarm of the deadline, so that it goes when the call ends.
    func attach(_ alarm: ClockAlarm) {
        let isOver = state.withLock { state in
            if case .ended = state.phase { return true }
            state.alarm = alarm
            return false
        }
        if isOver { alarm.cancel() }
    }

    /// Why the call was ended from outside, if it was.
    var stopReason: StopReason? { state.withLock { $0.stopReason } }

    /// Goes over to the body; the reason where the call was stopped meanwhile.
    func beginStreaming(cancel: @escaping @Sendable (any Error) -> Void) -> StopReason? {
        state.withLock { state in
            if state.stopReason == nil { state.phase = .streaming(cancel) }
            return state.stopReason
        }
    }

    /// Ends the call from outside; only the first reason counts.
    func stop(_ reason: StopReason) {
        let phase = state.withLock { state -> Phase in
            if case .ended = state.phase { return .ended }
            guard state.stopReason == nil else { return .ended }
            state.stopReason = reason
            return state.phase
        }
        switch phase {
        case .running: call.cancellation.stop(error(for: reason))
        case .streaming(let cancel): cancel(error(for: reason))
        case .ended: break
        }
    }

    /// The call is over, with an answer or an error; gives the reason where it was ended from outside.
    @discardableResult
    func end(_ status: HTTPStatus? = nil, count: Int64? = nil, error: (any Error)? = nil) -> StopReason? {
        let (alarm, reason) = state.withLock { state in
            state.phase = .ended
            defer { state.alarm = nil }
            return (state.alarm, state.stopReason)
        }
        alarm?.cancel()
        call.reporter?.report(.callEnded, at: call.clock.now) { event in
            event.attempt = call.attemptCount
            event.duration = started.duration(to: event.instant)
            event.status = status
            event.count = count
            event.error = error ?? reason.map { self.error(for: $0) }
        }
        return reason
    }

    /// What the caller sees: the reason the call was stopped for comes before whatever that made the pipeline throw.
    func outward(_ error: any Error) -> any Error {
        if let reason = stopReason {
            // How far the exchange came is all that counts of what it was stopped with.
            let timings = (error as? NetKitError)?.timings
            let stopped = self.error(for: reason, timings: timings)
            guard let timings else { return stopped }
            return (stopped as? NetKitError)?.with(timings: timings) ?? stopped
        }
        let outward = ErrorBoundary.outward(error, outcome: call.outcome)
        guard var known = outward as? NetKitError else { return outward }
        if known.outcome == .notSent, call.outcome != .notSent, call.attemptCount > 1 {
            known = known.with(outcome: .unknown)
        }
        return attaching(known)
    }

    /// An error behind an answer's head: where the transport does not tell how far the exchange came, the head's times do.
    func attaching(_ head: ExchangeTimings, at arrival: NetKitClock.Instant, to error: any Error) -> any Error {
        guard let known = error as? NetKitError, known.timings == nil else { return error }
        var timings = head
        timings.total = head.total.map { $0 + arrival.duration(to: call.clock.now) }
        return known.with(timings: timings)
    }

    func error(for reason: StopReason, timings: ExchangeTimings? = nil) -> any Error {
        switch reason {
        case .cancelled:
            return CancellationError()
        case .deadline:
            let budget = call.deadline.map { max(.zero, started.duration(to: $0)) }
            return attaching(call.deadlineError(for: request, after: budget, timings: timings))
        case .closed:
            let message = "The client was shut down before the call was over."
            return attaching(NetKitError(.closed, message, outcome: call.outcome))
        }
    }

    private func attaching(_ error: NetKitError) -> NetKitError {
        error.attaching(
            requestLine: call.redaction.requestLine(for: request),
            attempts: call.attemptCount,
            attemptLog: call.attemptLog
        )
    }
}

/// What can be seen of a call that is in flight.
public struct ActiveCall: Sendable, Identifiable {
    /// The call's name, to cancel it by.
    public let id: CallID
    /// Method and URL, with user info and sensitive query items masked.
    public let requestLine: String
    /// How long it has been running.
    public let age: Duration
    /// How many exchanges it has begun.
    public let attempts: Int
}
