/// A value that another task provides, before or after the first wait for it begins.
///
/// Any thread may resolve it. The first result counts.
package final class Promise<Value: Sendable>: Sendable {
    /// The waits are without the value: their code is the same for every type of it.
    private typealias State = (result: Result<Value, any Error>?, waiting: [CheckedContinuation<Void, Never>])

    private let state = Locked<State>((nil, []))

    package init() {}

    /// Waits for the result, even if the task is cancelled.
    package func value() async throws -> Value {
        while true {
            if let result = state.withLock({ $0.result }) { return try result.get() }
            await withCheckedContinuation { continuation in
                let isResolved = state.withLock { state in
                    if state.result == nil { state.waiting.append(continuation) }
                    return state.result != nil
                }
                if isResolved { continuation.resume() }
            }
        }
    }

    /// Waits for the result, or resolves the promise with `CancellationError` if the task is cancelled.
    package func cancellableValue() async throws -> Value {
        try await withTaskCancellationHandler {
            try await value()
        } onCancel: {
            resolve(.failure(CancellationError()))
        }
    }

    /// Ends every wait with a result.
    ///
    /// Returns `true` if the promise was not resolved before.
    @discardableResult
    package func resolve(_ result: Result<Value, any Error>) -> Bool {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            guard state.result == nil else { return nil }
            state.result = result
            return exchange(&state.waiting, with: [])
        }
        guard let waiting else { return false }
        for continuation in waiting { continuation.resume() }
        return true
    }
}

extension Promise {
    /// Waits for the value, but not longer than a bound, after which it is another one.
    func value(or other: Value, after bound: Duration, _ clock: NetKitClock) async -> Value {
        let alarm = clock.scheduleWakeUp(at: clock.now.advanced(by: bound)) { self.resolve(.success(other)) }
        defer { alarm.cancel() }
        return (try? await value()) ?? other
    }

    /// Waits for the value, but not longer than a bound on the system's clock or on another one, whichever ends first.
    ///
    /// It is for code that might never end: a clock of a test can stand still or run ahead.
    func value(or other: Value, after bound: Duration, onSystemOr clock: NetKitClock) async -> Value {
        guard !clock.isSystem else { return await value(or: other, after: bound, clock) }
        let system = NetKitClock.system
        let alarm = system.scheduleWakeUp(at: system.now.advanced(by: bound)) { self.resolve(.success(other)) }
        defer { alarm.cancel() }
        return await value(or: other, after: bound, clock)
    }
}
