import NetKit

/// A simulation that cannot go on: every task waits, and nothing is due.
public struct SimulationStuck: Error, Sendable, CustomStringConvertible {
    /// How much time had passed.
    public let time: Duration
    /// The requests that were on their way.
    public let pending: [String]
    let reason: String

    /// What is wrong, when, and what was on its way.
    public var description: String {
        let requests = pending.isEmpty ? "no request is on its way" : "on their way: \(pending.joined(separator: ", "))"
        return "After \(time.shortText): \(reason) (\(requests))"
    }
}
