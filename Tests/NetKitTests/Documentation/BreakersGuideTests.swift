import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The code on the page "Breakers, limits and hedging", compiled and run, and its figures.
@Suite(.needsTheMachine)
struct BreakersGuideTests {
    private let monitor = ManualNetworkMonitor(isConnected: true)

    @Test func theListIsInOrderAndMakesSense() {
        // GUIDE: begin
        let breaker = CircuitBreakerInterceptor()
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            interceptors: .standard + [
                breaker,
                ConcurrencyLimitInterceptor(maxPerHost: 16),
                RateLimitInterceptor(permits: 50, per: .seconds(1)),
                HedgeInterceptor(after: .percentile(0.95)),
                CoalesceInterceptor(),
                ConnectivityInterceptor(monitor, .wait(upTo: .seconds(30))),
            ]
        )
        // GUIDE: end
        #expect(client.warnings == [])
        let stages = client.pipeline.interceptors.map(\.stage)
        #expect(stages == stages.sorted())
        #expect(Set(stages).isSuperset(of: [.offline, .coalesce, .retry, .breaker, .limit]))
    }

    @Test func changesAreReadAsShown() async {
        func watch(_ breaker: CircuitBreakerInterceptor) async {
            // GUIDE: begin
            for await change in breaker.changes {
                print("\(change.origin?.description ?? "every server") is \(change.to)")
            }
            // GUIDE: end
        }
        let breaker = CircuitBreakerInterceptor()
        let watching = Task { await watch(breaker) }
        watching.cancel()
        await watching.value
    }

    @Test func aSharedLimitIsMadeAsShown() {
        let rate = InMemorySharedRate().replica()
        let limit =
            // GUIDE: begin
            RateLimitInterceptor(permits: 100, per: .seconds(1), shared: rate)
        // GUIDE: end
        #expect(limit.burst == 100)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Breakers-And-Limits").shows(#filePath))
    }

    @Test func theFiguresAreTheDefaults() throws {
        let page = try GuidePage("Breakers-And-Limits").text
        let policy = CircuitBreakerPolicy.standard
        #expect(policy.failureRatio == 0.5 && policy.window == .seconds(30) && policy.minThroughput == 20)
        #expect(
            page.contains("at least half of the exchanges of the last 30 seconds failed, and there were at least 20")
        )
        #expect(policy.breakDuration == .seconds(5) && policy.maxBreakDuration == .seconds(60))
        #expect(page.contains("After 5 seconds") && page.contains("up to a minute"))
        #expect(RateLimitInterceptor(permits: 1, per: .seconds(1)).maxWait == .seconds(10))
        #expect(page.contains("up to 10 seconds"))
        #expect(ConcurrencyLimitInterceptor().headStart == .seconds(1))
        let hedge = HedgeInterceptor()
        #expect(hedge.maxShare == 0.05 && hedge.maxConsecutive == 10)
        #expect(page.contains("At most 5% of calls are hedged in the long run, and 10 in a row"))
    }
}
