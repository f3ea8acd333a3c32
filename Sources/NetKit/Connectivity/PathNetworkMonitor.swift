#if canImport(Network)
    import Dispatch
    import Network

    /// The network monitor for Apple platforms, which reports the system's current path.
    ///
    /// The monitor runs until `stop()` is called or it is released. One monitor can serve the whole process.
    public final class PathNetworkMonitor: NetworkMonitor {
        private let publisher = StatusPublisher()
        private let monitor: Locked<NWPathMonitor>

        /// Creates a monitor of the path to any destination.
        public init() {
            let system = NWPathMonitor()
            let publisher = publisher
            system.pathUpdateHandler = { path in publisher.set(Self.status(of: path)) }
            system.start(queue: DispatchQueue(label: "netkit.monitor"))
            monitor = Locked(system)
        }

        /// Whether there is a network now.
        public var isConnected: Bool { get async { await status.isConnected } }

        /// The kind of network, or `.none` if there is none.
        public var connectionType: ConnectionType { get async { await status.connectionType } }

        /// The current status.
        ///
        /// Right after the start, it waits briefly for the system's first report.
        public var status: NetworkStatus { get async { await publisher.status } }

        /// The current status, then every change, until the monitor ends.
        ///
        /// A reader that falls behind keeps the latest 64 changes.
        public var updates: AsyncStream<NetworkStatus> { publisher.updates() }

        /// Returns a stream of whether there is a network, now and after each change.
        public func connectionStream() -> AsyncStream<Bool> { publisher.connectionStream() }

        /// Stops the monitor and ends every stream.
        ///
        /// The latest status remains available.
        public func stop() {
            publisher.finish()
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
