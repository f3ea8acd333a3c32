import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// The examples of the page on deadlines, compiled and run.
@Suite(.needsTheMachine)
struct DeadlinesGuideTests {
    @Test func bothFormsWork() async throws {
        let deadlines = Notebook<Bool>()
        let transport = MockTransport { _, context in
            deadlines.add(context.deadline != nil)
            return HTTPResponse(status: .ok, body: ResponseBody(Data(#"{"id":42,"name":"Ada"}"#.utf8)))
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport)
        // GUIDE: begin
        let user = try await withDeadline(.seconds(3)) { try await client.send(.user("42")) }
        let report = try await client.send(.report, options: CallOptions(timeout: .seconds(10)))
        // GUIDE: end
        #expect(user.name == "Ada")
        #expect(report.name == "Ada")
        #expect(deadlines.entries == [true, true])
    }

    @Test func theHeaderIsAddedToEachAttempt() {
        // GUIDE: begin
        let telling = DeadlineHeaderInterceptor(name: "X-Request-Timeout-Ms")
        // GUIDE: end
        #expect(telling.stage == .attempt)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Deadlines").shows(#filePath))
    }

    @Test func theFiguresAreTheDefaults() throws {
        let page = try GuidePage("Deadlines").text
        let configuration = HTTPClient.Configuration()
        let timeouts = configuration.timeouts
        #expect(timeouts.attempt == .seconds(30) && page.contains("| `timeouts.attempt` | 30 s |"))
        #expect(timeouts.connect == .seconds(10) && page.contains("| `timeouts.connect` | 10 s |"))
        #expect(timeouts.idle == .seconds(30) && page.contains("| `timeouts.idle` | 30 s |"))
        #expect(timeouts.firstByte == nil && page.contains("| `timeouts.firstByte` | none |"))
        #expect(timeouts.total == nil && page.contains("| `timeouts.total` | none |"))
        #expect(configuration.maxBufferedBytes == 64 << 20 && page.contains("| `maxBufferedBytes` | 64 MiB |"))
        #expect(configuration.payload.maxFileBytes == 1 << 30 && page.contains("| `payload.maxFileBytes` | 1 GiB |"))
        #expect(configuration.maxErrorBodyBytes == 64 << 10 && page.contains("| `maxErrorBodyBytes` | 64 KiB |"))
        #expect(configuration.redirects.maxHops == 20 && page.contains("| `redirects.maxHops` | 20 |"))
        let policy = RetryPolicy.standard
        #expect(policy.maxAttempts == 3 && page.contains("| ``RetryPolicy/maxAttempts`` | 3 |"))
        #expect(policy.maxServerDelay == .seconds(60) && page.contains("| ``RetryPolicy/maxServerDelay`` | 60 s |"))
        #expect(policy.maxElapsed == nil && page.contains("| ``RetryPolicy/maxElapsed`` | none |"))
        let rate = RateLimitInterceptor(permits: 1, per: .seconds(1))
        #expect(rate.maxWait == .seconds(10) && page.contains("| ``RateLimitInterceptor/maxWait`` | 10 s |"))
        let permits = ConcurrencyLimitInterceptor()
        #expect(permits.maxWait == .seconds(30) && page.contains("| ``ConcurrencyLimitInterceptor/maxWait`` | 30 s |"))
        let queue = OfflineQueue.Configuration()
        #expect(queue.timeout == .seconds(120) && page.contains("| ``OfflineQueue/Configuration/timeout`` | 120 s |"))
    }
}

extension Endpoint where Response == User {
    fileprivate static func user(_ id: String) -> Self { .get("/users/\(id)") }
    fileprivate static var report: Self { .get("/report") }
}
