/// The network monitor that suits the platform, one for the whole process: nobody stops it.
///
/// It knows the link and asks no target, so that nothing is sent. On Linux that is a `LinuxNetworkMonitor`, on Apple
/// platforms a `PathNetworkMonitor`; elsewhere there always is a network, as far as it knows.
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

    /// What kind of network it is.
    public var connectionType: ConnectionType { get async { await Self.shared.connectionType } }

    /// All that is known now.
    public var status: NetworkStatus { get async { await Self.shared.status } }

    /// What is known now, then every change.
    public var updates: AsyncStream<NetworkStatus> { Self.shared.updates }

    /// Whether there is a network now, then each time that changes.
    public func connectionStream() -> AsyncStream<Bool> { Self.shared.connectionStream() }

    /// Passes on what somebody has learnt.
    public func report(_ evidence: NetworkEvidence) { Self.shared.report(evidence) }
}

extension NetworkMonitor where Self == PlatformNetworkMonitor {
    /// The network monitor that suits the platform, shared by the whole process.
    public static var platformDefault: PlatformNetworkMonitor { PlatformNetworkMonitor() }
}
