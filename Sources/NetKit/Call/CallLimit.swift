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
    func expiry(outcome: NetKitError.Outcome) -> NetKitError {
        NetKitError(
            .timeout,
            "The deadline of \(budget.shortText) passed. \(Self.advice(raising: name))",
            outcome: outcome,
            timeoutPhase: .deadline
        )
    }
}
