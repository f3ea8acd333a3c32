/// What happens to a call while there is no network.
public struct ConnectivityPolicy: Sendable, Hashable {
    /// How long a call waits for a network; nil where it fails at once.
    let longestWait: Duration?

    /// The call fails at once.
    public static let failFast = ConnectivityPolicy(longestWait: nil)

    /// The call waits for a network, up to a bound.
    public static func wait(upTo bound: Duration) -> ConnectivityPolicy { ConnectivityPolicy(longestWait: bound) }
}
