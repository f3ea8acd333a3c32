/// The calls of a client that are in flight, and whether new ones may begin.
///
/// It uses a lock and is not part of the actor, because each call uses it twice and a hop to the actor costs three
/// times as much.
final class CallRegistry: Sendable {
    private enum Phase {
        case open, draining, closed
    }

    private struct State: ~Copyable {
        var running: [ObjectIdentifier: Call] = [:]
        /// The number of exchanges that are ending, although their calls may be over.
        var endingCount = 0
        var phase = Phase.open
        /// Whether a shutdown has ended a call, or refused an interrupted transfer the pause before it continues.
        var hasEndedCalls = false
        var waiters: [@Sendable () -> Void] = []

        var isIdle: Bool { running.isEmpty && endingCount == 0 }

        /// Whether a call may begin in the current task.
        ///
        /// A call in flight may be waiting for a token refresh, whose requests are calls of their own.
        var admitsCall: Bool {
            switch phase {
            case .open: true
            case .draining: !running.isEmpty && !Call.refreshingSources.isEmpty
            case .closed: false
            }
        }
    }

    private let state = Locked(State())

    func add(_ call: Call) throws(NetKitError) {
        let problem = state.withLock { state -> NetKitError? in
            guard state.admitsCall else {
                if call.isPause { state.hasEndedCalls = true }
                return NetKitError(.closed, "The client was shut down. Create a new client.")
            }
            state.running[ObjectIdentifier(call)] = call
            return nil
        }
        if let problem { throw problem }
    }

    func remove(_ call: Call) {
        noteEnd { $0.running.removeValue(forKey: ObjectIdentifier(call)) }
    }

    /// Counts an exchange that was cancelled and for which its call does not wait: until it has ended, the client is
    /// not idle.
    func addEnding() {
        state.withLock { $0.endingCount += 1 }
    }

    /// Removes an exchange after its end.
    func removeEnding() {
        noteEnd { $0.endingCount -= 1 }
    }

    private func noteEnd(_ change: @Sendable (inout State) -> Void) {
        let waiters = state.withLock { state -> [@Sendable () -> Void] in
            change(&state)
            guard state.isIdle, !state.waiters.isEmpty else { return [] }
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter() }
    }

    /// Returns the calls with an identifier.
    func named(_ id: CallID) -> [Call] { all.filter { $0.id == id } }

    var all: [Call] { state.withLock { Array($0.running.values) } }

    /// Whether new calls may begin.
    var isOpen: Bool { state.withLock { $0.phase == .open } }

    /// Whether a shutdown has ended a call, or refused an interrupted transfer the pause before it continues.
    var hasEndedCalls: Bool { state.withLock { $0.hasEndedCalls } }

    var count: Int { state.withLock { $0.running.count } }

    /// Refuses further calls, except those of a token refresh while other calls are in flight.
    ///
    /// Returns the pauses of interrupted transfers, which the shutdown ends.
    func drain() -> [Call] {
        state.withLock { state in
            if state.phase == .open { state.phase = .draining }
            let pauses = state.running.values.filter(\.isPause)
            if !pauses.isEmpty { state.hasEndedCalls = true }
            return pauses
        }
    }

    /// Refuses further calls, because the shutdown ends those in flight.
    func close() {
        state.withLock { state in
            state.phase = .closed
            state.hasEndedCalls = true
        }
    }

    /// Calls an action as soon as no call is in flight and no exchange is ending, which may be at once.
    func whenIdle(_ action: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if !state.isIdle { state.waiters.append(action) }
            return state.isIdle
        }
        if isIdle { action() }
    }
}
