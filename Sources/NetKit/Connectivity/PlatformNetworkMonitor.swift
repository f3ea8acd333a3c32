/// The network monitor of the platform, shared by the whole process.
///
/// It watches the link and probes no target, so it sends nothing. On Linux it is a `LinuxNetworkMonitor` and on Apple
/// platforms a `PathNetworkMonitor`. On other platforms it always reports a network. It never stops.
public struct PlatformNetworkMonitor: NetworkMonitor {
    private static let shared: any NetworkMonitor = {
        #if canImport(Glibc) || canImport(Musl)
            return LinuxNetworkMonitor()
        #elseif canImport(Network)
            return PathNetworkMonitor()
        #else
            return ManualNetworkMonitor(connectionType: .other)
        #endif
    }()

    fileprivate init() {}

    /// Whether there is a network now.
    public var isConnected: Bool { get async { await Self.shared.isConnected } }

    /// The kind of network, or `.none` if there is none.
    public var connectionType: ConnectionType { get async { await Self.shared.connectionType } }

    /// The current status.
    public var status: NetworkStatus { get async { await Self.shared.status } }

    /// The current status, then every change.
    public var updates: AsyncStream<NetworkStatus> { Self.shared.updates }

    /// Returns a stream of whether there is a network, now and after each change.
    public func connectionStream() -> AsyncStream<Bool> { Self.shared.connectionStream() }

    /// Forwards evidence to the platform's monitor.
    public func report(_ evidence: NetworkEvidence) { Self.shared.report(evidence) }
}

extension NetworkMonitor where Self == PlatformNetworkMonitor {
    /// The network monitor of the platform, shared by the whole process.
    public static var platformDefault: PlatformNetworkMonitor { PlatformNetworkMonitor() }
}
