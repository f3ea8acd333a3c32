/// Reaches what a call waits for when the call is ended from outside while it runs in its caller's task, which cannot be
/// cancelled for that.
struct CallCancellation: ~Copyable, Sendable {
    /// What a call waits for.
    protocol Waiter: AnyObject, Sendable {
        /// Ends the wait; only the first reason counts.
        func stop(_ reason: any Error)
    }

    // Not private: the compiler (6.3) looks for it in a debug build where a call is laid out.
    struct State {
        var reason: (any Error)?
        /// Most calls have one at a time, which then needs no memory of its own.
        var first: (any Waiter)?
        var others: [any Waiter] = []
    }

    private let state = Locked(State())

    init() {}

    /// Throws the reason where the call was ended.
    func check() throws {
        if let reason = state.withLock({ $0.reason }) { throw reason }
    }

    /// A Boolean value that indicates whether the call may continue.
    var isOpen: Bool { state.withLock { $0.reason == nil } }

    /// Tells a waiter as soon as the call is ended, at once where it was already.
    func add(_ waiter: any Waiter) {
        let reason = state.withLock { state in
            guard state.reason == nil else { return state.reason }
            if state.first == nil { state.first = waiter } else { state.others.append(waiter) }
            return nil
        }
        if let reason { waiter.stop(reason) }
    }

    /// The wait is over.
    func remove(_ waiter: any Waiter) {
        state.withLock { state in
            if state.first === waiter { state.first = nil } else { state.others.removeAll { $0 === waiter } }
        }
    }

    /// Ends the call; only the first reason counts.
    func stop(_ reason: any Error) {
        let waiters = state.withLock { state -> [any Waiter] in
            guard state.reason == nil else { return [] }
            state.reason = reason
            defer { (state.first, state.others) = (nil, []) }
            return (state.first.map { [$0] } ?? []) + state.others
        }
        for waiter in waiters { waiter.stop(reason) }
    }
}
