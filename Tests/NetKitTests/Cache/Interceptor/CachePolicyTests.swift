import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the policies of a call, over a client.
@Suite(.timeLimit(.minutes(5)))
struct CachePolicyTests {
    private let it = CachedClient()

    @Test func noCacheNeitherReadsNorStores() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        #expect(try await it.get(policy: .noCache).text == "1")
        #expect(try await it.get().text == "2")
        #expect(try await it.get(policy: .noCache).text == "3")
        #expect(try await it.get().text == "2")
        #expect(await it.cache.statistics.bypasses == 2)
    }

    @Test func cacheOnlySendsNothing() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60, must-revalidate"]) }
        let absent = await #expect(throws: NetKitError.self) { try await it.get(policy: .cacheOnly) }
        #expect(absent?.code == .cacheMiss && absent?.cause as? CacheMiss == .absent)
        #expect(it.sent == 0)
        _ = try await it.get()
        #expect(try await it.get(policy: .cacheOnly).text == "1")
        // Only the server sends several parts.
        let parts: HTTPHeaders = ["Range": "bytes=0-0,2-2"]
        let unusable = await #expect(throws: NetKitError.self) { try await it.get("/x", parts, policy: .cacheOnly) }
        #expect(unusable?.cause as? CacheMiss == .absent)
        let asked = try await it.get("/x", ["Range": "bytes=0-0,2-2", "Cache-Control": "only-if-cached"])
        #expect(asked.response.status == .gatewayTimeout)
        #expect(asked.response.headers["Cache-Status"] == "NetKit; fwd=request; detail=\"only-if-cached\"")
        it.time.advance(by: .seconds(60))
        let expired = await #expect(throws: NetKitError.self) { try await it.get(policy: .cacheOnly) }
        #expect(expired?.cause as? CacheMiss == .expired)
        for method in [HTTPMethod.options, .post, .delete] {
            await #expect(throws: NetKitError.self) { try await it.get(method: method, policy: .cacheOnly) }
        }
        #expect(it.sent == 1)
    }

    @Test func cacheFirstUsesAStoredResponse() async throws {
        it.respond { number, _ in .text("\(number)") }
        let policy = CachePolicy.cacheFirst.lasting(.seconds(30))
        #expect(try await it.get(policy: policy).text == "1")
        it.time.advance(by: .seconds(29))
        #expect(try await it.get(policy: policy).text == "1")
        it.time.advance(by: .seconds(1))
        #expect(try await it.get(policy: policy).text == "2")
    }

    @Test func networkFirstFallsBackOnAStoredResponse() async throws {
        it.transport.stub(
            .get,
            "/x",
            .text("1"),
            .status(503),
            .failure(URLError(.cannotConnectToHost)),
            .text("2"),
            .status(404)
        )
        #expect(try await it.get(policy: .networkFirst).text == "1")
        it.time.advance(by: .seconds(9e5))
        let error = try await it.get(policy: .networkFirst)
        #expect(error.text == "1" && error.response.status == .ok)
        let status = error.response.headers["Cache-Status"]
        #expect(status?.hasPrefix("NetKit; fwd=stale; fwd-status=503; ttl=-") == true)
        let unreached = try await it.get(policy: .networkFirst)
        #expect(unreached.text == "1")
        #expect(unreached.response.headers["Cache-Status"]?.hasPrefix("NetKit; hit; ttl=-") == true)
        #expect(try await it.get(policy: .networkFirst).text == "2")
        #expect(try await it.get(policy: .networkFirst).response.status == .notFound)
        #expect(await it.cache.statistics.staleHits == 2)
    }

    @Test func reloadGoesOutAndStores() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60", "ETag": "\"1\""]) }
        _ = try await it.get()
        #expect(try await it.get(policy: .reload).text == "2")
        #expect(it.transport.requests.last?.headers["If-None-Match"] == nil)
        #expect(try await it.get().text == "2")
    }

    @Test func aTTLAppliesOnlyIfTheServerStatesNoLifetime() async throws {
        it.respond { number, _ in .text("\(number)") }
        let policy = CachePolicy.standard.lasting(.seconds(30))
        _ = try await it.get(policy: policy)
        #expect(try await it.get(policy: policy).text == "1")
        // The lifetime that a call gave stays with the response.
        #expect(try await it.get().text == "1")
        it.time.advance(by: .seconds(30))
        #expect(try await it.get().text == "2")
    }

    @Test func thePolicyOfTheInterceptorIsForCallsThatNameNone() async throws {
        let it = CachedClient(policy: .noCache)
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        _ = try await it.get()
        #expect(try await it.get().text == "2")
        _ = try await it.get(policy: .standard)
        #expect(try await it.get(policy: .standard).text == "3")
    }

    /// RFC 5861, section 3.
    @Test func aStaleResponseIsRefreshedOnceForAll() async throws {
        let it = it
        let control = "max-age=10, stale-while-revalidate=60"
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", control),
            .text("2").header("Cache-Control", control).delayed(by: .seconds(5))
        )
        _ = try await it.get()
        it.time.advance(by: .seconds(20))
        for _ in 0..<10 { #expect(try await it.get().text == "1") }
        await it.time.waitForSleepers(1)
        it.time.advance(by: .seconds(5))
        await it.cache.waitForRefreshes()
        #expect(try await it.get().text == "2")
        #expect(it.sent == 2)
        #expect(await it.cache.statistics.staleHits == 10)
    }

    /// Begins a refresh that takes five seconds with a call that has one.
    private func expectRefreshAfterDeadline(_ it: CachedClient) async throws {
        _ = try await it.get()
        it.time.advance(by: .seconds(20))
        let options = CallOptions(timeout: .seconds(1))
        let response = try await it.client.send(HTTPRequest(.get, "/x"), options: options)
        #expect(try await response.body.text(upTo: 10) == "1")
        await it.time.waitForSleepers(1)
        it.time.advance(by: .seconds(5))
        await it.cache.waitForRefreshes()
        #expect(try await it.get().text == "2")
    }

    @Test func aRefreshOutlivesTheDeadlineOfTheCallThatBeganIt() async throws {
        let it = it
        let control = "max-age=10, stale-while-revalidate=60"
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", control),
            .text("2").header("Cache-Control", control).delayed(by: .seconds(5))
        )
        try await expectRefreshAfterDeadline(it)
    }

    /// Returns a client whose refresh the server refuses once.
    private func clientWithRetriedRefresh(_ others: any Interceptor...) -> CachedClient {
        let it = CachedClient(others: [RetryInterceptor(.standard)] + others)
        let control = "max-age=10, stale-while-revalidate=60"
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", control),
            .status(503).header("Retry-After", "5"),
            .text("2").header("Cache-Control", control)
        )
        return it
    }

    @Test func aRefreshIsRetriedPastTheDeadlineOfTheCallThatBeganIt() async throws {
        let it = clientWithRetriedRefresh(DeadlineHeaderInterceptor())
        try await expectRefreshAfterDeadline(it)
        #expect(it.transport.requests.map { $0.headers["X-Request-Timeout-Ms"] } == [nil, nil, nil])
    }

    /// The call that began it has ended without an exchange of its own.
    @Test func theExchangesOfARefreshAreNumberedFromOneAndCountForNoCall() async throws {
        let it = clientWithRetriedRefresh()
        let events = it.client.events
        try await expectRefreshAfterDeadline(it)
        await it.client.shutdown()
        var (begun, ended): ([ClientEvent], [ClientEvent]) = ([], [])
        for await event in events {
            if event.kind == .attemptStarted { begun.append(event) }
            if event.kind == .callEnded { ended.append(event) }
        }
        #expect(begun.map(\.attempt) == [1, 1, 2])
        #expect(ended.map(\.attempt) == [1, 0, 0])
        let calls = ended.map(\.callID)
        try #require(calls.count == 3)
        #expect(begun.map(\.callID) == [calls[0], calls[1], calls[1]])
    }

    /// Without a limit for attempts, a server that does not respond would hold the renewal, and so the entry, for ever.
    @Test func aRefreshWithoutLimitsHasTheTimeOfACall() async throws {
        let control = "max-age=10, stale-while-revalidate=600"
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", control),
            .stalled,
            .text("3").header("Cache-Control", control)
        )
        let options = CallOptions(timeouts: Timeouts(idle: nil, attempt: nil, total: .seconds(10)))
        try await expectThatARefreshEnds(options)
        #expect(try await text(options) == "1")
        await it.cache.waitForRefreshes()
        #expect(try await text(options) == "3")
    }

    private func text(_ options: CallOptions) async throws -> String {
        try await it.client.send(HTTPRequest(.get, "/x"), options: options).body.text(upTo: 10)
    }

    /// Stores the first response, and lets the renewal by the second one run out of time.
    private func expectThatARefreshEnds(
        _ options: CallOptions,
        within limit: Duration = .seconds(30)
    ) async throws {
        #expect(try await text(options) == "1")
        it.time.advance(by: .seconds(20))
        #expect(try await text(options) == "1")
        await it.transport.waitForRequests(2)
        // A renewal without a bound would never end.
        let timeToNext = try #require(it.time.timeToNext)
        #expect(timeToNext <= limit)
        it.time.advance(by: limit)
        await it.cache.waitForRefreshes()
        #expect(it.client.activeCallCount == 0)
    }

    /// The limit of an attempt ends with the head of a streamed response.
    @Test(
        arguments: [
            (Timeouts(idle: nil, attempt: .seconds(5), total: .seconds(10)), .seconds(30)),
            (Timeouts.none, .seconds(300)),
        ] as [(Timeouts, Duration)]
    )
    func aRefreshOfAStreamedCallHasTheTimeOfACall(limits: Timeouts, within limit: Duration) async throws {
        it.respond { number, _ in
            let headers: HTTPHeaders = ["Cache-Control": "max-age=10, stale-while-revalidate=600"]
            guard number == 2 else { return .text("\(number)", headers) }
            return HTTPResponse(status: .ok, headers: headers, body: ResponseBody(source: BodyPipe()))
        }
        let options = CallOptions(timeouts: limits, delivery: .streamed)
        try await expectThatARefreshEnds(options, within: limit)
        #expect(try await text(options) == "3")
    }

    /// A renewal has no caller to serve.
    @Test(arguments: [MockResponse.status(503), .failure(URLError(.cannotConnectToHost))])
    func aRefreshThatFailsIsNotAHit(response: MockResponse) async throws {
        let control = "max-age=10, stale-while-revalidate=60, stale-if-error=600"
        it.transport.stub(.get, "/x", .text("1").header("Cache-Control", control), response)
        _ = try await it.get()
        it.time.advance(by: .seconds(20))
        #expect(try await it.get().text == "1")
        await it.cache.waitForRefreshes()
        let statistics = await it.cache.statistics
        #expect(statistics.hits == 1 && statistics.staleHits == 1 && statistics.misses == 1)
        #expect(it.sent == 2)
    }

    @Test func aRefreshThatIsConfirmedReadsNoBody() async throws {
        let opened = Notebook<String>()
        var store = AnyCacheStore(MemoryCacheStore())
        store.onOpen = { opened.add("opened") }
        let it = CachedClient(store)
        let control = "max-age=10, stale-while-revalidate=60"
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", control).header("ETag", "\"1\""),
            .status(304).header("Cache-Control", control)
        )
        _ = try await it.get()
        it.time.advance(by: .seconds(20))
        #expect(try await it.get().text == "1")
        await it.cache.waitForRefreshes()
        #expect(opened.count == 1)
        let statistics = await it.cache.statistics
        #expect(statistics.revalidations == 1 && statistics.hits == 1)
        #expect(try await it.get().text == "1")
        #expect(it.sent == 2)
    }

    /// RFC 5861, section 4.
    @Test func aStaleResponseReplacesAnErrorIfTheServerAllowsIt() async throws {
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", "max-age=10, stale-if-error=60"),
            .status(502),
            .failure(URLError(.timedOut))
        )
        _ = try await it.get()
        it.time.advance(by: .seconds(20))
        #expect(try await it.get().text == "1")
        #expect(try await it.get().text == "1")
        it.time.advance(by: .seconds(60))
        await #expect(throws: NetKitError.self) { try await it.get() }
    }

    /// RFC 9111, section 4.2.4.
    @Test func aStaleResponseReplacesAnUnreachableServerIfTheClientAllowsIt() async throws {
        let it = CachedClient(servesStaleWhenDisconnected: true)
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", "max-age=10"),
            .failure(URLError(.cannotConnectToHost)),
            .status(503)
        )
        it.transport.stub(
            .get,
            "/strict",
            .text("1").header("Cache-Control", "max-age=10, must-revalidate"),
            .failure(URLError(.cannotConnectToHost))
        )
        _ = try await it.get()
        _ = try await it.get("/strict")
        it.time.advance(by: .seconds(20))
        #expect(try await it.get().text == "1")
        #expect(try await it.get().response.status == .serviceUnavailable)
        await #expect(throws: NetKitError.self) { try await it.get("/strict") }
    }

    @Test func aCancelledCallIsNotAnsweredWithSomethingStale() async throws {
        let it = it
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", "max-age=10, stale-if-error=60"),
            .stalled
        )
        _ = try await it.get()
        it.time.advance(by: .seconds(20))
        let call = Task { try await it.get().text }
        await it.transport.waitForRequests(2)
        call.cancel()
        #expect(await outcome(of: call) == "cancelled")
    }

    /// The call throws, whatever is stored.
    @Test func aCallThatRanOutOfTimeIsNotAHit() async throws {
        let it = it
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", "max-age=10, stale-if-error=600"),
            .stalled
        )
        _ = try await it.get()
        it.time.advance(by: .seconds(20))
        let options = CallOptions(timeout: .seconds(5))
        let call = Task { try await it.client.send(HTTPRequest(.get, "/x"), options: options) }
        await it.transport.waitForRequests(2)
        it.time.advance(by: .seconds(5))
        #expect(await outcome(of: call) == "timeout")
        #expect(await it.cache.statistics.hits == 0)
    }

    /// A renewal in the background is a call of the client's, so a shutdown waits for it, and ends it.
    @Test func aShutdownEndsARenewal() async throws {
        let it = CachedClient()
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", "max-age=1, stale-while-revalidate=60"),
            .stalled
        )
        _ = try await it.get()
        it.time.advance(by: .seconds(2))
        #expect(try await it.get().text == "1")
        await it.transport.waitForRequests(2)
        #expect(it.client.activeCallCount == 1)
        let shutdown = Task { await it.client.shutdown(within: .seconds(5)) }
        // The other alarm is that of the renewal.
        await it.time.waitForAlarms(2)
        it.time.advance(by: .seconds(5))
        #expect(await !shutdown.value)
        try await waitUntil { it.client.activeCallCount == 0 }
        #expect(it.sent == 2)
    }
}
