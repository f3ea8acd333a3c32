import NetKit

/// Something that happened in a simulation, and when.
public struct SimulationEvent: Sendable, Hashable, CustomStringConvertible {
    /// How long after the beginning.
    public let time: Duration
    /// What happened.
    public let text: String

    /// Time in seconds, and what happened.
    public var description: String { "\(time.inSeconds) \(text)" }
}
