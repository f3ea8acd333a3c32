import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the concurrency limit over real sockets.
@Suite(.needsTheMachine)
struct LimitWireTests {
    @Test(arguments: WireTransport.allCases)
    func noMoreExchangesRunThanAllowed(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("hello").stalling(at: .start))
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 2)
        let client = try wire.client(server.baseURL, limit)
        let calls = (0..<8).map { _ in Task { try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 10) } }
        await server.waitForRequests(2)
        try await waitUntil { limit.waitingCount == 6 }
        #expect(server.requests.count == 2)
        #expect(limit.runningCount == 2)
        server.release()
        for call in calls { #expect(try await call.value == "hello") }
        #expect(server.requests.count == 8)
        #expect(limit.runningCount == 0)
    }

    @Test(arguments: WireTransport.allCases)
    func aPermitIsHeldWhileTheBodyArrives(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/slow", .text("hello").stalling(at: .inBody(after: 2)))
        server.on(.get, "/next", .text("next"))
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let client = try wire.client(server.baseURL, limit)
        let slow = try await client.send(HTTPRequest(.get, "/slow"))
        let next = Task { try await client.send(HTTPRequest(.get, "/next")).body.text(upTo: 10) }
        try await waitUntil { limit.waitingCount == 1 }
        #expect(server.requests.count == 1)
        server.release()
        #expect(try await slow.body.text(upTo: 10) == "hello")
        #expect(try await next.value == "next")
    }

    /// A call may run in its caller's task, which nothing else can cancel, so the limiter has to notice by itself.
    @Test(arguments: WireTransport.allCases)
    func theEndOfACallEndsItsWait(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("hello").stalling(at: .start))
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let rate = RateLimitInterceptor(permits: 2, per: .seconds(10_000), maxWait: .seconds(80_000))
        let client = try wire.client(server.baseURL, limit, rate)
        let first = Task { try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 10) }
        await server.waitForRequests(1)
        let late = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .milliseconds(30)))
        }
        #expect(late?.timeoutPhase == .deadline)
        #expect(late?.outcome == .notSent)
        server.release()
        #expect(try await first.value == "hello")
        _ = try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 10)

        let id = CallID()
        let waiting = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(id: id)) }
        try await waitUntil { rate.waitingCount == 1 }
        #expect(client.cancel(id))
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(rate.waitingCount == 0)
        #expect(limit.runningCount == 0)
    }

    @Test(arguments: WireTransport.allCases)
    func callsThatEndInEveryWayGiveTheirPermitsBack(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/ok", .text("hello"))
        server.on(.get, "/reset", .text("hello").resetting(at: .start))
        server.on(.get, "/cut", .text("hello").bodyCutShort(by: 2))
        server.on(.get, "/stall", .text("hello").stalling(at: .start))
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 3)
        let client = try wire.client(server.baseURL, timeouts: Timeouts(attempt: .milliseconds(50)), limit)
        await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    let path: RequestPath = ["/ok", "/reset", "/cut", "/stall"][number % 4]
                    let response = try? await client.send(HTTPRequest(.get, path))
                    if number % 8 < 4 { _ = try? await response?.body.collect(upTo: 10) }
                }
            }
        }
        // A call may end before its exchange does.
        try await waitUntil { limit.runningCount == 0 }
        #expect(limit.waitingCount == 0)
        #expect(client.activeCallCount == 0)
    }
}
