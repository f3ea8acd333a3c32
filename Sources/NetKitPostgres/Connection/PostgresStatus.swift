import NetKit

/// The health of a database as its loop sees it, and the events for its users.
final class PostgresStatus: Sendable {
    private struct State {
        var health = Postgres.Health()
        var connectProblem: NetKitError?
        /// The instant at which the control connection was last restored.
        var returnedAt: NetKitClock.Instant?

        mutating func noteProblem(_ problem: NetKitError, isControl: Bool) {
            health.problem = problem
            guard isControl else { return }
            health.isConnected = false
            health.isListening = false
        }
    }

    private let state = Locked(State())
    private let broadcast = Broadcast<Postgres.Event>()

    init() {}

    var health: Postgres.Health { state.withLock { $0.health } }

    /// The reason why no connection can be made at the moment.
    var connectProblem: NetKitError? { state.withLock { $0.connectProblem } }

    /// The instant at which the control connection was last restored; `nil` if the first one was never lost.
    var returnedAt: NetKitClock.Instant? { state.withLock { $0.returnedAt } }

    var events: AsyncStream<Postgres.Event> { broadcast.stream() }

    func note(connectProblem problem: NetKitError, isControl: Bool) {
        change(.unreachable, problem) { state in
            state.connectProblem = problem
            state.noteProblem(problem, isControl: isControl)
        }
    }

    /// Notes the loss of a connection.
    ///
    /// A connection for work is replaced when a statement needs it, which may be much later or never. Until an attempt
    /// to replace it fails, nothing is wrong.
    func note(lost problem: NetKitError, isControl: Bool) {
        change(.connectionLost, problem) { if isControl { $0.noteProblem(problem, isControl: true) } }
    }

    /// Notes that a connection for work was made.
    func noteOpened() {
        state.withLock { state in
            state.connectProblem = nil
            if state.health.isConnected { state.health.problem = nil }
        }
    }

    func note(connectedTo version: Int, isPooled: Bool, at now: NetKitClock.Instant) {
        change(.connected) { state in
            if state.health.problem != nil { state.returnedAt = now }
            state.connectProblem = nil
            state.health.problem = nil
            state.health.isConnected = true
            state.health.isPooled = isPooled
            state.health.serverVersion = version
        }
    }

    func note(isListening: Bool) {
        change(isListening ? .listening : .polling) { $0.health.isListening = isListening }
    }

    func note(_ kind: Postgres.Event.Kind, _ error: NetKitError?) {
        change(kind, error) { _ in }
    }

    private func change(_ kind: Postgres.Event.Kind, _ error: NetKitError? = nil, _ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            broadcast.note(Postgres.Event(kind: kind, error: error))
        }
        broadcast.publish()
    }

    func finish() {
        change(.closed) { state in
            state.health.isConnected = false
            state.health.isListening = false
        }
        broadcast.finish()
    }
}
