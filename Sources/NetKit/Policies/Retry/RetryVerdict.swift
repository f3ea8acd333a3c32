import Foundation

/// The decision about one failed attempt.
enum RetryVerdict: Equatable {
    /// Wait, then try again. A retry after throttling has its own cost in the budget.
    case retry(after: Duration, isThrottled: Bool)
    /// Return the outcome of the attempt.
    case stop(RetryStop)
}

/// A finished attempt, and the facts on which its verdict depends.
struct AttemptFacts {
    var request: HTTPRequest
    /// The number of the attempt, from 1.
    var attempt: Int
    var result: Result<HTTPResponse, any Error>
    /// The outcome that the exchange itself reports, even if the error says otherwise.
    var outcome = NetKitError.Outcome.notSent
    /// Whether the server may still be carrying out an earlier attempt with the same key.
    var mayBeInProgress = false
    /// The wait before this attempt; `nil` for the first one.
    var previousDelay: Duration?
    /// The time since the first attempt began.
    var elapsed = Duration.zero
    /// The time until the deadline, if there is one.
    var timeLeft: Duration?
    /// The time of day.
    var date = Date(timeIntervalSince1970: 0)
    /// A number from 0 up to 1.
    var random = 0.0
}

extension RetryPolicy {
    /// The failures that a retry cannot change, or that end the call.
    ///
    /// No list and no closure makes them retryable.
    static let finalErrorCodes: Set<NetKitError.Code> = [
        .tls, .decoding, .encoding, .invalidURL, .invalidRequest, .invalidConfiguration, .addressRefused, .bodyConsumed,
        .bodyTooLarge, .closed, .unsupported,
    ]

    /// Returns whether the policy treats a status as a failure at all.
    func concerns(_ status: HTTPStatus) -> Bool {
        retryableStatusCodes.contains(status.code) || (shouldRetry != nil && status.code >= 400)
    }

    /// Returns the decision about a failed attempt, without asking the budget.
    func verdict(on facts: AttemptFacts) -> RetryVerdict {
        if let stop = judge(facts) { return .stop(stop) }
        let isThrottled = facts.status == .tooManyRequests
        let backoff = backOff(
            attempt: facts.attempt,
            previous: facts.previousDelay,
            isThrottled: isThrottled,
            random: facts.random
        )
        var delay = backoff
        if let asked = facts.serverDelay ?? facts.error?.retryAfter {
            guard asked <= max(.zero, maxServerDelay) else {
                return .stop(facts.status == nil ? .notRetryable : .serverDelayTooLong)
            }
            delay = max(backoff, asked)
        }
        if let maxElapsed, facts.elapsed + delay > maxElapsed { return .stop(.maxElapsed) }
        if let timeLeft = facts.timeLeft, delay >= timeLeft { return .stop(.deadline) }
        return .retry(after: delay, isThrottled: isThrottled)
    }

    /// Returns the reason why the attempt must not, or need not, be repeated; `nil` if it may.
    private func judge(_ facts: AttemptFacts) -> RetryStop? {
        let error = facts.error
        if case .failure(let thrown) = facts.result {
            if thrown is CancellationError { return .cancelled }
            guard let error, !Self.finalErrorCodes.contains(error.code), !(error.cause is IdentityChange) else {
                return .notRetryable
            }
            if error.isOfDeadline { return .deadline }
        }
        let isListed =
            facts.status.map { retryableStatusCodes.contains($0.code) || facts.mayBeInProgress && $0 == .conflict }
            // A call that timed out in this client's own line has already waited as long as it may.
            ?? error.map { retryableErrorCodes.contains($0.code) && $0.timeoutPhase != .queue } ?? false
        if let shouldRetry {
            let candidate = RetryCandidate(
                request: facts.request,
                attempt: facts.attempt,
                status: facts.status,
                headers: facts.headers,
                error: error,
                isRetryable: isListed
            )
            guard shouldRetry(candidate) else { return isListed ? .refused : .notRetryable }
        } else if !isListed {
            return .notRetryable
        }
        guard mayRepeat(facts) else { return .notIdempotent }
        if let body = facts.request.body, !body.canReplay { return .bodyNotReplayable }
        return facts.attempt < maxAttempts ? nil : .attemptsUsedUp
    }

    private func mayRepeat(_ facts: AttemptFacts) -> Bool {
        if retryableMethods.contains(facts.request.method) { return true }
        return facts.hasKey || facts.isUnsent
    }
}

extension AttemptFacts {
    var response: HTTPResponse? { try? result.get() }

    var status: HTTPStatus? { response?.status }

    var headers: HTTPHeaders { response?.headers ?? HTTPHeaders() }

    /// The failure, into which an interceptor's own error is translated.
    var error: NetKitError? {
        guard case .failure(let error) = result else { return nil }
        return ErrorBoundary.outward(error, outcome: outcome == .answered ? .answered : .unknown) as? NetKitError
    }

    /// Whether the request has an idempotency key.
    var hasKey: Bool { request.headers.idempotencyKey != nil }

    /// Whether nothing of the request was sent.
    var isUnsent: Bool { error?.outcome == .notSent && outcome == .notSent }

    /// Whether the request may have arrived, and its response is lost.
    ///
    /// A gateway gives up before the server behind it.
    var isLost: Bool { status.map { $0 == 502 || $0 == 504 } ?? !isUnsent }

    /// The delay that the server asks for.
    var serverDelay: Duration? {
        response.flatMap { ServerDelay.read(status: $0.status, headers: $0.headers, now: date) }
    }
}
