/// Runs an operation with one deadline for waiting, attempts, delays, token refresh, and reading bodies.
///
/// ```swift
/// let user = try await withDeadline(.seconds(3)) { try await client.send(.user("42")) }
/// ```
/// Calls inside the operation inherit the deadline, and the earliest one counts. When it passes, the operation is
/// cancelled and `.timeout` is thrown. An operation that does not react to its cancellation is waited for, and its
/// result, or an error of its own, is passed on.
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
    let limit = CallLimit(name: "withDeadline", budget: budget)
    guard budget > .zero else { throw limit.expiry(outcome: .notSent) }
    let deadline = InheritedDeadline.Value(limit, from: clock.now, on: clock).orInherited
    let task = startImmediately {
        try await InheritedDeadline.$current.withValue(deadline) { try await operation() }
    }
    let hasExpired = Flag()
    let alarm = clock.schedule(at: deadline.instant) {
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
        throw deadline.limit.expiry(outcome: .unknown)
    }
}
