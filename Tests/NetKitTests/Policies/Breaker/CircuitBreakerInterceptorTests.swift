import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CircuitBreakerInterceptorTests {
    private let time = TestClock()
    private let transport = MockTransport()
    private let breaker = CircuitBreakerInterceptor(CircuitBreakerPolicy(minThroughput: 3))
    private let client: HTTPClient

    init() {
        client = .testing(transport, breaker, time: time)
        transport.stub(.get, "/ok", .status(200))
        transport.stub(.get, "/bad", .status(503))
        transport.stub(.get, "/lost", .failure(NetKitError(.connectionLost, "gone", outcome: .unknown)))
        transport.stub(.get, "/parked", .stalled)
    }

    private var origin: Origin? { exampleBase.flatMap { Origin($0) } }

    private func get(_ path: RequestPath) async -> NetKitError.Code? {
        do {
            _ = try await client.send(HTTPRequest(.get, path))
            return nil
        } catch {
            return (error as? NetKitError)?.code
        }
    }

    private func open() async {
        for _ in 0..<3 { _ = await get("/bad") }
    }

    @Test func failsFastWhileTheServerFails() async throws {
        await open()
        time.advance(by: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/ok")) }
        #expect(error?.code == .circuitOpen)
        #expect(error?.outcome == .notSent)
        #expect(error?.retryAfter == .seconds(4))
        #expect((error?.cause as? ThrottleInfo)?.origin == origin)
        #expect(error?.message.contains("open for another 4 s, because 3 of 3 exchanges failed") == true)
        #expect(transport.requests.count == 3)
    }

    @Test func theErrorAfterAFailedProbeNamesTheProbe() async throws {
        await open()
        time.advance(by: .seconds(5))
        #expect(await get("/bad") == nil)
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/ok")) }
        #expect(error?.message.contains("open for another 10 s, because a probe failed.") == true)
    }

    @Test func aProbeClosesTheCircuit() async throws {
        await open()
        time.advance(by: .seconds(5))
        #expect(await get("/ok") == nil)
        #expect(await get("/ok") == nil)
        #expect(breaker.troubled == [:])
    }

    @Test func eachCopyOfAHedgedCallCountsWithItsOwnTime() async throws {
        let breaker = CircuitBreakerInterceptor(CircuitBreakerPolicy(minThroughput: 1))
        let hedging = HedgeInterceptor(after: .fixed(.seconds(2)))
        let client = HTTPClient.testing(transport, hedging, breaker, time: time)
        let call = Task {
            try await client.send(HTTPRequest(.get, "/parked"), options: CallOptions(timeout: .milliseconds(2500)))
        }
        await time.waitForAlarms(2)
        time.advance(by: .seconds(2))
        await transport.waitForRequests(2)
        time.advance(by: .milliseconds(500))
        #expect(await outcome(of: call) == "timeout")
        try await waitUntil { !breaker.troubled.isEmpty }
    }

    /// The first exchange was answered, and nothing of the second one was sent.
    @Test func anExchangeThatOnlyConnectedIsNotAFailure() async throws {
        let breaker = CircuitBreakerInterceptor(CircuitBreakerPolicy(minThroughput: 1))
        let count = Locked(0)
        let transport = ScriptedTransport { _, context in
            let number = count.increment()
            guard number > 1 else { return HTTPResponse(status: 429, headers: ["Retry-After": "1"]) }
            context.attempt.noteConnecting()
            try await context.clock.sleep(for: .seconds(60))
            return HTTPResponse(status: 200)
        }
        let client = HTTPClient.testing(transport, RetryInterceptor(.standard), breaker, time: time)
        let call = Task {
            try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .seconds(3)))
        }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        try await waitUntil { count.withLock { $0 } == 2 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(2))
        #expect(await outcome(of: call) == "timeout")
        #expect(breaker.troubled.isEmpty)
    }

    /// The server is healthy, and only one call at a time may ask it.
    @Test func theWaitForAPermitIsNotTheServersTime() async throws {
        let breaker = CircuitBreakerInterceptor(CircuitBreakerPolicy(minThroughput: 1))
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let client = HTTPClient.testing(transport, breaker, limit, time: time)
        transport.stub(.get, "/slow", .text("ok").delayed(by: .milliseconds(1900)))
        let first = Task { try await client.send(HTTPRequest(.get, "/slow")) }
        await time.waitForSleepers(1)
        let options = CallOptions(timeout: .seconds(2))
        let second = Task { try await client.send(HTTPRequest(.get, "/slow"), options: options) }
        await time.waitForAlarms(2)
        time.advance(by: .milliseconds(1900))
        _ = try await first.value
        await transport.waitForRequests(2)
        time.advance(by: .milliseconds(100))
        let error = await #expect(throws: NetKitError.self) { try await second.value }
        #expect(error?.code == .timeout)
        #expect(breaker.troubled.isEmpty)
    }

    @Test func oneProbeAtATime() async throws {
        await open()
        time.advance(by: .seconds(5))
        let client = client
        let probe = Task { try await client.send(HTTPRequest(.get, "/parked")) }
        await transport.waitForRequests(4)
        #expect(await get("/ok") == .circuitOpen)
        transport.release()
        _ = try await probe.value
        #expect(await get("/ok") == nil)
    }

    @Test func aProbeThatIsCancelledMakesRoomForAnother() async throws {
        await open()
        time.advance(by: .seconds(5))
        let client = client
        let probe = Task { try await client.send(HTTPRequest(.get, "/parked")) }
        await transport.waitForRequests(4)
        probe.cancel()
        #expect(await outcome(of: probe) == "cancelled")
        #expect(await get("/ok") == nil)
    }

    @Test func errorsOfTheWireCountAndThoseOfThisSideDoNot() async throws {
        let client = HTTPClient.testing(
            transport,
            breaker,
            StagedInterceptor(.limit) { request, context, next in
                if request.headers.contains("X-Refuse") { throw NetKitError(.rateLimited, "no") }
                return try await next(request, context)
            },
            time: time
        )
        for _ in 0..<10 {
            _ = try? await client.send(HTTPRequest(.get, "/ok", headers: ["X-Refuse": "1"]))
        }
        #expect(breaker.troubled == [:])
        for _ in 0..<3 { _ = try? await client.send(HTTPRequest(.get, "/lost")) }
        #expect(breaker.troubled.values.map(\.description) == ["open"])
    }

    @Test func cancelledCallsDoNotCount() async throws {
        let client = client
        for count in 1...5 {
            let task = Task { try await client.send(HTTPRequest(.get, "/parked")) }
            await transport.waitForRequests(count)
            task.cancel()
            #expect(await outcome(of: task) == "cancelled")
        }
        #expect(breaker.troubled == [:])
    }

    @Test func deadlinesCountIfTheServerHadTimeToRespond() async throws {
        let client = client
        for (count, seconds) in [(1, 2), (2, 2), (3, 2)] {
            let options = CallOptions(timeout: .seconds(seconds))
            let task = Task { try await client.send(HTTPRequest(.get, "/parked"), options: options) }
            await transport.waitForRequests(count)
            time.advance(by: .seconds(seconds))
            #expect(await outcome(of: task) == "timeout")
        }
        try await waitUntil { breaker.troubled.count == 1 }
    }

    @Test func aBodyThatBreaksOffCounts() async throws {
        let lost = NetKitError(.connectionLost, "gone", outcome: .answered)
        transport.stub(.get, "/broken", .stream([Data("a".utf8)], failingWith: lost))
        for _ in 0..<3 {
            let response = try await client.send(HTTPRequest(.get, "/broken"))
            await #expect(throws: NetKitError.self) { try await response.body.collect(upTo: 10) }
        }
        #expect(breaker.troubled.values.map(\.description) == ["open"])
    }

    @Test func aBodyThatItsReaderAbandonsDoesNotCount() async throws {
        transport.stub(.get, "/long", .stream([Data("a".utf8), Data("b".utf8)]))
        for _ in 0..<10 {
            let response = try await client.send(HTTPRequest(.get, "/long"))
            response.body.discard()
        }
        #expect(breaker.troubled == [:])
    }

    @Test func changesAreStreamedInOrder() async throws {
        let changes = breaker.changes
        await open()
        time.advance(by: .seconds(5))
        _ = await get("/ok")
        breaker.isolate(origin)
        breaker.reset()
        var seen: [CircuitState] = []
        for await change in changes.prefix(5) { seen.append(change.to) }
        #expect(seen == [.open, .halfOpen, .closed, .isolated, .closed])
    }

    @Test func isolationHoldsUntilReset() async throws {
        breaker.isolate()
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/ok")) }
        #expect(error?.code == .circuitOpen)
        #expect(error?.retryAfter == nil)
        #expect(error?.message.contains("isolated") == true)
        breaker.reset()
        #expect(await get("/ok") == nil)
        #expect(breaker.state(of: try #require(origin)) == .closed)
    }

    @Test func warningsNameUselessSettings() {
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.attempt = .seconds(60)
        let client = HTTPClient(
            transport: transport,
            interceptors: [
                CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 7)), CircuitBreakerInterceptor(),
            ],
            configuration: configuration
        )
        let warnings = client.warnings.joined(separator: "\n")
        #expect(warnings.contains("failureRatio is 7.0"))
        #expect(warnings.contains("window (30 s) is shorter than timeouts.attempt (60 s)"))
        #expect(warnings.contains("CircuitBreakerInterceptor is in the list 2 times"))
        #expect(client.explain().contains("opens for 5 s at 50% failures of at least 20 in 30 s"))
        #expect(HTTPClient(transport: transport, interceptors: [CircuitBreakerInterceptor()]).warnings == [])
    }
}
