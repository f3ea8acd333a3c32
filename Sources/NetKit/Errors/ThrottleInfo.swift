/// The reason why a limit or a circuit breaker refused a call: the `cause` of the caller's error.
public struct ThrottleInfo: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server that the call was for; `nil` if the limit applies to all servers.
    public let origin: Origin?
    /// The time until a call may be let through; `nil` if it is not known.
    public let retryAfter: Duration?

    /// Creates the info about a refused call.
    public init(origin: Origin?, retryAfter: Duration?) {
        self.origin = origin
        self.retryAfter = retryAfter
    }

    /// The server and the time, in words.
    public var description: String {
        let place = origin.map(\.description) ?? "every server"
        return retryAfter.map { "\(place), for another \($0.shortText)" } ?? place
    }
}

extension NetKitError {
    /// The time until a call may be let through, if a limit or a circuit breaker refused this one.
    public var retryAfter: Duration? { (cause as? ThrottleInfo)?.retryAfter }
}
