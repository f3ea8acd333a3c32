import Synchronization

/// Begins an exchange: numbers it, and ends it when the attempt's time is up.
///
/// It stands first in `.attempt`, so that waiting for a permit does not count, and what runs for every try does. The
/// exchange runs in a task of its own, because a retry has to be possible after this one was cancelled; where all that
/// follows ends with the call, the transport keeps the limit and no task is needed.
struct ExchangeStart: Interceptor, EndsWithCall {
    let stage = Stage.attempt
    let summary = "numbers the exchange and keeps the attempt limit"

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        // The exchange's own task would not know: it begins uncancelled, and sends before it can be told.
        try Task.checkCancellation()
        let call = context.call
        guard let limit = call.timeouts.attempt else {
            return try await next(
                request,
                RequestContext(call: call, attempt: call.beginAttempt(deadline: call.deadline))
            )
        }
        let end = call.clock.now.advanced(by: limit)
        if let deadline = call.deadline, deadline <= end {
            // The call's own alarm comes first and ends everything; a second one would change nothing.
            return try await next(request, RequestContext(call: call, attempt: call.beginAttempt(deadline: deadline)))
        }
        let attempt = call.beginAttempt(deadline: end)
        let inner = RequestContext(call: call, attempt: attempt)
        if next.endsWithCall { return try await next(request, inner) }
        return try await ExchangeRace(attempt: attempt, limit: limit)
            .run(clock: call.clock) { try await next(request, inner) }
    }
}

/// One exchange against its time limit.
private final class ExchangeRace: Sendable {
    private enum Progress {
        static let running = 0
        static let over = 1
        static let timedOut = 2
    }

    private let attempt: Attempt
    private let limit: Duration
    private let progress = Atomic<Int>(Progress.running)

    init(attempt: Attempt, limit: Duration) {
        self.attempt = attempt
        self.limit = limit
    }

    func run(
        clock: NetKitClock,
        _ exchange: @escaping @Sendable () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let task = startImmediately { [self] in
            defer { _ = leave(Progress.over) }
            return try await exchange()
        }
        let alarm = setAlarm(for: task, clock: clock)
        defer { alarm?.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            guard progress.load(ordering: .acquiring) == Progress.timedOut else { throw error }
            throw attempt.timeout(after: limit, cause: error is CancellationError ? nil : error)
        }
    }

    private func setAlarm(for task: Task<HTTPResponse, any Error>, clock: NetKitClock) -> ClockAlarm? {
        guard let end = attempt.deadline, progress.load(ordering: .acquiring) == Progress.running else { return nil }
        return clock.schedule(at: end) { [self] in
            if leave(Progress.timedOut) { task.cancel() }
        }
    }

    /// True for the first who leaves `running`.
    private func leave(_ new: Int) -> Bool {
        progress.compareExchange(expected: Progress.running, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}
