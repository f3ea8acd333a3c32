/// Runs an operation with one deadline for waiting, attempts, delays, token refresh, and reading bodies.
///
/// ```swift
/// let user = try await withDeadline(.seconds(3)) { try await client.send(.user("42")) }
/// ```
/// Calls inside the operation inherit the deadline, and the earliest one counts. When it passes, the operation is
/// cancelled and `.timeout` is thrown.
///
/// - Parameters:
///   - budget: The time for the operation; zero or less expires at once.
///   - clock: The clock that measures the time.
///   - operation: The operation, which runs in a task that ends with this call.
/// - Returns: The result of the operation.
/// - Throws: `.timeout` if the deadline has passed, or the error of the operation.
@concurrent
public func withDeadline<Success: Sendable>(
    _ budget: Duration,
    clock: NetKitClock = .system,
    _ operation: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    var limit = CallLimit(name: "withDeadline", budget: budget)
    guard budget > .zero else { throw limit.expiry(outcome: .notSent) }
    var instant = clock.now.advanced(by: budget)
    if let outer = InheritedDeadline.current {
        let outerInstant = clock.now.advanced(by: outer.clock.now.duration(to: outer.instant))
        if outerInstant < instant { (instant, limit) = (outerInstant, outer.limit) }
    }
    let deadline = InheritedDeadline.Value(instant: instant, clock: clock, limit: limit)
    let task = startImmediately {
        try await InheritedDeadline.$current.withValue(deadline) { try await operation() }
    }
    let hasExpired = Flag()
    let alarm = clock.schedule(at: instant) {
        hasExpired.set()
        task.cancel()
    }
    defer { alarm.cancel() }
    do {
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    } catch is CancellationError where hasExpired.isSet {
        throw limit.expiry(outcome: .unknown)
    }
}

/// The setting from which the deadline of a call comes.
struct CallLimit: Sendable {
    /// The name of the setting.
    let name: StaticString
    /// The time as it was set.
    let budget: Duration

    /// Returns the advice for a deadline that has passed, as the end of a message.
    static func advice(raising name: StaticString) -> String {
        "Raise `\(name)`, or find out what took so long."
    }

    /// Returns the error of an operation that has not ended in time.
    fileprivate func expiry(outcome: NetKitError.Outcome) -> NetKitError {
        NetKitError(
            .timeout,
            "The deadline of \(budget.shortText) passed. \(Self.advice(raising: name))",
            outcome: outcome,
            timeoutPhase: .deadline
        )
    }
}

/// The deadline that calls inherit from the task in which they are made.
enum InheritedDeadline {
    struct Value: Sendable {
        let instant: NetKitClock.Instant
        let clock: NetKitClock
        /// The setting that the deadline comes from.
        let limit: CallLimit
    }

    @TaskLocal static var current: Value?
}

extension InheritedDeadline.Value {
    /// Creates the deadline of a call; `nil` if it has none.
    init?(_ call: Call) {
        guard let instant = call.deadline, let limit = call.limit else { return nil }
        self.init(instant: instant, clock: call.clock, limit: limit)
    }
}
