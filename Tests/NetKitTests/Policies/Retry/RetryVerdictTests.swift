import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the decision of a policy about one failed attempt, without anything that runs.
struct RetryVerdictTests {
    private let policy = RetryPolicy(jitter: .none)

    private static func facts(
        _ method: HTTPMethod = .get,
        status: HTTPStatus? = nil,
        headers: HTTPHeaders = [:],
        error: any Error = NetKitError(.connectionLost, "lost", outcome: .unknown),
        key: String? = nil,
        body: HTTPBody? = nil,
        attempt: Int = 1
    ) -> AttemptFacts {
        var request = HTTPRequest(method, "https://api.example.com/x", body: body)
        if let key { request.headers["idempotency-key"] = key }
        let result: Result<HTTPResponse, any Error> =
            status.map { .success(HTTPResponse(status: $0, headers: headers)) } ?? .failure(error)
        return AttemptFacts(request: request, attempt: attempt, result: result)
    }

    private static func retry(_ delay: Duration = .milliseconds(500), isThrottled: Bool = false) -> RetryVerdict {
        .retry(after: delay, isThrottled: isThrottled)
    }

    @Test(arguments: 100...599)
    func theListedStatusesAreTriedAgain(code: Int) {
        let verdict = policy.verdict(on: Self.facts(status: HTTPStatus(code)))
        let isListed = [408, 425, 429, 500, 502, 503, 504].contains(code)
        #expect(verdict == (isListed ? Self.retry(isThrottled: code == 429) : .stop(.notRetryable)))
        #expect(policy.concerns(HTTPStatus(code)) == isListed)
    }

    @Test(arguments: 400...599)
    func theSecondInitializerListsEveryServerErrorButTwo(code: Int) {
        let policy = RetryPolicy(maxRetries: 2)
        #expect(policy.concerns(HTTPStatus(code)) == (code == 429 || code >= 500 && code != 501 && code != 505))
    }

    static let codes: [(NetKitError.Code, Bool)] = [
        (.timeout, true), (.offline, true), (.dns, true), (.connect, true), (.connectionLost, true),
        (.invalidResponse, true), (.tls, false), (.decoding, false), (.encoding, false), (.invalidURL, false),
        (.invalidRequest, false), (.invalidConfiguration, false), (.server, false), (.bodyTooLarge, false),
        (.bodyConsumed, false), (.file, false), (.cacheMiss, false), (.conflict, false), (.circuitOpen, false),
        (.rateLimited, false), (.unauthorized, false), (.redirect, false), (.addressRefused, false),
        (.queueFull, false), (.closed, false), (.noStub, false), (.unsupported, false), (.custom, false),
    ]

    @Test(arguments: codes)
    func theListedFailuresAreTriedAgain(code: NetKitError.Code, isRetried: Bool) {
        let verdict = policy.verdict(on: Self.facts(error: NetKitError(code, "failed", outcome: .unknown)))
        #expect(verdict == (isRetried ? Self.retry() : .stop(.notRetryable)))
    }

    @Test(arguments: [NetKitError.Code.tls, .decoding, .encoding, .invalidURL, .closed, .bodyConsumed])
    func noListAndNoClosureRepeatsAFinalError(code: NetKitError.Code) {
        let eager = RetryPolicy(retryableErrorCodes: [code]) { _ in true }
        let error = NetKitError(code, "failed", outcome: .notSent)
        #expect(eager.verdict(on: Self.facts(error: error)) == .stop(.notRetryable))
    }

    @Test func cancellationIsNeverRepeated() {
        let eager = RetryPolicy { _ in true }
        #expect(eager.verdict(on: Self.facts(error: CancellationError())) == .stop(.cancelled))
        #expect(eager.verdict(on: Self.facts(error: URLError(.cancelled))) == .stop(.notRetryable))
    }

    @Test func aDeadlineThatHasPassedIsNoLimitOfAnAttempt() {
        let deadline = NetKitError(.timeout, "late", outcome: .unknown, timeoutPhase: .deadline)
        #expect(policy.verdict(on: Self.facts(error: deadline)) == .stop(.deadline))
        for phase in [NetKitError.TimeoutPhase.connect, .firstByte, .idle, .attempt] {
            let error = NetKitError(.timeout, "late", outcome: .unknown, timeoutPhase: phase)
            #expect(policy.verdict(on: Self.facts(error: error)) == Self.retry())
        }
    }

    @Test func theTimeLimitOfARefreshIsNoDeadlineOfTheCallThatNeedsTheToken() {
        let late = NetKitError(.timeout, "late", timeoutPhase: .deadline).ofRefresh(outcome: .notSent)
        #expect(policy.verdict(on: Self.facts(error: late)) == Self.retry())
        let settings = PayloadSettings()
        let pause = policy.delay(
            afterInterruption: late,
            attempt: 1,
            previous: nil,
            settings: settings,
            deadline: nil
        )
        #expect(pause == .milliseconds(500))
    }

