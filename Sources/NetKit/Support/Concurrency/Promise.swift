/// A value that another task provides, before or after the first wait for it begins.
///
/// Any thread may resolve it. The first result counts.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open([CheckedContinuation<Value, any Error>])
        case resolved(Result<Value, any Error>)
    }

    private let state = Locked(State.open([]))

    package init() {}

    /// Waits for the result, even if the task is cancelled.
    package func value() async throws -> Value {
        if case .resolved(let result) = state.withLock({ $0 }) { return try result.get() }
        return try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Value, any Error>? in
                switch state {
                case .resolved(let result): return result
                case .open(var waiting):
                    // Otherwise, two references would make each wait copy those before it.
                    state = .open([])
                    waiting.append(continuation)
                    state = .open(waiting)
                    return nil
                }
            }
            if let result { continuation.resume(with: result) }
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
        let waiting = state.withLock { state -> [CheckedContinuation<Value, any Error>]? in
            guard case .open(let waiting) = state else { return nil }
            state = .resolved(result)
            return waiting
        }
        guard let waiting else { return false }
        for continuation in waiting { continuation.resume(with: result) }
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
