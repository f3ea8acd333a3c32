/// The latest status of a monitor and the streams of its changes.
final class StatusPublisher: Sendable {
    /// The number of changes that are kept for a reader that falls behind.
    static let maxBufferedChanges = 64

    private struct State: ~Copyable {
        var status: NetworkStatus?
        var isFinished = false
    }

    private let state: Locked<State>
    private let statuses = Broadcast<NetworkStatus>(maxEvents: StatusPublisher.maxBufferedChanges)
    private let connections = Broadcast<Bool>(maxEvents: StatusPublisher.maxBufferedChanges)

    init(_ status: NetworkStatus? = nil) { state = Locked(State(status: status)) }

    /// The latest status, or `nil` until one is known.
    var latest: NetworkStatus? { state.withLock { $0.status } }

    /// The number of streams that are being read.
    var listenerCount: Int { statuses.listenerCount + connections.listenerCount }

    /// The latest status, once one is known.
    var status: NetworkStatus {
        get async {
            if let latest { return latest }
            for await status in updates() { return status }
            return latest ?? .disconnected
        }
    }

    /// Sets the status and publishes it if it changed.
    func set(_ status: NetworkStatus) {
        change { $0 = status }
    }

    /// Modifies the status and publishes it if it changed.
    func change(_ body: (inout NetworkStatus?) -> Void) {
        state.withLock { state in
            guard !state.isFinished else { return }
            let old = state.status
            body(&state.status)
            guard let new = state.status, new != old else { return }
            statuses.note(new)
            if new.isConnected != old?.isConnected { connections.note(new.isConnected) }
        }
        statuses.publish()
        connections.publish()
    }

    func updates() -> AsyncStream<NetworkStatus> {
        state.withLock { statuses.stream(startingWith: $0.status) }
    }

    func connectionStream() -> AsyncStream<Bool> {
        state.withLock { connections.stream(startingWith: $0.status?.isConnected) }
    }

    /// Ends all current and future streams.
    ///
    /// The latest status remains available.
    func finish() {
        state.withLock { $0.isFinished = true }
        statuses.finish()
        connections.finish()
    }
}