    @Test func aCallThatWaitedTooLongForAPermitIsNotRetried() {
        let late = NetKitError(.timeout, "no permit", outcome: .notSent, timeoutPhase: .queue)
        #expect(policy.verdict(on: Self.facts(error: late)) == .stop(.notRetryable))
        let patient = RetryPolicy(jitter: .none) { $0.error?.timeoutPhase == .queue }
        #expect(patient.verdict(on: Self.facts(error: late)) == Self.retry())
    }

    /// Every number that Foundation may report: failures that a retry cannot fix, and otherwise a lost exchange.
    @Test func ofFoundationsErrorsTheseAreNotTriedAgain() {
        let final: Set<URLError.Code> = [
            .cancelled, .badURL, .unsupportedURL, .secureConnectionFailed, .serverCertificateHasBadDate,
            .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection,
            .dataLengthExceedsMaximum, .httpTooManyRedirects, .redirectToNonExistentLocation,
            .userAuthenticationRequired, .userCancelledAuthentication, .fileDoesNotExist, .fileIsDirectory,
            .noPermissionsToReadFile, .cannotCreateFile, .cannotOpenFile, .cannotWriteToFile, .cannotCloseFile,
            .cannotMoveFile, .cannotRemoveFile,
        ]
        // On Linux, a number that Foundation does not know is not a code.
        for code in (-4000...0).compactMap({ URLError.Code(rawValue: $0) as URLError.Code? }) {
            let isFinal = policy.verdict(on: Self.facts(error: URLError(code))) == .stop(.notRetryable)
            #expect(isFinal == final.contains(code), "\(code)")
        }
    }

    @Test func anErrorOfAnInterceptorIsRetriedOnlyIfThePolicySaysSo() {
        struct Own: Error {}
        #expect(policy.verdict(on: Self.facts(error: Own())) == .stop(.notRetryable))
        let own = RetryPolicy(jitter: .none) { $0.error?.cause is Own }
        #expect(own.verdict(on: Self.facts(error: Own())) == Self.retry())
    }

    @Test(arguments: [
        (HTTPMethod.get, true), (.head, true), (.options, true), (.trace, true), (.query, true), (.put, true),
        (.delete, true), (.post, false), (.patch, false), ("PURGE", false), ("get", false),
    ])
    func onlyIdempotentRequestsAreRepeated(method: HTTPMethod, isRepeated: Bool) {
        let expected = isRepeated ? Self.retry() : .stop(.notIdempotent)
        #expect(policy.verdict(on: Self.facts(method, status: 503)) == expected)
        #expect(policy.verdict(on: Self.facts(method)) == expected)
    }

    @Test func aKeyMakesAPostRepeatable() {
        #expect(policy.verdict(on: Self.facts(.post, status: 503, key: "k")) == Self.retry())
        #expect(policy.verdict(on: Self.facts(.patch, key: "k")) == Self.retry())
        #expect(policy.verdict(on: Self.facts(.post, status: 503, key: "")) == .stop(.notIdempotent))
    }

    @Test func anUnsentRequestMayBeSentAgain() {
        let refused = NetKitError(.connect, "refused", outcome: .notSent)
        #expect(policy.verdict(on: Self.facts(.post, error: refused)) == Self.retry())
        for outcome in [NetKitError.Outcome.unknown, .answered] {
            let error = NetKitError(.connect, "?", outcome: outcome)
            #expect(policy.verdict(on: Self.facts(.post, error: error)) == .stop(.notIdempotent))
            // An interceptor threw, and left the default outcome, but the exchange knows better.
            var facts = Self.facts(.post, error: refused)
            facts.outcome = outcome
            #expect(policy.verdict(on: facts) == .stop(.notIdempotent))
        }
    }

    @Test func methodsCanBeAdded() {
        var policy = RetryPolicy(jitter: .none)
        policy.retryableMethods.insert(.post)
        #expect(policy.verdict(on: Self.facts(.post, status: 503)) == Self.retry())
    }

    @Test func aBodyThatIsReadOnceIsNotSentAgain() {
        let once = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        let again = HTTPBody.replayableStream { AsyncStream<Data> { $0.finish() } }
        #expect(policy.verdict(on: Self.facts(.put, status: 503, body: once)) == .stop(.bodyNotReplayable))
        #expect(policy.verdict(on: Self.facts(.put, status: 503, body: again)) == Self.retry())
        #expect(policy.verdict(on: Self.facts(.put, status: 503, body: .text("x"))) == Self.retry())
    }

    @Test(arguments: [(Int.min, 0), (-1, 0), (0, 0), (1, 0), (2, 1), (3, 2), (10, 9)])
    func thereAreAsManyAttemptsAsThePolicyAllows(maxAttempts: Int, retries: Int) {
        let policy = RetryPolicy(maxAttempts: maxAttempts, jitter: .none)
        for attempt in 1...12 {
            let verdict = policy.verdict(on: Self.facts(status: 503, attempt: attempt))
            #expect((verdict == .stop(.attemptsUsedUp)) == (attempt > retries))
        }
    }

