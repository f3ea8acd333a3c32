/// The state of the network as a monitor knows it.
public struct NetworkStatus: Sendable, Hashable, CustomStringConvertible {
    /// The reachability of the network.
    public let condition: Condition
    /// The kind of network, or `.none` if there is none.
    public let connectionType: ConnectionType
    /// The name of the interface, such as `eth0`, if it is known.
    public let interfaceName: String?
    /// Whether a probe or the client's traffic confirmed the condition.
    ///
    /// The value is `false` as long as only the link is known.
    public let isVerified: Bool

    /// Creates a status, for a custom monitor or a test.
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

    /// The status of a machine without a network.
    public static let disconnected = NetworkStatus(.disconnected, .none)

    /// Whether requests can be expected to arrive.
    public var isConnected: Bool { condition == .connected }

    /// A description of the status for people.
    public var description: String {
        let place = interfaceName.map { "\(connectionType), \($0)" } ?? connectionType.description
        return switch condition {
        case .connected: "connected (\(place))\(isVerified ? "" : ", link only")"
        case .requiresLogin: "the network requires a login (\(place))"
        case .unreachable: "no target responds (\(place))"
        case .disconnected: "not connected"
        default: "\(condition) (\(place))"
        }
    }

    /// The reachability of the network.
    ///
    /// Later versions may add values.
    public struct Condition: Sendable, Hashable, CustomStringConvertible {
        /// A byte, where a string would be copied and compared.
        private enum Name: String {
            case connected, requiresLogin, unreachable, disconnected
        }

        private let name: Name

        /// The name of the condition.
        public var description: String { name.rawValue }

        /// The condition in which requests are expected to arrive.
        public static let connected = Condition(name: .connected)
        /// The condition behind a captive portal: there is a link, but something else responds in place of the target.
        public static let requiresLogin = Condition(name: .requiresLogin)
        /// The condition in which there is a link, but the targets do not respond.
        public static let unreachable = Condition(name: .unreachable)
        /// The condition without a link.
        public static let disconnected = Condition(name: .disconnected)
    }
}

/// The kind of network that a machine is connected to.
///
/// Later versions may add values.
public struct ConnectionType: Sendable, Hashable, CustomStringConvertible {
    /// A byte, where a string would be copied and compared.
    private enum Name: String {
        case wifi, ethernet, cellular, loopback, other, none
    }

    private let name: Name

    /// The name of the kind.
    public var description: String { name.rawValue }

    /// A wireless local network.
    public static let wifi = ConnectionType(name: .wifi)
    /// A wired local network, or the virtual one of a container or virtual machine.
    public static let ethernet = ConnectionType(name: .ethernet)
    /// A mobile network.
    public static let cellular = ConnectionType(name: .cellular)
    /// The loopback interface, which reaches only this machine.
    public static let loopback = ConnectionType(name: .loopback)
    /// Another kind of network, such as a tunnel.
    public static let other = ConnectionType(name: .other)
    /// No network.
    public static let none = ConnectionType(name: .none)
}
