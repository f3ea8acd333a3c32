/// The latest status, and those who are told of changes.
final class StatusBoard: Sendable {
    /// How many changes are kept for a reader that falls behind.
    static let capacity = 64

    private struct State {
        var status: NetworkStatus?
        var isFinished = false
    }

    private let state: Locked<State>
    private let statuses = Broadcast<NetworkStatus>(capacity: StatusBoard.capacity)
    private let connections = Broadcast<Bool>(capacity: StatusBoard.capacity)

    init(_ status: NetworkStatus? = nil) {
        state = Locked(State(status: status))
    }

    /// The latest status; nil until the first is known.
    var latest: NetworkStatus? { state.withLock { $0.status } }

    /// How many read the changes.
    var listenerCount: Int { statuses.listenerCount + connections.listenerCount }

    /// The latest status, waited for where none is known yet.
    var status: NetworkStatus {
        get async {
            if let latest { return latest }
            for await status in updates() { return status }
            return latest ?? .disconnected
        }
    }

    /// Notes a status, and tells those who listen where it is new.
    func set(_ status: NetworkStatus) {
        change { $0 = status }
    }

    /// Changes the status, and tells those who listen where it became another.
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

    /// Ends every stream, now and later; the latest status stays.
    func finish() {
        state.withLock { $0.isFinished = true }
        statuses.finish()
        connections.finish()
    }
}