    @Test func theClosureHasTheLastWord() {
        let never = RetryPolicy { _ in false }
        #expect(never.verdict(on: Self.facts(status: 503)) == .stop(.refused))
        #expect(never.verdict(on: Self.facts(status: 404)) == .stop(.notRetryable))
        let conflicts = RetryPolicy(jitter: .none) { $0.isRetryable || $0.status == 409 }
        #expect(conflicts.verdict(on: Self.facts(status: 409)) == Self.retry())
        #expect(conflicts.verdict(on: Self.facts(status: 503)) == Self.retry())
        #expect(conflicts.verdict(on: Self.facts(status: 404)) == .stop(.notRetryable))
        #expect(conflicts.verdict(on: Self.facts(.post, status: 409)) == .stop(.notIdempotent))
        #expect(conflicts.concerns(409))
        #expect(!conflicts.concerns(304))
    }

    @Test func theClosureSeesTheAttempt() {
        let policy = RetryPolicy { candidate in
            candidate.attempt == 2 && candidate.headers["X"] == "1" && candidate.request.method == .put
                && candidate.error == nil && candidate.status == 500
        }
        var facts = Self.facts(.put, status: 500, headers: ["X": "1"], attempt: 2)
        #expect(policy.verdict(on: facts) != .stop(.refused))
        facts.attempt = 1
        #expect(policy.verdict(on: facts) == .stop(.refused))
    }

    @Test(
        arguments: [
            ("0", .milliseconds(500)), ("2", .seconds(2)), ("60", .seconds(60)), ("61", nil),
            ("99999999999999999999", nil),
            ("junk", .milliseconds(500)), ("Thu, 01 Jan 1970 00:00:07 GMT", .seconds(7)),
        ] as [(String, Duration?)]
    )
    func theServersWordCountsUpToTheCap(value: String, delay: Duration?) {
        let verdict = policy.verdict(on: Self.facts(status: 503, headers: ["Retry-After": value]))
        #expect(verdict == (delay.map { Self.retry($0) } ?? .stop(.serverDelayTooLong)))
    }

    @Test(arguments: [(0, .milliseconds(500)), (5, .seconds(5)), (60, .seconds(60)), (61, nil)] as [(Int, Duration?)])
    func thePoliciesOfTheClientAreWaitedForLikeAServer(seconds: Int, delay: Duration?) {
        let policy = RetryPolicy(jitter: .none, retryableErrorCodes: [.circuitOpen])
        let cause = ThrottleInfo(origin: nil, retryAfter: .seconds(seconds))
        let verdict = policy.verdict(on: Self.facts(error: NetKitError(.circuitOpen, "open", cause: cause)))
        #expect(verdict == (delay.map { Self.retry($0) } ?? .stop(.notRetryable)))
    }

    @Test func aTransferWaitsForAPlaceInALineThatIsFull() {
        let full = NetKitError(.queueFull, "full", cause: ThrottleInfo(origin: nil, retryAfter: nil))
        let pause = policy.delay(
            afterInterruption: full,
            attempt: 1,
            previous: nil,
            settings: PayloadSettings(),
            deadline: nil
        )
        #expect(pause == .milliseconds(500))
    }

    @Test func throttlingMayWaitLonger() {
        let policy = RetryPolicy(throttlingBackoffStrategy: .fixed(interval: .seconds(3)), jitter: .none)
        #expect(policy.verdict(on: Self.facts(status: 429)) == Self.retry(.seconds(3), isThrottled: true))
        #expect(policy.verdict(on: Self.facts(status: 503)) == Self.retry())
    }

    @Test(arguments: [(499, true), (500, true), (501, false)])
    func noAttemptBeginsAtOrAfterTheDeadline(milliseconds: Int64, isLate: Bool) {
        var facts = Self.facts(status: 503)
        facts.timeLeft = .milliseconds(milliseconds)
        #expect(policy.verdict(on: facts) == (isLate ? .stop(.deadline) : Self.retry()))
        facts.timeLeft = .seconds(-5)
        #expect(policy.verdict(on: facts) == .stop(.deadline))
    }

    @Test(arguments: [(1499, true), (1500, false), (0, true), (-1, true)])
    func noAttemptBeginsAfterThePolicysTime(milliseconds: Int64, isLate: Bool) {
        var facts = Self.facts(status: 503)
        facts.elapsed = .seconds(1)
        let policy = RetryPolicy(jitter: .none, maxElapsed: .milliseconds(milliseconds))
        #expect(policy.verdict(on: facts) == (isLate ? .stop(.maxElapsed) : Self.retry()))
    }
}
