import NetKit

/// The faults between one replica and a store in memory that it shares with others.
final class ReplicaFaults: Sendable {
    private struct State {
        var isStopped = false
        var isCutOff = false
        var delay = Duration.zero
        /// The number of calls whose response is lost.
        var lostResponses = 0
        var waiting: [Promise<Void>] = []
    }

    private let clock: NetKitClock
    private let state = Locked(State())

    init(clock: NetKitClock) {
        self.clock = clock
    }

    deinit { resume() }

    func stop() {
        state.withLock { $0.isStopped = true }
    }

    func resume() {
        let waiting = state.withLock { state in
            defer { (state.isStopped, state.waiting) = (false, []) }
            return state.waiting
        }
        for wait in waiting { wait.resolve(.success(())) }
    }

    func cutOff(_ isCutOff: Bool) {
        state.withLock { $0.isCutOff = isCutOff }
    }

    var isCutOff: Bool { state.withLock { $0.isCutOff } }

    func slowDown(to delay: Duration) {
        state.withLock { $0.delay = delay }
    }

    func loseResponses(_ count: Int) {
        state.withLock { $0.lostResponses = max(0, count) }
    }

    /// Performs a call on the store, with half of the delay before it and half after.
    func call<Success: Sendable>(mayLose: Bool = false, _ body: () throws -> Success) async throws -> Success {
        try await pass()
        let success = try body()
        let isLost = state.withLock { state in
            guard mayLose, state.lostResponses > 0 else { return false }
            state.lostResponses -= 1
            return true
        }
        // From here on, the call has taken effect.
        if isLost { throw Self.unreachable(.unknown) }
        try await pass(failingWith: .unknown)
        return success
    }

    /// Waits for half of the delay, and while the replica is stopped.
    func pass(failingWith outcome: NetKitError.Outcome = .notSent) async throws {
        let delay = state.withLock { $0.delay / 2 }
        if delay > .zero { try await clock.sleep(for: delay) }
        let wait = state.withLock { state -> Promise<Void>? in
            guard state.isStopped else { return nil }
            let wait = Promise<Void>()
            state.waiting.append(wait)
            return wait
        }
        try await wait?.cancellableValue()
        if isCutOff { throw Self.unreachable(outcome) }
    }

    private static func unreachable(_ outcome: NetKitError.Outcome) -> NetKitError {
        NetKitError(.storeUnavailable, "The store cannot be reached.", outcome: outcome)
    }
}
