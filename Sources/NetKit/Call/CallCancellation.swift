/// The end of a call from outside: its reason, and the waiters to notify.
///
/// A call runs in its caller's task, which cannot be cancelled to end the call.
struct CallCancellation: ~Copyable, Sendable {
    /// The reason why a call was ended.
    enum Reason: Sendable {
        case cancelled, deadline, closed
    }

    /// Something that a call waits for.
    protocol Waiter: AnyObject, Sendable {
        /// Ends the wait; only the first reason counts.
        func stop(_ reason: any Error)
    }

    // Not private: in a debug build, the compiler (6.3) needs it to lay out a call.
    struct State {
        var reason: Reason?
        var isOver = false
        /// The alarm of the deadline.
        var alarm: ClockAlarm?
        /// The first waiter, stored without an array, because most calls have one waiter at a time.
        var first: (any Waiter)?
        var others: [any Waiter] = []

        mutating func takeWaiters() -> [any Waiter] {
            (first.take().map { [$0] } ?? []) + exchange(&others, with: [])
        }
    }

    private let state = Locked(State())

    /// The reason why the call was ended from outside; `nil` if it was not.
    var reason: Reason? { state.withLock { $0.reason } }

    /// Keeps the alarm of the deadline, which is cancelled when the call ends.
    func attach(_ alarm: ClockAlarm) {
        let isOver = state.withLock { state in
            if !state.isOver { state.alarm = alarm }
            return state.isOver
        }
        if isOver { alarm.cancel() }
    }

    /// Adds a waiter, which is notified when the call is ended.
    ///
    /// If the call was already ended, the waiter is not added, and the reason is returned.
    func add(_ waiter: any Waiter) -> Reason? {
        state.withLock { state in
            if state.reason == nil {
                if state.first == nil { state.first = waiter } else { state.others.append(waiter) }
            }
            return state.reason
        }
    }

    /// Removes a waiter after its wait.
    func remove(_ waiter: any Waiter) {
        state.withLock { state in
            if state.first === waiter { state.first = nil } else { state.others.removeAll { $0 === waiter } }
        }
    }

    /// Ends the call from outside, and returns the waiters to notify; only the first reason counts.
    ///
    /// Returns `nil` if the call is over, or was already ended.
    func stop(_ reason: Reason) -> [any Waiter]? {
        state.withLock { state in
            guard !state.isOver, state.reason == nil else { return nil }
            state.reason = reason
            return state.takeWaiters()
        }
    }

    /// Marks the call as over, and returns the reason why it was ended from outside; `nil` if it ended by itself.
    func finish() -> Reason? {
        let (alarm, reason, _) = state.withLock { state in
            state.isOver = true
            return (state.alarm.take(), state.reason, state.takeWaiters())
        }
        alarm?.cancel()
        return reason
    }
}

/// A waiter that calls a function when the call is ended from outside.
final class WaitCancellation: CallCancellation.Waiter {
    private let handler: @Sendable (any Error) -> Void

    init(_ handler: @escaping @Sendable (any Error) -> Void) { self.handler = handler }

    func stop(_ reason: any Error) { handler(reason) }
}
