/// Holds requests back until it is opened.
final class MockGate: Sendable {
    private struct State {
        var isOpen = false
        var nextKey = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = Locked(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    func wait() async throws {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting[key] = continuation }
                    return state.isOpen
                }
                if isOpen { return continuation.resume() }
                // Cancelled before the continuation was there: nobody else would resume it.
                if Task.isCancelled { leave(key) }
            }
        } onCancel: {
            leave(key)
        }
    }

    private func leave(_ key: Int) {
        let continuation = state.withLock { $0.waiting.removeValue(forKey: key) }
        continuation?.resume(throwing: CancellationError())
    }
}
