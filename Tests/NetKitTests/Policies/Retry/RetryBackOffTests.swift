import Foundation
import Testing

@testable import NetKit

/// Tests of the waits of everything that repeats an attempt: they are the same by the same policy.
struct RetryBackOffTests {
    enum Place: CaseIterable {
        case call, transfer, entry
    }

    /// A policy, an attempt that has failed, and the wait after it.
    struct Row: Sendable {
        var strategy = BackoffStrategy.exponential(base: .seconds(4), cap: .seconds(10))
        var throttling: BackoffStrategy?
        var jitter = Jitter.none
        var attempt = 3
        var previous: Duration?
        var status: HTTPStatus = 503
        let wait: Duration
    }

    /// The random number of all waits.
    private static let random = RandomSource { 3 << 62 }

    private static let decorrelated = BackoffStrategy.decorrelated(base: .seconds(1), cap: .seconds(20))
    private static let rows = [
        Row(wait: .seconds(10)),
        Row(jitter: .full, wait: .milliseconds(7500)),
        Row(jitter: .proportional(0.5), wait: .seconds(10)),
        Row(jitter: .additive(upTo: .seconds(8)), wait: .seconds(10)),
        Row(jitter: .additive(upTo: .seconds(4)), attempt: 1, wait: .seconds(7)),
        Row(strategy: decorrelated, jitter: .full, attempt: 1, wait: .milliseconds(2500)),
        Row(strategy: decorrelated, jitter: .full, previous: .seconds(4), wait: .milliseconds(9250)),
        Row(strategy: decorrelated, jitter: .additive(upTo: .seconds(9)), previous: .seconds(19), wait: .seconds(20)),
        Row(throttling: .fixed(interval: .seconds(30)), wait: .seconds(10)),
        Row(throttling: .fixed(interval: .seconds(30)), status: 429, wait: .seconds(30)),
    ]

    @Test(arguments: Place.allCases, rows)
    func everyPlaceWaitsAsThePolicySays(_ place: Place, _ row: Row) {
        let policy = RetryPolicy(
            maxAttempts: .max,
            backoffStrategy: row.strategy,
            throttlingBackoffStrategy: row.throttling,
            jitter: row.jitter
        )
        #expect(Self.wait(at: place, policy, row) == row.wait)
    }

    private static func wait(at place: Place, _ policy: RetryPolicy, _ row: Row) -> Duration? {
        switch place {
        case .call:
            let facts = AttemptFacts(
                request: HTTPRequest(.get, "/"),
                attempt: row.attempt,
                result: .success(HTTPResponse(status: row.status)),
                previousDelay: row.previous,
                random: random.unitInterval()
            )
            guard case .retry(let delay, _) = policy.verdict(on: facts) else { return nil }
            return delay
        case .transfer:
            let response = NetKitError.Response(status: row.status, headers: [:], body: Data())
            var settings = PayloadSettings()
            settings.random = random
            return policy.delay(
                afterInterruption: NetKitError(.server, "refused", outcome: .answered, response: response),
                attempt: row.attempt,
                previous: row.previous,
                settings: settings,
                deadline: nil
            )
        case .entry:
            let facts = ReplayFacts(
                status: row.status,
                retryCount: row.attempt - 1,
                previousDelay: row.previous,
                random: random.unitInterval
            )
            guard case .postponed(let delay, _, _) = policy.verdict(on: facts, maxServerDelay: .zero) else {
                return nil
            }
            return delay
        }
    }
}
