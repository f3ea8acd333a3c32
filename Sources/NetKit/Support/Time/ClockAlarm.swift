/// An action that a clock calls once, unless it is cancelled first.
public final class ClockAlarm: Sendable {
    private let action: Locked<(@Sendable () -> Void)?>
    private let onCancel: (@Sendable () -> Void)?
    /// Whether the action only wakes something up, so that it may run on the queue that all alarms share.
    let isWakeUp: Bool

    /// Creates an alarm for a custom clock, which calls `fire()` when the time has come.
    public convenience init(_ action: @escaping @Sendable () -> Void, onCancel: (@Sendable () -> Void)? = nil) {
        self.init(action, isWakeUp: false, onCancel: onCancel)
    }

    init(_ action: @escaping @Sendable () -> Void, isWakeUp: Bool, onCancel: (@Sendable () -> Void)?) {
        self.action = Locked(action)
        self.isWakeUp = isWakeUp
        self.onCancel = onCancel
    }

    /// Calls the action if it was neither called nor cancelled before.
    public func fire() {
        take()?()
    }

    /// Prevents a call of the action; an action that is already running is not waited for.
    public func cancel() {
        if take() != nil { onCancel?() }
    }

    /// Whether the action was neither called nor cancelled.
    public var isPending: Bool { action.withLock { $0 != nil } }

    private func take() -> (@Sendable () -> Void)? {
        action.withLock { action in
            defer { action = nil }
            return action
        }
    }
}
