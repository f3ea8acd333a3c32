/// Gives everything inside one budget of time: queueing, attempts, back-off, token refresh, and reading bodies.
///
/// ```swift
/// let user = try await withDeadline(.seconds(3)) { try await client.send(.user("42")) }
/// ```
/// Calls made inside inherit the deadline; the nearest one wins. When it passes, the operation is cancelled and
/// `.timeout` is thrown.
///
/// - Parameters:
///   - budget: How much time there is; zero or less has run out at once.
///   - clock: The clock to go by.
///   - operation: What has to be done in time. It runs in a task that ends with this call.
/// - Returns: What the operation gives.
/// - Throws: `.timeout` when the deadline has passed, or what the operation throws.
@concurrent
public func withDeadline<Success: Sendable>(
    _ budget: Duration,
    clock: NetKitClock = .system,
    _ operation: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let expired = NetKitError(
        .timeout,
        "The deadline of \(budget.shortText) passed.",
        outcome: .unknown,
        timeoutPhase: .deadline
    )
    guard budget > .zero else { throw expired.with(outcome: .notSent) }
    var instant = clock.now.advanced(by: budget)
    if let outer = InheritedDeadline.current {
        instant = min(instant, clock.now.advanced(by: outer.clock.now.duration(to: outer.instant)))
    }
    let deadline = InheritedDeadline.Value(instant: instant, clock: clock)
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
        throw expired
    }
}
