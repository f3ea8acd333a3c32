/// The state of a circuit breaker for one server.
public struct CircuitState: Sendable, Hashable, CustomStringConvertible {
    /// The name of the state.
    public let description: String

    /// Calls go through.
    public static let closed = CircuitState(description: "closed")
    /// Calls fail at once, because too many failed before.
    public static let open = CircuitState(description: "open")
    /// A few calls go through to see whether the server has recovered.
    public static let halfOpen = CircuitState(description: "halfOpen")
    /// Calls fail at once, because somebody said so.
    public static let isolated = CircuitState(description: "isolated")
}

/// One change of a circuit's state.
public struct CircuitChange: Sendable, Hashable {
    /// The server; nil where every server was isolated or reset at once.
    public let origin: Origin?
    /// The previous state; `nil` if `origin` is.
    public let from: CircuitState?
    /// The current state.
    public let to: CircuitState
    /// The time until a call is let through; only for `.open`.
    public let retryAfter: Duration?
}
