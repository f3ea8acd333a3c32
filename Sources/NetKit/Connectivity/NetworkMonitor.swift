/// Whatever can tell whether there is a network, and of what kind.
///
/// ```swift
/// let monitor = LinuxNetworkMonitor(probing: base)
/// if await monitor.isConnected { … }
/// for await status in monitor.updates { print(status) }
/// ```
/// `.platformDefault` is the monitor of the platform, ``ManualNetworkMonitor`` one that a test switches. A type of your own
/// needs `isConnected` and `connectionType`; it is then asked once a second by whoever wants to hear of changes, unless it
/// provides `updates` as well.
public protocol NetworkMonitor: Sendable {
    /// Whether there is a network now.
    var isConnected: Bool { get async }

    /// What kind of network it is; `.none` where there is none.
    var connectionType: ConnectionType { get async }

    /// All that is known now.
    var status: NetworkStatus { get async }

    /// What is known now, then every change; any number of readers, each with a stream of its own.
    ///
    /// A reader that falls behind loses the oldest changes, never the latest. The stream ends with the monitor.
    var updates: AsyncStream<NetworkStatus> { get }

    /// Whether there is a network now, then each time that changes.
    func connectionStream() -> AsyncStream<Bool>

    /// Takes into account what somebody has learnt about the network by using it; nothing unless said otherwise.
    func report(_ evidence: NetworkEvidence)
}

extension NetworkMonitor {
    /// What the two other properties say.
    public var status: NetworkStatus {
        get async {
            let type = await connectionType
            return NetworkStatus(await isConnected ? .connected : .disconnected, type)
        }
    }

    /// The status now, then every change, found by asking once a second.
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

    /// Whether there is a network now, then each time that changes.
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

    /// Takes no notice.
    public func report(_ evidence: NetworkEvidence) {}

    /// Returns a stream of what a task yields, which ends with the task; the task ends with the stream.
    private func stream<Element: Sendable>(
        _ produce: @escaping @Sendable (AsyncStream<Element>.Continuation) async -> Void
    ) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: .bufferingNewest(StatusBoard.capacity)) { continuation in
            let task = Task {
                await produce(continuation)
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
