/// The circuit of one server: closed, open, or half open.
///
/// It has no clock: the time and the results of the exchanges are passed to it.
struct Circuit: Sendable {
    /// The result of an exchange.
    enum Verdict: Sendable, Equatable {
        case success, failure
        /// A result that says nothing about the server: cancelled, refused later in the chain, or failed on this side.
        case nothing
    }

    /// The permission for an exchange, which is returned with its verdict.
    struct Ticket: Sendable, Equatable {
        let circuit: UInt64
        /// The epoch in which the exchange began.
        ///
        /// Verdicts from before the latest change of state do not count.
        let epoch: UInt64
    }

    enum Admission: Sendable, Equatable {
        case admitted(Ticket)
        case refused(until: NetKitClock.Instant)
    }

    /// The exchanges that are to show whether the server has recovered.
    private struct Trial {
        var running = 0
        var succeeded = 0
        var latestStart: NetKitClock.Instant
    }

    private enum Phase {
        case closed
        case open(until: NetKitClock.Instant)
        case halfOpen(Trial)
    }

    private let identity: UInt64
    private let policy: CircuitBreakerPolicy
    private var phase = Phase.closed
    private var epoch: UInt64 = 0
    /// The epoch of the probes that closed the circuit, whose bodies may still break off.
    private var probeEpoch: UInt64?
    private var window: RollingWindow
    private var failedProbes = 0

    /// Creates a closed circuit with an identity that no other one has.
    init(identity: UInt64, policy: CircuitBreakerPolicy) {
        self.identity = identity
        self.policy = policy
        window = RollingWindow(length: policy.window)
    }

    var state: CircuitState {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }

    /// The numbers of failed and of all exchanges in the window; 0 after a failed probe, which alone has opened the
    /// circuit again.
    var counts: (failures: Int, total: Int) {
        guard failedProbes == 0 else { return (0, 0) }
        return (window.failures, window.total)
    }

    /// The time until which an open circuit stays open.
    var openUntil: NetKitClock.Instant? {
        if case .open(let until) = phase { until } else { nil }
    }

    /// Admits an exchange, or returns the time until which all are refused.
    mutating func enter(now: NetKitClock.Instant) -> Admission {
        switch phase {
        case .closed: break
        case .open(let until):
            guard now >= until else { return .refused(until: until) }
            change(to: .halfOpen(Trial(running: 1, latestStart: now)))
        case .halfOpen(var trial):
            // A probe without a result must not keep the circuit half open forever.
            let nextTry = trial.latestStart.advanced(by: policy.breakDuration)
            guard trial.running + trial.succeeded < policy.halfOpenProbes || now >= nextTry else {
                return .refused(until: nextTry)
            }
            trial.running += 1
            trial.latestStart = now
            phase = .halfOpen(trial)
        }
        return .admitted(Ticket(circuit: identity, epoch: epoch))
    }

    /// Takes back the ticket of an exchange that has ended.
    mutating func leave(_ ticket: Ticket, _ verdict: Verdict, now: NetKitClock.Instant) {
        guard ticket.circuit == identity, ticket.epoch == epoch else { return }
        switch phase {
        case .open: break
        case .closed: count(verdict, now: now)
        case .halfOpen(var trial):
            trial.running = max(0, trial.running - 1)
            if verdict == .success { trial.succeeded += 1 }
            if verdict == .failure {
                failedProbes += 1
                open(now: now)
            } else if trial.succeeded >= policy.halfOpenProbes {
                let probes = epoch
                reset()
                probeEpoch = probes
            } else {
                phase = .halfOpen(trial)
            }
        }
    }

    /// Counts an exchange as failed after all: its response looked good, but its body broke off.
    mutating func noteLateFailure(_ ticket: Ticket, now: NetKitClock.Instant) {
        guard ticket.circuit == identity, ticket.epoch == epoch || ticket.epoch == probeEpoch else { return }
        switch phase {
        case .open: break
        case .closed:
            window.addLateFailure(now: now)
            openIfTooManyFail(now: now)
        case .halfOpen:
            failedProbes += 1
            open(now: now)
        }
    }

    /// Closes the circuit and clears its counts.
    mutating func reset() {
        failedProbes = 0
        window.clear()
        change(to: .closed)
    }

    private mutating func count(_ verdict: Verdict, now: NetKitClock.Instant) {
        guard verdict != .nothing else { return }
        window.add(isFailure: verdict == .failure, now: now)
        if verdict == .failure { openIfTooManyFail(now: now) }
    }

    private mutating func openIfTooManyFail(now: NetKitClock.Instant) {
        guard window.total >= policy.minThroughput,
            Double(window.failures) >= policy.failureRatio * Double(window.total)
        else { return }
        open(now: now)
    }

    private mutating func open(now: NetKitClock.Instant) {
        change(to: .open(until: now.advanced(by: policy.breakDuration(afterFailedProbes: failedProbes))))
    }

    private mutating func change(to phase: Phase) {
        (self.phase, probeEpoch) = (phase, nil)
        epoch &+= 1
    }
}

/// The state of a circuit breaker for one server.
public struct CircuitState: Sendable, Hashable, CustomStringConvertible {
    /// A byte, where a string would be copied and compared.
    private enum Name: String {
        case closed, open, halfOpen, isolated
    }

    private let name: Name

    /// The name of the state.
    public var description: String { name.rawValue }

    /// The state in which calls go through.
    public static let closed = CircuitState(name: .closed)
    /// The state in which calls fail immediately, because too many failed before.
    public static let open = CircuitState(name: .open)
    /// The state in which a few calls go through to test whether the server has recovered.
    public static let halfOpen = CircuitState(name: .halfOpen)
    /// The state in which calls fail immediately, because of a call to `isolate`.
    public static let isolated = CircuitState(name: .isolated)
}

/// One change of a circuit's state.
public struct CircuitChange: Sendable, Hashable {
    /// The server; `nil` if every server was isolated or reset at once.
    public let origin: Origin?
    /// The previous state; `nil` if `origin` is.
    public let from: CircuitState?
    /// The current state.
    public let to: CircuitState
    /// The time until a call is admitted; only for `.open`.
    public let retryAfter: Duration?
}
