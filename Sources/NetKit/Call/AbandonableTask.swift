/// A separate task for code that may outlast its call: a foreign interceptor or transport, or a function of the user.
///
/// When the call is ended or the attempt's time is up, the task is cancelled. If it does not end within half a second,
/// it is abandoned and its result is dropped. Code that blocks its thread before it first suspends blocks its caller.
///
/// Only `run` depends on the type of the result, because its code is generated again for each type.
final class AbandonableTask: CallCancellation.Waiter {
    /// The reason why the task was cancelled.
    private enum End {
        case call(any Error)
        case attempt
    }

    private struct State: ~Copyable {
        var task: Task<Void, any Error>?
        var continuation: CheckedContinuation<Void, any Error>?
        /// The end of the wait, without the value.
        var result: Result<Void, any Error>?
        var end: End?
        /// The alarms for the attempt's limit, and for the half second after the end.
        var alarms: [ClockAlarm] = []
    }

    private let state = Locked(State())
    private let context: RequestContext

    private init(_ context: RequestContext) { self.context = context }

    /// Runs an operation until it ends, or until the call or the attempt whose limit counts abandons it.
    ///
    /// It throws the error of the operation, or the reason why it was abandoned; `drop` receives a result that arrives
    /// too late.
    static func run<Success: Sendable>(
        in context: RequestContext,
        _ operation: @escaping @Sendable () async throws -> Success,
        drop: @escaping @Sendable (Success) -> Void = { _ in }
    ) async throws -> Success {
        // The new task would not notice, because it begins uncancelled.
        try context.call.checkStopped()
        let abandonable = AbandonableTask(context)
        let success = Locked<Result<Success, any Error>>(.failure(CancellationError()))
        let task = startImmediately {
            do {
                let value = try await operation()
                success.withLock { $0 = .success(value) }
                if !abandonable.settle(.success(())) { drop(value) }
            } catch {
                abandonable.settle(.failure(error))
            }
        }
        try await abandonable.wait(for: task)
        return try success.withLock { $0 }.get()
    }

    private func wait(for task: Task<Void, any Error>) async throws {
        let early = state.withLock { state in
            if state.result == nil { state.task = task }
            return state.result
        }
        if let early { return try early.get() }
        context.call.addWaiter(self)
        defer {
            context.call.removeWaiter(self)
            let alarms = state.withLock { exchange(&$0.alarms, with: []) }
            for alarm in alarms { alarm.cancel() }
        }
        if let limit = context.attemptEnd { add(context.clock.schedule(at: limit) { [self] in end(.attempt) }) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.continuation = continuation }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            stop(CancellationError())
        }
    }

    func stop(_ reason: any Error) { end(.call(reason)) }

    /// Cancels the task, and abandons it after half a second.
    private func end(_ end: End) {
        let task = state.withLock { state -> Task<Void, any Error>? in
            guard state.result == nil, state.end == nil else { return nil }
            state.end = end
            return state.task
        }
        guard let task else { return }
        let clock = context.clock
        add(
            clock.scheduleWakeUp(at: clock.now.advanced(by: .milliseconds(500))) { [self] in
                settle(.failure(CancellationError()))
            }
        )
        // Last, because `cancel()` runs cancellation handlers, which may take a long time.
        task.cancel()
    }

    private func add(_ alarm: ClockAlarm) {
        let isOver = state.withLock { state in
            if state.result == nil { state.alarms.append(alarm) }
            return state.result != nil
        }
        if isOver { alarm.cancel() }
    }

    /// Ends the wait, unless it has ended; returns whether this result is the one that counts.
    @discardableResult
    private func settle(_ result: Result<Void, any Error>) -> Bool {
        let settled = state.withLock { state -> (CheckedContinuation<Void, any Error>?, Result<Void, any Error>)? in
            guard state.result == nil else { return nil }
            let own = translated(result, after: state.end)
            state.result = own
            return (state.continuation.take(), own)
        }
        guard let (continuation, own) = settled else { return false }
        continuation?.resume(with: own)
        return true
    }

    /// Replaces the error of code that was ended with the reason.
    ///
    /// If the attempt's limit has ended it, that is a timeout, whose cause is the error.
    private func translated(_ result: Result<Void, any Error>, after end: End?) -> Result<Void, any Error> {
        guard case .failure(let error) = result else { return result }
        switch end {
        case nil: return result
        case .call(let reason): return error is CancellationError ? .failure(reason) : result
        case .attempt:
            let cause = error is CancellationError ? nil : error
            return .failure(context.attempt.timeout(after: context.attemptLimit, cause: cause))
        }
    }
}
