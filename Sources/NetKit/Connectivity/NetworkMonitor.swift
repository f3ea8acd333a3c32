/// A source of information about the network: whether there is one, and of what kind.
///
/// ```swift
/// let monitor = LinuxNetworkMonitor(probing: base)
/// if await monitor.isConnected { … }
/// for await status in monitor.updates { print(status) }
/// ```
/// `.platformDefault` is the monitor of the platform, and ``ManualNetworkMonitor`` is one that a test controls. A
/// custom monitor needs `isConnected` and `connectionType`. Unless it also provides `updates`, each stream of changes
/// asks it once a second.
public protocol NetworkMonitor: Sendable {
    /// Whether there is a network now.
    var isConnected: Bool { get async }

    /// The kind of network, or `.none` if there is none.
    var connectionType: ConnectionType { get async }

    /// The current status.
    var status: NetworkStatus { get async }

    /// The current status, then every change.
    ///
    /// Each access returns a separate stream. A reader that falls behind loses the oldest changes, never the latest.
    /// The stream ends with the monitor.
    var updates: AsyncStream<NetworkStatus> { get }

    /// Returns a stream of whether there is a network, now and after each change.
    func connectionStream() -> AsyncStream<Bool>

    /// Takes an observation about the network into account.
    ///
    /// The default implementation ignores it.
    func report(_ evidence: NetworkEvidence)
}

extension NetworkMonitor {
    /// The status that follows from `isConnected` and `connectionType`.
    public var status: NetworkStatus {
        get async {
            let type = await connectionType
            return NetworkStatus(await isConnected ? .connected : .disconnected, type)
        }
    }

    /// The current status, then every change, found by asking once a second.
    public var updates: AsyncStream<NetworkStatus> {
        stream { continuation in
            var last: NetworkStatus?
            while !Task.isCancelled {
                let status = await status
                if status != last { continuation.yield(status) }
                last = status
                try? await NetKitClock.system.sleep(for: .seconds(1))
            }
        }
    }

    /// Returns a stream of whether there is a network, now and after each change.
    public func connectionStream() -> AsyncStream<Bool> {
        let updates = updates
        return stream { continuation in
            var last: Bool?
            for await status in updates where status.isConnected != last {
                last = status.isConnected
                continuation.yield(status.isConnected)
            }
        }
    }

    /// Ignores the evidence.
    public func report(_ evidence: NetworkEvidence) {}

    /// Returns a stream that a task fills.
    ///
    /// The stream ends with the task, and the task is cancelled with the stream.
    private func stream<Element: Sendable>(
        _ produce: @escaping @Sendable (AsyncStream<Element>.Continuation) async -> Void
    ) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: .bufferingNewest(StatusPublisher.maxBufferedChanges)) { continuation in
            let task = Task {
                await produce(continuation)
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
