/// An action that a clock calls once, unless it is cancelled first.
public final class ClockAlarm: Sendable {
    /// The action in a structure of its own.
    ///
    /// A closure that is a generic value itself gets another layer around it with each access, and a long chain of
    /// layers overflows the stack when it is released.
    private struct Pending {
        var action: (@Sendable () -> Void)?
    }

    private let pending: Locked<Pending>
    private let onCancel: (@Sendable () -> Void)?
    /// Whether the action only wakes something up, so that it may run on the queue that all alarms share.
    let isWakeUp: Bool

    /// Creates an alarm for a custom clock, which calls `fire()` when the time has come.
    public convenience init(_ action: @escaping @Sendable () -> Void, onCancel: (@Sendable () -> Void)? = nil) {
        self.init(action, isWakeUp: false, onCancel: onCancel)
    }

    init(_ action: @escaping @Sendable () -> Void, isWakeUp: Bool, onCancel: (@Sendable () -> Void)?) {
        pending = Locked(Pending(action: action))
        self.isWakeUp = isWakeUp
        self.onCancel = onCancel
    }

    /// Calls the action if it was neither called nor cancelled before.
    public func fire() { take()?() }

    /// Prevents a call of the action; an action that is already running is not waited for.
    public func cancel() {
        if take() != nil { onCancel?() }
    }

    /// Whether the action was neither called nor cancelled.
    public var isPending: Bool { pending.withLock { $0.action != nil } }

    private func take() -> (@Sendable () -> Void)? {
        pending.withLock { $0.action.take() }
    }
}
