import Foundation

/// The attempts of one request from the first failure on.
///
/// It counts them, asks the policy and the budget, and keeps a log.
struct RetryRun: ~Copyable {
    private let request: HTTPRequest
    private let context: RequestContext
    private let start: NetKitClock.Instant
    private var attempt = 1
    private var attemptStart: NetKitClock.Instant
    private var previousDelay: Duration?
    /// The number of tokens that the last retry took from the budget.
    private var held = 0
    /// Whether the server may still be carrying out an earlier attempt with the same key.
    private var mayBeInProgress = false

    init(request: HTTPRequest, context: RequestContext, start: NetKitClock.Instant) {
        self.request = request
        self.context = context
        self.start = start
        attemptStart = start
    }

    /// Returns whether a response with a status is a failure.
    func concerns(_ status: HTTPStatus, _ rules: CallRetry) -> Bool {
        rules.concerns(status) || mayBeInProgress && status == .conflict
    }

    /// Decides about a failed attempt and records it.
    ///
    /// Returns the wait before the next attempt, or `nil` if there is none.
    mutating func judge(
        _ result: Result<HTTPResponse, any Error>,
        policy: RetryPolicy,
        budget: RetryBudget?
    ) -> Duration? {
        let call = context.call
        let now = call.clock.now
        let facts = AttemptFacts(
            request: request,
            attempt: attempt,
            result: result,
            outcome: call.latestAttempt?.outcome ?? .notSent,
            mayBeInProgress: mayBeInProgress,
            previousDelay: previousDelay,
            elapsed: start.duration(to: now),
            timeLeft: call.deadline.map { now.duration(to: $0) },
            date: call.clock.date,
            random: call.random.unitInterval()
        )
        mayBeInProgress = mayBeInProgress || facts.isLost && facts.hasKey
        switch policy.verdict(on: facts) {
        case .stop(let reason):
            note(facts, now: now, delay: nil, stop: reason)
            return nil
        case .retry(let delay, let isThrottled):
            guard let cost = budget.map({ $0.take(isThrottled: isThrottled, for: request.url) }) ?? 0 else {
                note(facts, now: now, delay: nil, stop: .budgetUsedUp)
                return nil
            }
            held = cost
            previousDelay = delay
            note(facts, now: now, delay: delay, stop: nil)
            return delay
        }
    }

    /// Begins the next attempt.
    mutating func begin() {
        attempt += 1
        attemptStart = context.clock.now
        context.call.reporter?.hub?.reportRetryBegan()
    }

    /// Puts back the cost of a retry, because the call was ended during the wait.
    func abandon(budget: RetryBudget?) {
        budget?.giveBack(held, for: request.url)
        context.call.note(.cancelled)
    }

    /// Ends the run with a response that is not a failure.
    func finish(_ response: HTTPResponse, budget: RetryBudget?) -> HTTPResponse {
        budget?.noteSuccess(holding: held, for: request.url)
        let now = context.clock.now
        let facts = AttemptFacts(request: request, attempt: attempt, result: .success(response))
        note(facts, now: now, delay: nil, stop: .answered)
        var response = response
        response.attemptLog = context.call.attemptLog
        return response
    }

    /// Returns the response of the last attempt with the log, or throws its error.
    func surface(_ result: Result<HTTPResponse, any Error>) throws -> HTTPResponse {
        var response = try result.get()
        response.attemptLog = context.call.attemptLog
        return response
    }

    private func note(_ facts: AttemptFacts, now: NetKitClock.Instant, delay: Duration?, stop: RetryStop?) {
        let error = facts.error
        let outcome = facts.status != nil ? .answered : error?.outcome ?? context.call.outcome
        context.call.note(
            AttemptRecord(
                number: attempt,
                startedAfter: .zero,
                duration: attemptStart.duration(to: now),
                status: facts.status,
                code: error?.code,
                outcome: outcome,
                serverDelay: facts.serverDelay,
                delay: delay
            ),
            start: attemptStart,
            stop: stop
        )
    }
}
