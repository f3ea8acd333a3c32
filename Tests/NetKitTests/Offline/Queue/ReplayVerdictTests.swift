import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct ReplayVerdictTests {
    private static let policy = RetryPolicy(
        maxAttempts: .max,
        backoffStrategy: .exponential(base: .seconds(1), cap: .seconds(60)),
        jitter: .none
    )

    private func verdict(
        status: HTTPStatus? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        isConditional: Bool = false,
        mayBeInProgress: Bool = false,
        error: (any Error)? = nil,
        retryCount: Int = 0,
        maxAttempts: Int? = nil,
        deferrals: Int = 0,
        isConnected: Bool = true,
        hasIdentity: Bool = true
    ) -> ReplayVerdict {
        let facts = ReplayFacts(
            status: status,
            headers: headers,
            isConditional: isConditional,
            mayBeInProgress: mayBeInProgress,
            error: error,
            retryCount: retryCount,
            maxAttempts: maxAttempts,
            deferrals: deferrals,
            isConnected: isConnected,
            hasIdentity: hasIdentity
        )
        return Self.policy.verdict(on: facts, maxServerDelay: .seconds(100))
    }

    /// The response of a token server is not a response to the entry.
    @Test(
        arguments: [
            (400, .unauthorized), (401, .unauthorized), (403, .unauthorized),
            (409, .postponed(.seconds(1), countsAttempt: false, "no token")),
            (503, .postponed(.seconds(1), countsAttempt: false, "no token")),
        ] as [(HTTPStatus, ReplayVerdict)]
    )
    func aRefreshThatFailedCostsNoAttempt(status: HTTPStatus, expected: ReplayVerdict) {
        let response = NetKitError.Response(status: status, headers: [:], body: Data())
        let error = NetKitError(.server, "no token", response: response).ofRefresh(outcome: .answered)
        #expect(verdict(error: error) == expected)
    }

    /// An entry of no identity is not sent again at once: the login may end in each of its attempts.
    @Test func onlyAnEntryWithAnIdentityWaitsForOne() {
        let unsent = IdentityChange.error(outcome: .notSent)
        let postponed = ReplayVerdict.postponed(.seconds(1), countsAttempt: false, unsent.message)
        #expect(verdict(error: unsent) == .waitsForIdentity)
        #expect(verdict(error: unsent, hasIdentity: false) == postponed)
        #expect(verdict(error: IdentityChange.error(outcome: .answered)) == postponed)
    }

    /// An earlier exchange, such as one that was redirected, may have had its effect.
    @Test(arguments: [NetKitError.Code.offline, .circuitOpen, .rateLimited, .connect])
    func aFailureAfterAnExchangeCountsAsAnAttempt(code: NetKitError.Code) {
        for (outcome, counts) in [(NetKitError.Outcome.answered, true), (.unknown, true), (.notSent, code == .connect)]
        {
            let error = NetKitError(code, "x", outcome: outcome)
            #expect(verdict(error: error) == .postponed(.seconds(1), countsAttempt: counts, "x"))
        }
    }

    @Test(arguments: [200, 201, 204, 299] as [HTTPStatus])
    func successIsDelivered(status: HTTPStatus) {
        #expect(verdict(status: status) == .delivered)
    }

    @Test(arguments: [300, 304, 307] as [HTTPStatus])
    func aRedirectThatIsLeftIsGivenUp(status: HTTPStatus) {
        #expect(verdict(status: status) == .deadLetter(.redirected, "The server responded with \(status)."))
    }

    @Test(arguments: [400, 402, 403, 404, 405, 410, 413, 422, 451] as [HTTPStatus])
    func aRefusalIsGivenUp(status: HTTPStatus) {
        #expect(verdict(status: status) == .deadLetter(.refused, "The server responded with \(status)."))
    }

    @Test(arguments: [408, 425, 429, 500, 501, 502, 503, 504, 599] as [HTTPStatus])
    func aTransientFailureIsTriedAgain(status: HTTPStatus) {
        #expect(
            verdict(status: status)
                == .postponed(.seconds(1), countsAttempt: true, "The server responded with \(status).")
        )
    }

    @Test func theServersDelayCountsWithinItsBound() {
        func wait(_ status: HTTPStatus, _ delay: String) -> Duration? {
            let verdict = verdict(status: status, headers: ["Retry-After": delay])
            return if case .postponed(let wait, _, _) = verdict { wait } else { nil }
        }
        #expect(wait(503, "30") == .seconds(30))
        #expect(wait(429, "9999") == .seconds(100))
    }

    @Test(arguments: [409, 412] as [HTTPStatus])
    func anotherVersionIsAConflict(status: HTTPStatus) {
        #expect(verdict(status: status) == .conflict)
    }

    /// With a condition, a 409 is about the version, whatever its other fields say.
    @Test func aRequestThatIsStillCarriedOutIsNotAConflict() {
        let message = "The server responded with \(HTTPStatus.conflict)."
        let later: HTTPHeaders = ["Retry-After": "30"]
        let postponed = ReplayVerdict.postponed(.seconds(30), countsAttempt: true, message)
        #expect(verdict(status: 409, headers: later) == postponed)
        #expect(verdict(status: 409, headers: later, isConditional: true) == .conflict)
        #expect(verdict(status: 412, headers: later) == .conflict)
        let limit: HTTPHeaders = ["RateLimit-Remaining": "0", "RateLimit-Reset": "30"]
        #expect(verdict(status: 409, headers: limit) == .conflict)
    }

    /// The draft of the field `Idempotency-Key` names the status, and no `Retry-After`.
    @Test func anEarlierAttemptThatMayBeCarriedOutIsNotAConflict() {
        let message = "The server responded with \(HTTPStatus.conflict)."
        let postponed = ReplayVerdict.postponed(.seconds(1), countsAttempt: false, message)
        #expect(verdict(status: 409, mayBeInProgress: true) == postponed)
        #expect(verdict(status: 409, mayBeInProgress: true, retryCount: 5, maxAttempts: 6) == postponed)
        #expect(verdict(status: 409, isConditional: true, mayBeInProgress: true) == .conflict)
        #expect(verdict(status: 412, mayBeInProgress: true) == .conflict)
    }

    @Test func aRefusedCredentialHoldsTheLaneUp() {
        #expect(verdict(status: 401) == .unauthorized)
        #expect(verdict(error: NetKitError(.unauthorized, "", outcome: .answered)) == .unauthorized)
    }

    @Test(
        arguments: [.timeout, .connectionLost, .dns, .connect, .tls, .invalidResponse, .custom] as [NetKitError.Code]
    )
    func aFailedExchangeIsTriedAgain(code: NetKitError.Code) {
        let error = NetKitError(code, "failed", outcome: .unknown)
        #expect(verdict(error: error) == .postponed(.seconds(1), countsAttempt: true, "failed"))
    }

    @Test(arguments: [
        NetKitError(.offline, "no"), NetKitError(.circuitOpen, "no"), NetKitError(.rateLimited, "no"),
        NetKitError(.queueFull, "no"), NetKitError(.timeout, "no", timeoutPhase: .queue),
    ])
    func anEntryThatWasNeverSentCostsNoAttempt(error: NetKitError) {
        let verdict = verdict(error: error, retryCount: 1, maxAttempts: 2, deferrals: 2)
        #expect(verdict == .postponed(.seconds(4), countsAttempt: false, "no"))
    }

    /// A missing file stays missing, unlike a disk that fails or a process without descriptors.
    @Test(arguments: [(EMFILE, false), (ENFILE, false), (EIO, false), (ENOENT, true)] as [(Int32, Bool)])
    func aFileThatCannotBeOpenedNowCostsNoAttempt(code: Int32, counts: Bool) {
        let cause = FileError(operation: "open", path: "/a", code: code, reason: "x")
        let unsent = NetKitError(.file, "no", cause: cause)
        #expect(verdict(error: unsent) == .postponed(.seconds(1), countsAttempt: counts, "no"))
        let broken = unsent.with(outcome: .unknown)
        #expect(verdict(error: broken) == .postponed(.seconds(1), countsAttempt: true, "no"))
    }

    @Test func whileTheMonitorSaysOfflineNoNameAndNoConnectionCostsAnAttempt() {
        let error = NetKitError(.dns, "no")
        #expect(verdict(error: error, isConnected: false) == .postponed(.seconds(1), countsAttempt: false, "no"))
        #expect(verdict(error: error, isConnected: true) == .postponed(.seconds(1), countsAttempt: true, "no"))
    }

    @Test(arguments: [.invalidURL, .invalidRequest, .encoding, .unsupported, .addressRefused] as [NetKitError.Code])
    func anEntryThatCannotBeSentIsGivenUp(code: NetKitError.Code) {
        #expect(verdict(error: NetKitError(code, "no")) == .deadLetter(.notSendable, "no"))
    }

    @Test func attemptsAreUsedUp() {
        #expect(
            verdict(status: 503, retryCount: 1, maxAttempts: 3) != verdict(status: 503, retryCount: 2, maxAttempts: 3)
        )
        guard case .deadLetter(let reason, _) = verdict(status: 503, retryCount: 2, maxAttempts: 3) else {
            Issue.record("it was tried again")
            return
        }
        #expect(reason == .attemptsUsedUp)
    }

    @Test func aCancelledAttemptDoesNotCount() {
        #expect(verdict(error: CancellationError()) == .cancelled)
        #expect(verdict(error: NetKitError(.closed, "")) == .cancelled)
    }

    /// Some servers say 404 while an entity is being created.
    @Test func furtherStatusesOfThePolicyAreTriedAgain() {
        var policy = Self.policy
        policy.retryableStatusCodes.insert(404)
        let verdict = policy.verdict(on: ReplayFacts(status: 404), maxServerDelay: .zero)
        let message = "The server responded with \(HTTPStatus(404))."
        #expect(verdict == .postponed(.seconds(1), countsAttempt: true, message))
    }

    @Test(arguments: [(429, .seconds(7)), (503, .seconds(1))] as [(HTTPStatus, Duration)])
    func throttlingHasItsOwnWaits(status: HTTPStatus, wait: Duration) {
        var policy = Self.policy
        policy.throttlingBackoffStrategy = .fixed(interval: .seconds(7))
        let verdict = policy.verdict(on: ReplayFacts(status: status), maxServerDelay: .zero)
        #expect(verdict == .postponed(wait, countsAttempt: true, "The server responded with \(status)."))
    }

    /// An attempt before the end of the break would be refused again.
    @Test(arguments: [NetKitError.Code.circuitOpen, .rateLimited])
    func theTimeOfARefusalIsWaitedFor(code: NetKitError.Code) {
        let cause = ThrottleInfo(origin: nil, retryAfter: .seconds(30))
        let verdict = verdict(error: NetKitError(code, "no", cause: cause))
        #expect(verdict == .postponed(.seconds(30), countsAttempt: false, "no"))
    }

    @Test func theBoundForLongFailuresIsForEntriesWithoutTheirOwn() {
        func isGivenUp(after attempts: Int, isLong: Bool = true, maxAttempts: Int? = nil) -> Bool {
            let facts = ReplayFacts(
                status: 503,
                retryCount: attempts - 1,
                maxAttempts: maxAttempts,
                lastingFailure: (attempts: 5, isLong: isLong)
            )
            if case .deadLetter = Self.policy.verdict(on: facts, maxServerDelay: .zero) { return true }
            return false
        }
        #expect(!isGivenUp(after: 4) && isGivenUp(after: 5) && isGivenUp(after: 6))
        #expect(!isGivenUp(after: 6, isLong: false))
        #expect(!isGivenUp(after: 6, maxAttempts: 7) && isGivenUp(after: 7, maxAttempts: 7))
    }

    /// An interceptor of the client may throw for them.
    @Test(arguments: [401, 409, 412, 422, 503] as [HTTPStatus])
    func aStatusThatIsThrownCountsLikeOneThatIsReturned(status: HTTPStatus) {
        let headers: HTTPHeaders = ["Retry-After": "30"]
        let response = NetKitError.Response(status: status, headers: headers, body: Data())
        let error = NetKitError(.server, "x", outcome: .answered, response: response)
        #expect(verdict(error: error) == verdict(status: status, headers: headers))
    }
}
