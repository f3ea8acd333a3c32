/// Lets a few pass at a time, in the order they came.
package actor ConformanceGate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(width: Int) {
        free = max(1, width)
    }

    /// Does something when its turn has come.
    package nonisolated func pass<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter()
        do {
            let value = try await body()
            await leave()
            return value
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
