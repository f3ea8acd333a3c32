/// The calls of a client that are in flight, and whether new ones may begin.
///
/// It uses a lock and is not part of the actor, because each call uses it twice and a hop to the actor costs three
/// times as much.
final class CallRegistry: Sendable {
    private struct State {
        var running: [ObjectIdentifier: Call] = [:]
        var isOpen = true
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    func add(_ call: Call) throws(NetKitError) {
        let problem = state.withLock { state -> NetKitError? in
            guard state.isOpen else { return NetKitError(.closed, "The client was shut down. Create a new client.") }
            state.running[ObjectIdentifier(call)] = call
            return nil
        }
        if let problem { throw problem }
    }

    func remove(_ call: Call) {
        let waiters = state.withLock { state -> [@Sendable () -> Void] in
            state.running.removeValue(forKey: ObjectIdentifier(call))
            guard state.running.isEmpty, !state.waiters.isEmpty else { return [] }
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter() }
    }

    /// Returns the calls with an identifier.
    func named(_ id: CallID) -> [Call] { all.filter { $0.id == id } }

    var all: [Call] { state.withLock { Array($0.running.values) } }

    /// Whether new calls may begin.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    var count: Int { state.withLock { $0.running.count } }

    /// Refuses further calls.
    func close() {
        state.withLock { $0.isOpen = false }
    }

    /// Calls an action as soon as no call is in flight, which may be at once.
    func whenIdle(_ action: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if !state.running.isEmpty { state.waiters.append(action) }
            return state.running.isEmpty
        }
        if isIdle { action() }
    }
}
