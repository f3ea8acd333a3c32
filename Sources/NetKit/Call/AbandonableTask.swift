/// A separate task for code that may outlast its call: a foreign interceptor or transport, or a function of the user.
///
/// When the call is ended or the attempt's time is up, the task is cancelled. If it does not end within half a second,
/// it is abandoned and its result is dropped. Code that blocks its thread before it first suspends blocks its caller.
final class AbandonableTask<Success: Sendable>: CallCancellation.Waiter {
    private typealias Continuation = CheckedContinuation<Success, any Error>

    /// The reason why the task was cancelled.
    private enum End {
        case call(any Error)
        case attempt
    }

    private struct State {
        var task: Task<Void, any Error>?
        var continuation: Continuation?
        var result: Result<Success, any Error>?
        var end: End?
        /// The alarms for the attempt's limit, and for the half second after the end.
        var alarms: [ClockAlarm] = []
    }

    private let state = Locked(State())
    private let context: RequestContext
    private let drop: @Sendable (Success) -> Void

    private init(_ context: RequestContext, drop: @escaping @Sendable (Success) -> Void) {
        self.context = context
        self.drop = drop
    }

    /// Runs an operation until it ends, or until the call or the attempt whose limit counts abandons it.
    ///
    /// It throws the error of the operation, or the reason why it was abandoned; `drop` receives a result that arrives
    /// too late.
    static func run(
        in context: RequestContext,
        _ operation: @escaping @Sendable () async throws -> Success,
        drop: @escaping @Sendable (Success) -> Void = { _ in }
    ) async throws -> Success {
        // The new task would not notice, because it begins uncancelled.
        try Task.checkCancellation()
        try context.call.checkStopped()
        return try await AbandonableTask(context, drop: drop).run(operation)
    }

    private func run(_ operation: @escaping @Sendable () async throws -> Success) async throws -> Success {
        let task = startImmediately { [self] in
            do { settle(.success(try await operation())) } catch { settle(.failure(error)) }
        }
        if let result = state.withLock({ $0.result }) { return try result.get() }
        state.withLock { $0.task = task }
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

    private func settle(_ result: Result<Success, any Error>) {
        let (continuation, own, isLate) = state.withLock { state -> (Continuation?, Result<Success, any Error>, Bool) in
            guard state.result == nil else { return (nil, result, true) }
            let own = translated(result, after: state.end)
            state.result = own
            return (state.continuation.take(), own, false)
        }
        if isLate, case .success(let value) = result { drop(value) }
        continuation?.resume(with: own)
    }

    /// Replaces the error of code that was ended with the reason.
    ///
    /// If the attempt's limit has ended it, that is a timeout, whose cause is the error.
    private func translated(_ result: Result<Success, any Error>, after end: End?) -> Result<Success, any Error> {
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
