#if canImport(Network)
    import Dispatch
    import Network

    /// The network monitor for Apple platforms: what the system says of the current path.
    ///
    /// It ends with `stop()` or when the last who holds it lets go. It is `Sendable`: share one.
    public final class PathNetworkMonitor: NetworkMonitor {
        private let board = StatusBoard()
        private let monitor: Locked<NWPathMonitor>

        /// Makes a monitor of the path to any destination.
        public init() {
            let system = NWPathMonitor()
            let board = board
            system.pathUpdateHandler = { path in board.set(Self.status(of: path)) }
            system.start(queue: DispatchQueue(label: "netkit.monitor"))
            monitor = Locked(system)
        }

        /// Whether there is a network now.
        public var isConnected: Bool { get async { await status.isConnected } }

        /// What kind of network it is.
        public var connectionType: ConnectionType { get async { await status.connectionType } }

        /// All that is known now; right after the start it waits a moment for the system.
        public var status: NetworkStatus { get async { await board.status } }

        /// What is known now, then every change, until the monitor ends; a reader that falls behind keeps the latest 64.
        public var updates: AsyncStream<NetworkStatus> { board.updates() }

        /// Whether there is a network now, then each time that changes.
        public func connectionStream() -> AsyncStream<Bool> { board.connectionStream() }

        /// Ends every stream; the latest status stays.
        public func stop() {
            board.finish()
            monitor.withLock { $0.cancel() }
        }

        deinit { stop() }

        private static func status(of path: NWPath) -> NetworkStatus {
            guard path.status == .satisfied else { return .disconnected }
            let interface = path.availableInterfaces.first
            let type: ConnectionType =
                switch interface?.type {
                case .wifi: .wifi
                case .wiredEthernet: .ethernet
                case .cellular: .cellular
                case .loopback: .loopback
                default: .other
                }
            return NetworkStatus(.connected, type, interfaceName: interface?.name)
        }
    }
#endif
