/// One suspended sleep: ends exactly once, by time or by cancellation, whichever comes first.
package final class Sleeper: Sendable {
    private enum State {
        case idle
        case asleep(CheckedContinuation<Void, any Error>, ClockAlarm?)
        case ended
    }

    private let state = Locked(State.idle)

    package init() {}

    /// Takes the continuation; false (and resumed) when the sleep was cancelled before it began.
    package func start(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        let began = state.withLock { state in
            guard case .idle = state else { return false }
            state = .asleep(continuation, nil)
            return true
        }
        if !began { continuation.resume(throwing: CancellationError()) }
        return began
    }

    /// Remembers the alarm, so that a cancelled sleep does not leave it behind.
    package func set(alarm: ClockAlarm) {
        let isOver = state.withLock { state in
            guard case .asleep(let continuation, _) = state else { return true }
            state = .asleep(continuation, alarm)
            return false
        }
        if isOver { alarm.cancel() }
    }

    package func end(_ result: Result<Void, any Error>) {
        let previous = state.withLock { state in
            defer { state = .ended }
            return state
        }
        guard case .asleep(let continuation, let alarm) = previous else { return }
        alarm?.cancel()
        continuation.resume(with: result)
    }
}
