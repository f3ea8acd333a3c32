/// Waits once for one of two ends: every call is over, or the time is.
final class DrainWait: Sendable {
    private enum State {
        case waiting(CheckedContinuation<Bool, Never>?)
        case ended(Bool)
    }

    private let state = Locked(State.waiting(nil))

    func wait() async -> Bool {
        await withCheckedContinuation { continuation in
            let ended = state.withLock { state -> Bool? in
                if case .ended(let isDrained) = state { return isDrained }
                state = .waiting(continuation)
                return nil
            }
            if let ended { continuation.resume(returning: ended) }
        }
    }

    func end(isDrained: Bool) {
        let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .ended(isDrained)
            return continuation
        }
        continuation?.resume(returning: isDrained)
    }
}
