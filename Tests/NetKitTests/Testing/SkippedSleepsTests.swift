import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of a clock that skips sleeps: sleeping tasks continue, and periodic work does not run away.
@Suite(.timeLimit(.minutes(5)))
struct SkippedSleepsTests {
    private let time = TestClock(skipsSleeps: true)
    private let transport = MockTransport()

    @Test func aRateLimitLetsEveryCallThrough() async throws {
        transport.stub(nil, "**", .status(200))
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(1))
        let client = HTTPClient.testing(transport, limit, time: time)
        for _ in 0..<3 { _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()) }
        #expect(time.now == .seconds(2))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()) }
            }
            try await group.waitForAll()
        }
        #expect(time.now == .seconds(6))
        #expect(limit.waitingCount == 0)
    }

    @Test func aRetryAfterADelayIsMadeAtOnce() async throws {
        transport.stub(nil, "**", .status(503).header("Retry-After", "30"), .status(200))
        let client = HTTPClient.testing(transport, RetryInterceptor(RetryPolicy()), time: time)
        #expect(try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()).status == .ok)
        #expect(time.now >= .seconds(30))
    }

    @Test func aHedgeIsSentWhenTheFirstAttemptSkipsItsTime() async throws {
        transport.stub(nil, "**", .text("slow").delayed(by: .seconds(10)))
        let client = HTTPClient.testing(transport, HedgeInterceptor(after: .fixed(.seconds(1))), time: time)
        #expect(try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()).status == .ok)
    }

    @Test func aBreakerThatIsOpenLetsRetriesThroughAfterItsTime() async throws {
        let failing = MockTransport { _, _ in throw NetKitError(.connect, "refused") }
        let policy = RetryPolicy(maxAttempts: 6, backoffStrategy: .fixed(interval: .seconds(10)), jitter: .none)
        let client = HTTPClient.testing(failing, CircuitBreakerInterceptor(), RetryInterceptor(policy), time: time)
        for _ in 0..<10 { _ = try? await client.send(HTTPRequest(.get, "/x"), options: CallOptions()) }
        #expect(failing.requests.count > 20)
    }
}
