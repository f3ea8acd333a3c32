/// One wait for a value that another task provides, before or after the wait begins.
///
/// One task waits, and any thread may end the wait. The first end counts.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
    }

    private let state = Locked(State.open)

    package init() {}

    /// Waits for the end, which the cancellation of the task is not.
    package func value() async throws -> Value {
        if case .ended(let result) = state.withLock({ $0 }) { return try result.get() }
        return try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Value, any Error>? in
                if case .ended(let result) = state { return result }
                state = .waiting(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Waits for the end or for the cancellation of the task, which throws `CancellationError`.
    package func cancellableValue() async throws -> Value {
        try await withTaskCancellationHandler {
            try await value()
        } onCancel: {
            end(.failure(CancellationError()))
        }
    }

    /// Ends the wait.
    ///
    /// Returns `true` if it had not ended before.
    @discardableResult
    package func end(_ result: Result<Value, any Error>) -> Bool {
        let previous = state.withLock { state in
            let previous = state
            if case .ended = previous { return previous }
            state = .ended(result)
            return previous
        }
        switch previous {
        case .open: return true
        case .ended: return false
        case .waiting(let continuation):
            continuation.resume(with: result)
            return true
        }
    }
}

extension Promise<Bool> {
    /// Waits for the end, but not longer than a bound, after which the value is `false`.
    func isKept(within bound: Duration, _ clock: NetKitClock) async -> Bool {
        let alarm = clock.scheduleWakeUp(at: clock.now.advanced(by: bound)) { self.end(.success(false)) }
        defer { alarm.cancel() }
        return (try? await value()) ?? false
    }
}
