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

/// The setting from which the deadline of a call comes.
struct CallLimit: Sendable {
    /// The name of the setting.
    let name: StaticString
    /// The time as it was set.
    let budget: Duration

    /// Returns the shorter of the two limits that a call may have; `nil` if it has neither.
    static func shortest(timeout: Duration?, total: Duration?) -> CallLimit? {
        if let total, timeout.map({ total < $0 }) ?? true { return CallLimit(name: "timeouts.total", budget: total) }
        return timeout.map { CallLimit(name: "timeout", budget: $0) }
    }

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

extension InheritedDeadline {
    /// Returns the deadline that calls inherit, as a time of another clock.
    static func current(at now: NetKitClock.Instant, on clock: NetKitClock) -> Value? {
        current.map { outer in
            Value(instant: now.advanced(by: outer.timeLeft), clock: clock, limit: outer.limit)
        }
    }

    /// Runs an operation whose calls inherit a deadline, unless they inherit an earlier one already.
    static func inheriting<Success: Sendable>(
        _ deadline: Value?,
        _ operation: () async throws -> Success
    ) async throws -> Success {
        guard let deadline else { return try await operation() }
        return try await $current.withValue(deadline.orInherited) { try await operation() }
    }
}

extension InheritedDeadline.Value {
    /// Creates the deadline of a call; `nil` if it has none.
    init?(_ call: Call) {
        guard let instant = call.deadline, let limit = call.limit else { return nil }
        self.init(instant: instant, clock: call.clock, limit: limit)
    }

    /// Creates the deadline of a limit that begins at a time.
    init(_ limit: CallLimit, from start: NetKitClock.Instant, on clock: NetKitClock) {
        self.init(instant: start.advanced(by: limit.budget), clock: clock, limit: limit)
    }

    /// The time until the deadline.
    var timeLeft: Duration { clock.now.duration(to: instant) }

    /// The deadline, or the inherited one if that is earlier.
    var orInherited: InheritedDeadline.Value {
        guard let outer = InheritedDeadline.current(at: clock.now, on: clock), outer.instant < instant else {
            return self
        }
        return outer
    }
}
