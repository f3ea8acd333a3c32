/// The circuits of a bounded number of servers, and the servers that were isolated.
///
/// Each change of state is kept in `changes` until it is taken.
struct CircuitTable: Sendable {
    enum Admission: Sendable, Equatable {
        case admitted(Circuit.Ticket)
        case refused(CircuitState, until: NetKitClock.Instant?, failures: Int, total: Int)
    }

    private let policy: CircuitBreakerPolicy
    private var circuits: RecentTable<Origin, Circuit>
    private var isolated: Set<Origin> = []
    private var isEverythingIsolated = false
    private var lastIdentity: UInt64 = 0
    private var changes: [CircuitChange] = []

    init(policy: CircuitBreakerPolicy, maxHosts: Int) {
        self.policy = policy
        circuits = RecentTable(maxCount: maxHosts)
    }

    /// The number of known servers.
    var count: Int { circuits.count }

    /// The servers whose circuit is not closed.
    var troubled: [Origin: CircuitState] {
        var troubled: [Origin: CircuitState] = [:]
        for origin in circuits.keys + isolated where state(of: origin) != .closed {
            troubled[origin] = state(of: origin)
        }
        return troubled
    }

    func state(of origin: Origin) -> CircuitState {
        if isEverythingIsolated || isolated.contains(origin) { return .isolated }
        return circuits[origin]?.state ?? .closed
    }

    mutating func enter(_ origin: Origin, now: NetKitClock.Instant) -> Admission {
        if isEverythingIsolated || (!isolated.isEmpty && isolated.contains(origin)) {
            // Makes the server known, so that it counts as troubled even if its first call is refused.
            withCircuit(of: origin) { _ in }
            return .refused(.isolated, until: nil, failures: 0, total: 0)
        }
        let (admission, change, counts) = withCircuit(of: origin) { circuit in
            let before = circuit.state
            let admission = circuit.enter(now: now)
            return (admission, Self.change(origin, from: before, to: circuit, now: now), circuit.counts)
        }
        if let change { changes.append(change) }
        switch admission {
        case .admitted(let ticket): return .admitted(ticket)
        case .refused(let until):
            return .refused(state(of: origin), until: until, failures: counts.failures, total: counts.total)
        }
    }

    /// Calls a closure with the circuit of a server, which is created if it is missing.
    private mutating func withCircuit<Result>(of origin: Origin, _ body: (inout Circuit) -> Result) -> Result {
        // No identity is used twice.
        lastIdentity &+= 1
        let (identity, policy) = (lastIdentity, policy)
        return circuits.withValue(of: origin, default: Circuit(identity: identity, policy: policy), body)
    }

    mutating func leave(
        _ origin: Origin,
        _ ticket: Circuit.Ticket,
        _ verdict: Circuit.Verdict,
        now: NetKitClock.Instant
    ) {
        update(origin, now: now) { $0.leave(ticket, verdict, now: now) }
    }

    mutating func noteLateFailure(_ origin: Origin, _ ticket: Circuit.Ticket, now: NetKitClock.Instant) {
        update(origin, now: now) { $0.noteLateFailure(ticket, now: now) }
    }

    /// Refuses every call to a server, or to all, until `reset`.
    mutating func isolate(_ origin: Origin?) {
        guard let origin else {
            if !isEverythingIsolated {
                changes.append(CircuitChange(origin: nil, from: nil, to: .isolated, retryAfter: nil))
            }
            isEverythingIsolated = true
            return
        }
        let before = state(of: origin)
        isolated.insert(origin)
        note(origin, from: before)
    }

    /// Closes the circuit of a server, or of all, and ends its isolation.
    mutating func reset(_ origin: Origin?) {
        guard let origin else {
            isEverythingIsolated = false
            isolated = []
            for origin in circuits.keys { circuits.withExistingValue(of: origin) { $0.reset() } }
            changes.append(CircuitChange(origin: nil, from: nil, to: .closed, retryAfter: nil))
            return
        }
        let before = state(of: origin)
        isolated.remove(origin)
        circuits.withExistingValue(of: origin) { $0.reset() }
        note(origin, from: before)
    }

    /// Returns the changes since the last call, and forgets them.
    mutating func takeChanges() -> [CircuitChange] { exchange(&changes, with: []) }

    private mutating func update(_ origin: Origin, now: NetKitClock.Instant, _ action: (inout Circuit) -> Void) {
        let change = circuits.withExistingValue(of: origin) { circuit in
            let before = circuit.state
            action(&circuit)
            return Self.change(origin, from: before, to: circuit, now: now)
        }
        // An isolated server stays isolated, whatever the exchanges that began before show.
        if let change = change ?? nil, state(of: origin) == change.to { changes.append(change) }
    }

    private mutating func note(_ origin: Origin, from before: CircuitState) {
        let after = state(of: origin)
        guard after != before else { return }
        changes.append(CircuitChange(origin: origin, from: before, to: after, retryAfter: nil))
    }

    private static func change(
        _ origin: Origin,
        from before: CircuitState,
        to circuit: Circuit,
        now: NetKitClock.Instant
    ) -> CircuitChange? {
        let state = circuit.state
        guard state != before else { return nil }
        let retryAfter = circuit.openUntil.map { now.duration(to: $0) }
        return CircuitChange(origin: origin, from: before, to: state, retryAfter: retryAfter)
    }
}
