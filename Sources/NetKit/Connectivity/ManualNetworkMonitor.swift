/// A network monitor that a test switches.
///
/// ```swift
/// let monitor = ManualNetworkMonitor(isConnected: false)
/// let client = HTTPClient(transport: transport, interceptors: [ConnectivityInterceptor(monitor, .failFast)])
/// monitor.set(isConnected: true)
/// ```
public final class ManualNetworkMonitor: NetworkMonitor {
    private let board: StatusBoard
    private let reported = Locked<[NetworkEvidence]>([])

    /// Makes a monitor that says there is a network, or there is none, until it is switched.
    public init(isConnected: Bool = true, connectionType: ConnectionType = .ethernet) {
        board = StatusBoard(Self.status(isConnected, connectionType))
    }

    /// Whether there is a network, as it was set.
    public var isConnected: Bool { get async { currentStatus.isConnected } }

    /// The kind of network, as it was set.
    public var connectionType: ConnectionType { get async { currentStatus.connectionType } }

    /// The status as it was set.
    public var status: NetworkStatus { get async { currentStatus } }

    /// The status as it was set, then each that is set and differs.
    public var updates: AsyncStream<NetworkStatus> { board.updates() }

    /// Whether there is a network, then each time that is switched.
    public func connectionStream() -> AsyncStream<Bool> { board.connectionStream() }

    /// What was reported to it, oldest first; it is only kept.
    public var evidence: [NetworkEvidence] { reported.withLock { $0 } }

    /// How many read the changes.
    public var listenerCount: Int { board.listenerCount }

    /// Keeps what was learnt, for the test to look at.
    public func report(_ evidence: NetworkEvidence) {
        reported.withLock { $0.append(evidence) }
    }

    /// Switches the network on or off.
    ///
    /// - Parameters:
    ///   - isConnected: Whether there is a network from now on.
    ///   - connectionType: Its kind; as before, or ethernet, where it is left out.
    public func set(isConnected: Bool, connectionType: ConnectionType? = nil) {
        board.change { status in
            let old = status?.connectionType
            status = Self.status(isConnected, connectionType ?? (old == ConnectionType.none ? nil : old) ?? .ethernet)
        }
    }

    /// Sets everything that is known.
    public func set(_ status: NetworkStatus) {
        board.set(status)
    }

    /// Ends every stream, as a monitor does that ends.
    public func stop() {
        board.finish()
    }

    private var currentStatus: NetworkStatus { board.latest ?? .disconnected }

    private static func status(_ isConnected: Bool, _ type: ConnectionType) -> NetworkStatus {
        isConnected ? NetworkStatus(.connected, type, isVerified: true) : .disconnected
    }

    deinit { board.finish() }
}
