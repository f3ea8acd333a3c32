/// One wait for a value that somebody else provides, before or after the wait begins; the first end counts.
///
/// One task waits, and anybody may end it. It does not notice the task's cancellation by itself: who waits installs a
/// handler that ends it.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
    }

    private let state = Locked(State.open)

    init() {}

    /// Waits for the end.
    func value() async throws -> Value {
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

    /// Ends the wait; true for the first who does.
    @discardableResult
    func end(_ result: Result<Value, any Error>) -> Bool {
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
