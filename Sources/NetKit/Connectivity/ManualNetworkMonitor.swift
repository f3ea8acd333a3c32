/// A network monitor that a test controls.
///
/// ```swift
/// let monitor = ManualNetworkMonitor(isConnected: false)
/// let client = HTTPClient(transport: transport, interceptors: [ConnectivityInterceptor(monitor, .failFast)])
/// monitor.set(isConnected: true)
/// ```
public final class ManualNetworkMonitor: NetworkMonitor {
    private let publisher: StatusPublisher
    private let reported = Locked<[NetworkEvidence]>([])

    /// Creates a monitor with an initial status.
    public init(isConnected: Bool = true, connectionType: ConnectionType = .ethernet) {
        publisher = StatusPublisher(Self.status(isConnected, connectionType))
    }

    /// Whether there is a network, as last set.
    public var isConnected: Bool { get async { currentStatus.isConnected } }

    /// The kind of network, as last set.
    public var connectionType: ConnectionType { get async { currentStatus.connectionType } }

    /// The status, as last set.
    public var status: NetworkStatus { get async { currentStatus } }

    /// The current status, then every change.
    public var updates: AsyncStream<NetworkStatus> { publisher.updates() }

    /// Returns a stream of whether there is a network, now and after each change.
    public func connectionStream() -> AsyncStream<Bool> { publisher.connectionStream() }

    /// The evidence reported so far, oldest first.
    ///
    /// Evidence does not change the status.
    public var evidence: [NetworkEvidence] { reported.withLock { $0 } }

    /// The number of streams that are being read.
    public var listenerCount: Int { publisher.listenerCount }

    /// Records evidence for the test to inspect.
    public func report(_ evidence: NetworkEvidence) {
        reported.withLock { $0.append(evidence) }
    }

    /// Sets whether there is a network.
    ///
    /// - Parameters:
    ///   - isConnected: Whether there is a network.
    ///   - connectionType: The kind of network. If it is `nil`, the previous kind is used, or ethernet if there was
    ///     none.
    public func set(isConnected: Bool, connectionType: ConnectionType? = nil) {
        publisher.change { status in
            let old = status?.connectionType
            status = Self.status(isConnected, connectionType ?? (old == ConnectionType.none ? nil : old) ?? .ethernet)
        }
    }

    /// Sets the status.
    public func set(_ status: NetworkStatus) { publisher.set(status) }

    /// Stops the monitor and ends every stream.
    public func stop() { publisher.finish() }

    private var currentStatus: NetworkStatus { publisher.latest ?? .disconnected }

    private static func status(_ isConnected: Bool, _ type: ConnectionType) -> NetworkStatus {
        isConnected ? NetworkStatus(.connected, type, isVerified: true) : .disconnected
    }

    deinit { publisher.finish() }
}
