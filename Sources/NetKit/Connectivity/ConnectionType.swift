/// What kind of network a machine is connected to: an open set.
public struct ConnectionType: Sendable, Hashable, CustomStringConvertible {
    /// The name of the kind.
    public let description: String

    private init(_ description: String) {
        self.description = description
    }

    /// A wireless local network.
    public static let wifi = ConnectionType("wifi")
    /// A wired local network, or what a container or virtual machine takes for one.
    public static let ethernet = ConnectionType("ethernet")
    /// A mobile network.
    public static let cellular = ConnectionType("cellular")
    /// Nothing but this machine itself.
    public static let loopback = ConnectionType("loopback")
    /// Anything else, such as a tunnel.
    public static let other = ConnectionType("other")
    /// None.
    public static let none = ConnectionType("none")
}
