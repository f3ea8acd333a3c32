/// Why a limit or a circuit breaker refused a call, as the `cause` of the error that the caller gets.
public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server that was not asked; nil where the limit is one for all servers.
    public let origin: Origin?
    /// How long it is until a call may be let through; nil where nobody knows.
    public let retryAfter: Duration?

    /// Makes a refusal.
    public init(origin: Origin?, retryAfter: Duration?) {
        self.origin = origin
        self.retryAfter = retryAfter
    }

    /// Where, and for how long.
    public var description: String {
        let place = origin.map(\.description) ?? "every server"
        return retryAfter.map { "\(place), for another \($0.shortText)" } ?? place
    }
}

extension NetKitError {
    /// How long it is until a call may be let through, where a limit or a circuit breaker refused this one.
    public var retryAfter: Duration? { (cause as? Refusal)?.retryAfter }
}
