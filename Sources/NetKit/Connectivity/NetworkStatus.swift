/// What a monitor knows about the network.
public struct NetworkStatus: Sendable, Hashable, CustomStringConvertible {
    /// How far one gets.
    public let condition: Condition
    /// What kind of network it is; `.none` where there is none.
    public let connectionType: ConnectionType
    /// The name of the interface that leads there, as far as it is known: `eth0`.
    public let interfaceName: String?
    /// Whether a target has been asked, or traffic has shown it; false where only the link is known.
    public let isVerified: Bool

    /// Makes a status, for a monitor of your own or for a test.
    public init(
        _ condition: Condition,
        _ connectionType: ConnectionType,
        interfaceName: String? = nil,
        isVerified: Bool = false
    ) {
        self.condition = condition
        self.connectionType = connectionType
        self.interfaceName = interfaceName
        self.isVerified = isVerified
    }

    /// There is no network.
    public static let disconnected = NetworkStatus(.disconnected, .none)

    /// Whether requests can be expected to arrive.
    public var isConnected: Bool { condition == .connected }

    /// The status in words.
    public var description: String {
        let place = interfaceName.map { "\(connectionType), \($0)" } ?? connectionType.description
        return switch condition {
        case .connected: "connected (\(place))\(isVerified ? "" : ", as far as the link tells")"
        case .requiresLogin: "the network wants a login (\(place))"
        case .unreachable: "no target answers (\(place))"
        case .disconnected: "not connected"
        default: "\(condition) (\(place))"
        }
    }

    /// How far one gets: an open set.
    public struct Condition: Sendable, Hashable, CustomStringConvertible {
        /// The name of the condition.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Requests can be expected to arrive.
        public static let connected = Condition("connected")
        /// There is a link, and somebody in between answers instead of the target: a captive portal.
        public static let requiresLogin = Condition("requiresLogin")
        /// There is a link, and the targets do not answer.
        public static let unreachable = Condition("unreachable")
        /// There is no link.
        public static let disconnected = Condition("disconnected")
    }
}

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
