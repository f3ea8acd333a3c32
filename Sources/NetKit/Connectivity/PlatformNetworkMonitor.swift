import Synchronization

/// The network monitor of the platform, shared by the whole process.
///
/// It watches the link and probes no target, so it sends nothing. On Linux it is a `LinuxNetworkMonitor` and on Apple
/// platforms a `PathNetworkMonitor`. On other platforms it always reports a network. It never stops. While the system
/// lacks file descriptors or threads for it, it reports a network; a stream that begins then asks once a second.
public struct PlatformNetworkMonitor: NetworkMonitor {
    private static let shared = MonitorChoice {
        #if canImport(Glibc) || canImport(Musl)
            let monitor = LinuxNetworkMonitor()
            return monitor.isRunning ? monitor : nil
        #elseif canImport(Network)
            return PathNetworkMonitor()
        #else
            return ManualNetworkMonitor(connectionType: .other)
        #endif
    }

    fileprivate init() {}

    /// Whether there is a network now.
    public var isConnected: Bool { get async { await Self.shared.current.isConnected } }

    /// The kind of network, or `.none` if there is none.
    public var connectionType: ConnectionType { get async { await Self.shared.current.connectionType } }

    /// The current status.
    public var status: NetworkStatus { get async { await Self.shared.current.status } }

    /// The current status, then every change.
    public var updates: AsyncStream<NetworkStatus> { Self.shared.current.updates }

    /// Returns a stream of whether there is a network, now and after each change.
    public func connectionStream() -> AsyncStream<Bool> { Self.shared.current.connectionStream() }

    /// Forwards evidence to the platform's monitor.
    public func report(_ evidence: NetworkEvidence) { Self.shared.current.report(evidence) }
}

/// The choice of a monitor at its first use, which holds until the process ends.
///
/// If the system lacks file descriptors or threads for the monitor, the next use tries again.
final class MonitorChoice: Sendable {
    private let chosen = AtomicLazyReference<Box<any NetworkMonitor>>()
    private let make: @Sendable () -> (any NetworkMonitor)?

    /// Creates a choice with a closure that makes the monitor, or returns `nil` if the system lacks the resources.
    init(_ make: @escaping @Sendable () -> (any NetworkMonitor)?) { self.make = make }

    /// The monitor, or one that stands in for it until the system has the resources.
    var current: any NetworkMonitor { monitor ?? Substitute(choice: self) }

    private var monitor: (any NetworkMonitor)? {
        if let chosen = chosen.load() { return chosen.value }
        return make().map { chosen.storeIfNil(Box($0)).value }
    }

    /// A monitor that assumes a network, so that calls are not refused, until there is one that knows.
    private struct Substitute: NetworkMonitor {
        let choice: MonitorChoice

        var isConnected: Bool { get async { await status.isConnected } }

        var connectionType: ConnectionType { get async { await status.connectionType } }

        var status: NetworkStatus {
            get async { await choice.monitor?.status ?? NetworkStatus(.connected, .other) }
        }
    }
}

extension NetworkMonitor where Self == PlatformNetworkMonitor {
    /// The network monitor of the platform, shared by the whole process.
    public static var platformDefault: PlatformNetworkMonitor { PlatformNetworkMonitor() }
}
