/// The calls of a client that are in flight, and whether new ones may begin.
///
/// A lock and not the actor: it is asked twice a call, and costs a third of what a hop to the actor does.
final class CallRegistry: Sendable {
    private struct State {
        var running: [CallID: RunningCall] = [:]
        var isOpen = true
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    func add(_ call: RunningCall) throws(NetKitError) {
        let problem = state.withLock { state -> NetKitError? in
            guard state.isOpen else { return NetKitError(.closed, "The client was shut down. Make a new one.") }
            // One look into the table and not two.
            guard let other = state.running.updateValue(call, forKey: call.call.id) else { return nil }
            state.running[call.call.id] = other
            let hint = "Make options for each call, or give each an id of its own: CallOptions has one id."
            return NetKitError(.invalidRequest, "A call with the id \(call.call.id) is already running. \(hint)")
        }
        if let problem { throw problem }
    }

    func remove(_ id: CallID) {
        let waiters = state.withLock { state -> [@Sendable () -> Void] in
            state.running.removeValue(forKey: id)
            guard state.running.isEmpty, !state.waiters.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }

    subscript(_ id: CallID) -> RunningCall? { state.withLock { $0.running[id] } }

    var all: [RunningCall] { state.withLock { Array($0.running.values) } }

    /// Whether new calls may begin.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    var count: Int { state.withLock { $0.running.count } }

    /// Lets no further call begin.
    func close() {
        state.withLock { $0.isOpen = false }
    }

    /// Calls an action once no call is in flight, at once where that is so already.
    func whenIdle(_ action: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if !state.running.isEmpty { state.waiters.append(action) }
            return state.running.isEmpty
        }
        if isIdle { action() }
    }
}
