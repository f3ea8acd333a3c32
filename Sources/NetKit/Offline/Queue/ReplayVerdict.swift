import Foundation

/// The consequence of an attempt for an entry.
enum ReplayVerdict: Equatable {
    /// The server accepted the request.
    case delivered
    /// The server has another version.
    case conflict
    /// The entry is given up.
    case deadLetter(DeadLetterReason, String)
    /// The entry is tried again after a delay, and the attempt counts or does not.
    case postponed(Duration, countsAttempt: Bool, String)
    /// The credential was refused: the lane pauses.
    case unauthorized
    /// The entry was not sent, because the client does not have the identity that it requires.
    case waitsForIdentity
    /// The attempt was cancelled, which says nothing about the entry.
    case cancelled
}

/// The result of an attempt, and everything else that a verdict depends on.
struct ReplayFacts {
    /// The status of the response.
    var status: HTTPStatus?
    var headers = HTTPHeaders()
    /// Whether the request names the version that it changes.
    var isConditional = false
    /// Whether the server may still be carrying out an earlier attempt with the same key.
    var mayBeInProgress = false
    /// The error, if there was no response.
    var error: (any Error)?
    /// The number of attempts that had failed before.
    var retryCount = 0
    var maxAttempts: Int?
    /// The number of attempts after which an entry that has failed for long is given up, and whether it has failed for
    /// that long; `nil` if there is no such bound.
    var lastingFailure: (attempts: Int, isLong: Bool)?
    /// The number of consecutive postponements that cost no attempt.
    var deferrals = 0
    /// The wait before the attempt; `nil` for the first one.
    var previousDelay: Duration?
    /// Whether the monitor has reported no outage during the attempt, and says that there is a network.
    var isConnected = true
    /// Whether the entry has to be sent under an identity.
    var hasIdentity = true
    var date = Date(timeIntervalSince1970: 0)
    /// A closure that returns a number from 0 up to 1; most verdicts need none.
    var random: () -> Double = { 0 }
}

extension RetryPolicy {
    /// The codes of failures that the request itself causes: another attempt would fail in the same way.
    private static let hopelessCodes: Set<NetKitError.Code> = [
        .invalidURL, .invalidRequest, .encoding, .bodyConsumed, .unsupported, .addressRefused, .noStub,
    ]

    /// Returns the consequence of an attempt; `maxServerDelay` bounds the delay that a server may ask for.
    func verdict(on facts: ReplayFacts, maxServerDelay: Duration) -> ReplayVerdict {
        if let status = facts.status { return verdict(on: status, facts, maxServerDelay) }
        guard let error = facts.error, !(error is CancellationError) else { return .cancelled }
        guard let error = ErrorBoundary.outward(error, outcome: .unknown) as? NetKitError else { return .cancelled }
        if error.isOfRefresh { return verdict(onRefresh: error, facts) }
        if let response = error.response, error.outcome == .answered, error.code == .server {
            var facts = facts
            (facts.status, facts.headers) = (response.status, response.headers)
            return verdict(on: response.status, facts, maxServerDelay)
        }
        switch error.code {
        case .unauthorized where error.cause is IdentityChange:
            let isWaiting = error.outcome == .notSent && facts.hasIdentity
            return isWaiting ? .waitsForIdentity : postponeWithoutAttempt(facts, error.message)
        case .unauthorized: return .unauthorized
        case .conflict: return .conflict
        case .closed: return .cancelled
        case .redirect: return .deadLetter(.redirected, error.message)
        case _ where Self.hopelessCodes.contains(error.code): return .deadLetter(.notSendable, error.message)
        // An earlier exchange of the attempt, such as one before a redirect, may have arrived.
        case _ where error.outcome != .notSent: return postpone(facts, .zero, error.message)
        case .offline: return postponeWithoutAttempt(facts, error.message)
        // Without descriptors or with a disk that fails, no entry can be sent. A missing file never comes back.
        case .file where (error.cause as? FileError)?.isMissing == false:
            return postponeWithoutAttempt(facts, error.message)
        case .circuitOpen, .rateLimited, .queueFull:
            return postponeWithoutAttempt(facts, error.message, error.retryAfter)
        case .timeout where error.timeoutPhase == .queue: return postponeWithoutAttempt(facts, error.message)
        case _ where !facts.isConnected: return postponeWithoutAttempt(facts, error.message)
        default: return postpone(facts, .zero, error.message)
        }
    }

    /// Returns the consequence of a refresh that failed, which says nothing about the entry.
    private func verdict(onRefresh error: NetKitError, _ facts: ReplayFacts) -> ReplayVerdict {
        switch error.status?.code {
        case 400?, 401?, 403?: .unauthorized
        case nil where error.code == .unauthorized: .unauthorized
        default: postponeWithoutAttempt(facts, error.message)
        }
    }

    private func verdict(on status: HTTPStatus, _ facts: ReplayFacts, _ most: Duration) -> ReplayVerdict {
        let message = "The server responded with \(status)."
        switch status.code {
        case 200..<300: return .delivered
        case 401: return .unauthorized
        // The server is still carrying out an earlier attempt with the same key. Under a new one, it would carry out
        // the request twice.
        case 409 where facts.headers.contains("Retry-After") && !facts.isConditional:
            return postpone(facts, serverDelay(status, facts, most), message)
        case 409 where facts.mayBeInProgress && !facts.isConditional: return postponeWithoutAttempt(facts, message)
        case 409, 412: return .conflict
        case _ where retryableStatusCodes.contains(status.code), 408, 425, 429, 500...:
            return postpone(facts, serverDelay(status, facts, most), message)
        case 400..<500: return .deadLetter(.refused, message)
        default: return .deadLetter(.redirected, message)
        }
    }

    private func serverDelay(_ status: HTTPStatus, _ facts: ReplayFacts, _ most: Duration) -> Duration {
        min(ServerDelay.read(status: status, headers: facts.headers, now: facts.date) ?? .zero, most)
    }

    /// Returns a postponement that costs no attempt.
    private func postponeWithoutAttempt(_ facts: ReplayFacts, _ message: String, _ asked: Duration? = nil)
        -> ReplayVerdict
    {
        .postponed(max(delay(facts.deferrals + 1, facts), asked ?? .zero), countsAttempt: false, message)
    }

    private func postpone(_ facts: ReplayFacts, _ asked: Duration, _ message: String) -> ReplayVerdict {
        let attempts = facts.retryCount.addingSaturated(1)
        if attempts >= facts.maxAttempts ?? maxAttempts {
            return .deadLetter(.attemptsUsedUp, "\(message) It was attempt \(attempts), the last one allowed.")
        }
        if facts.maxAttempts == nil, let lasting = facts.lastingFailure, lasting.isLong, attempts >= lasting.attempts {
            let reason = "It was attempt \(attempts), and all of them failed; see `maxAttempts` and `minRetryTime`."
            return .deadLetter(.attemptsUsedUp, "\(message) \(reason)")
        }
        return .postponed(max(asked, delay(attempts, facts)), countsAttempt: true, message)
    }

    private func delay(_ attempt: Int, _ facts: ReplayFacts) -> Duration {
        backOff(
            attempt: attempt,
            previous: facts.previousDelay,
            isThrottled: facts.status == .tooManyRequests,
            random: facts.random()
        )
    }
}
