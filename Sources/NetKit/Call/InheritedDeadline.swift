/// The deadline that calls inherit from the task in which they are made.
enum InheritedDeadline {
    struct Value: Sendable {
        let instant: NetKitClock.Instant
        let clock: NetKitClock
        /// The setting that the deadline comes from.
        let limit: CallLimit
    }

    @TaskLocal static var current: Value?

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
