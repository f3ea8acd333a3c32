import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClientEventsTests {
    /// A client over a mock whose clock a test moves.
    private struct Setup {
        let time = TestClock()
        let transport: MockTransport
        let client: HTTPClient

        init(_ interceptors: InterceptorList = [], transport: MockTransport = MockTransport()) {
            self.transport = transport
            var configuration = HTTPClient.Configuration()
            configuration.clock = time.clock
            client = HTTPClient(
                baseURL: exampleBase,
                transport: transport,
                interceptors: interceptors,
                configuration: configuration
            )
        }

        /// The events that a listener gets from before an action until the client is shut down.
        func heard(capacity: Int = 1024, during action: (HTTPClient) async throws -> Void) async rethrows
            -> [ClientEvent]
        {
            let events = client.bufferedEvents(maxEvents: capacity)
            try await action(client)
            await client.shutdown()
            var heard: [ClientEvent] = []
            for await event in events { heard.append(event) }
            return heard
        }
    }

    /// The options of one call, each with a name of its own.
    private static var buffered: CallOptions { CallOptions(delivery: .buffered(upTo: 1000)) }

    @Test func aCallAndItsAttemptsAreReportedFromStartToEnd() async throws {
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .zero), jitter: .none)
        let setup = Setup([RetryInterceptor(policy)])
        setup.transport.stub(.get, "/users/42", .status(503), .text("hello"))
        let events = await setup.heard { client in
            let id = 42
            _ = try? await client.send(HTTPRequest(.get, "/users/\(id)?token=s3cret"), options: Self.buffered)
        }
        let line = "GET https://api.example.com/v1/users/42?token=***"
        #expect(
            events.map(\.description) == [
                "call started \(line)",
                "attempt started \(line) attempt 1",
                "attempt ended \(line) attempt 1 -> 503 in 0 µs 0 bytes",
                "retry \(line) attempt 1 -> 503 in 0 µs again in 0 µs (status 503)",
                "attempt started \(line) attempt 2",
                "attempt ended \(line) attempt 2 -> 200 in 0 µs 5 bytes",
                "call ended \(line) attempt 2 -> 200 in 0 µs 5 bytes",
            ]
        )
        #expect(events.allSatisfy { $0.template == "/users/{}" && $0.origin?.host == "api.example.com" })
        #expect(Set(events.map(\.callID)).count == 1)
    }

    @Test func theReasonForNoRetryIsReported() async throws {
        let setup = Setup([RetryInterceptor()])
        setup.transport.stub(.post, "/orders", .status(503))
        let events = await setup.heard { client in _ = try? await client.send(HTTPRequest(.post, "/orders")) }
        let retry = try #require(events.first { $0.kind == .retry })
        #expect(retry.delay == nil)
        #expect(retry.detail == RetryStop.notIdempotent.description)
    }

    @Test(arguments: [false, true])
    func thePartsOfAnExchangeComeWithTheirTimes(isReused: Bool) async throws {
        var timings = ExchangeTimings()
        timings.nameResolved = .milliseconds(1)
        timings.connected = .milliseconds(2)
        timings.secured = .milliseconds(5)
        timings.firstByte = .milliseconds(9)
        timings.reusedConnection = isReused
        let known = timings
        let setup = Setup(transport: MockTransport { _, _ in HTTPResponse(status: .ok, timings: known) })
        let start = setup.time.clock.now
        let events = await setup.heard { client in _ = try? await client.send(HTTPRequest(.get, "/x")) }
        let parts = events.filter { $0.attempt == 1 && $0.kind != .callEnded }.map { event in
            "\(event.kind) \(start.duration(to: event.instant).shortText)"
        }
        let fresh = isReused ? [] : ["name resolved 1 ms", "connected 2 ms", "secured 5 ms"]
        #expect(parts == ["attempt started 0 µs"] + fresh + ["first byte 9 ms", "attempt ended 0 µs"])
        #expect(events.first { $0.kind == .attemptEnded }?.timings?.firstByte == .milliseconds(9))
    }

    @Test func theProgressOfAFailedExchangeIsReportedToo() async throws {
        var timings = ExchangeTimings()
        timings.nameResolved = .milliseconds(3)
        let error = NetKitError(.connect, "Refused.", timings: timings)
        let setup = Setup(transport: MockTransport { _, _ in throw error })
        let events = await setup.heard { client in _ = try? await client.send(HTTPRequest(.get, "/x")) }
        #expect(
            events.map(\.kind) == [.callStarted, .attemptStarted, .nameResolved, .attemptEnded, .callEnded]
        )
        #expect((events.last?.error as? NetKitError)?.code == .connect)
    }

    @Test func theStatusOfAResponseThatIsTooLargeIsReported() async throws {
        let setup = Setup()
        setup.transport.stub(.get, "/x", .text("hello"))
        let options = CallOptions(delivery: .buffered(upTo: 2))
        let events = await setup.heard { client in
            _ = try? await client.send(HTTPRequest(.get, "/x"), options: options)
        }
        let ends = events.filter { $0.kind == .attemptEnded || $0.kind == .callEnded }
        #expect(ends.map(\.status) == [.ok, .ok])
        #expect(ends.map { ($0.error as? NetKitError)?.code } == [.bodyTooLarge, .bodyTooLarge])
    }

    @Test func aStreamedCallEndsWithItsBody() async throws {
        let setup = Setup()
        setup.transport.stub(.get, "/log", .stream([Data("one".utf8), Data("two".utf8)]))
        let events = setup.client.events
        let response = try await setup.client.send(HTTPRequest(.get, "/log"))
        setup.time.advance(by: .seconds(2))
        _ = try await response.body.collect(upTo: 100)
        await setup.client.shutdown()
        var heard: [ClientEvent] = []
        for await event in events { heard.append(event) }
        #expect(heard.map(\.kind) == [.callStarted, .attemptStarted, .attemptEnded, .callEnded])
        #expect(heard.suffix(2).allSatisfy { $0.duration == .seconds(2) && $0.count == 6 && $0.status == .ok })
    }

    @Test func aCancelledCallEndsOnce() async throws {
        let setup = Setup()
        setup.transport.stub(.get, "/x", .stalled)
        let events = await setup.heard { client in
            let call = Task { try await client.send(HTTPRequest(.get, "/x")) }
            await setup.transport.waitForRequests(1)
            call.cancel()
            _ = await call.result
        }
        #expect(events.map(\.kind) == [.callStarted, .attemptStarted, .attemptEnded, .callEnded])
        #expect(events.last?.error is CancellationError)
    }

    @Test func anExchangeAfterARedirectNamesItsOwnURL() async throws {
        let setup = Setup()
        setup.transport.stub(.get, "/a", .redirect(to: "https://cdn.example.com/b"))
        setup.transport.stub(.get, "https://cdn.example.com/b", .text("b"))
        let events = await setup.heard { client in
            _ = try? await client.send(HTTPRequest(.get, "/a"), options: Self.buffered)
        }
        let starts = events.filter { $0.kind == .attemptStarted }
        #expect(starts.map(\.url) == ["https://api.example.com/v1/a", "https://cdn.example.com/b"])
        #expect(starts.map(\.template) == ["/a", nil])
    }

    @Test func tenCallersShareOneRefreshThatIsReportedOnce() async throws {
        let tokens = TokenStore(initial: "old", clock: TestClock().clock) { _ in "new" }
        let transport = MockTransport { request, _ in
            HTTPResponse(status: request.headers["Authorization"] == "Bearer new" ? .ok : .unauthorized)
        }
        let setup = Setup([AuthInterceptor(tokens)], transport: transport)
        let events = await setup.heard { client in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask { _ = try? await client.send(HTTPRequest(.get, "/x"), options: Self.buffered) }
                }
            }
        }
        #expect(events.count { $0.kind == .refreshStarted } == 1)
        #expect(events.filter { $0.kind == .refreshEnded }.map { $0.error == nil } == [true])
        #expect(events.count { $0.kind == .callEnded && $0.status == .ok } == 10)
    }

    @Test func aRefreshThatFailsIsReported() async throws {
        let tokens = TokenStore(initial: "old", clock: TestClock().clock) { _ in throw NetKitError(.custom, "No.") }
        let setup = Setup(
            [AuthInterceptor(tokens)],
            transport: MockTransport { _, _ in HTTPResponse(status: .unauthorized) }
        )
        let events = await setup.heard { client in _ = try? await client.send(HTTPRequest(.get, "/x")) }
        let end = try #require(events.first { $0.kind == .refreshEnded })
        #expect((end.error as? NetKitError)?.code == .custom)
    }

    @Test func theStatusOfTheCacheIsReported() async throws {
        let setup = Setup([CacheInterceptor(MemoryCacheStore())])
        setup.transport.stub(.get, "/x", .text("x").header("Cache-Control", "max-age=60"))
        let events = await setup.heard { client in
            for _ in 0..<2 { _ = try? await client.send(HTTPRequest(.get, "/x"), options: Self.buffered) }
        }
        let said = events.filter { $0.kind == .cache }.map(\.detail)
        #expect(said == ["NetKit; fwd=uri-miss; fwd-status=200; stored", "NetKit; hit; ttl=60"])
    }

    @Test func aFailureBelowTheCacheIsReported() async throws {
        let setup = Setup([CacheInterceptor(MemoryCacheStore())])
        setup.transport.stub(.get, "/x", .failure(URLError(.cannotConnectToHost)))
        let events = await setup.heard { client in
            _ = try? await client.send(HTTPRequest(.get, "/x"), options: Self.buffered)
        }
        let event = try #require(events.first { $0.kind == .cache })
        #expect(event.detail == nil)
        #expect((event.error as? NetKitError)?.code == .connect)
    }

    @Test func theChangesOfABreakerAreReported() async throws {
        let breaker = CircuitBreakerInterceptor(CircuitBreakerPolicy(minThroughput: 2))
        let setup = Setup([breaker], transport: MockTransport { _, _ in HTTPResponse(status: .internalServerError) })
        let events = await setup.heard { client in
            for _ in 0..<2 { _ = try? await client.send(HTTPRequest(.get, "/x"), options: Self.buffered) }
            breaker.reset()
        }
        let changes = events.filter { $0.kind == .breaker }
        #expect(changes.map(\.detail) == ["open", "closed"])
        #expect(changes.map(\.origin?.host) == ["api.example.com", nil])
        #expect(changes.allSatisfy { $0.callID == nil })
    }

    @Test func aQueueThatSendsThroughTheClientIsHeard() async throws {
        let setup = Setup(transport: MockTransport { _, _ in HTTPResponse(status: .ok) })
        let events = try await setup.heard { client in
            let queue = try await OfflineQueue(store: InMemoryOfflineStore(), sender: client)
            try await queue.enqueue(QueuedRequest(.post("/orders"), lane: "orders"))
            await queue.processQueue()
            await queue.close()
        }
        let words = events.filter { $0.kind == .queue }.compactMap { $0.detail?.split(separator: " ").first }
        #expect(words == ["enqueued", "started", "delivered"])
        #expect(events.contains { $0.kind == .callEnded })
    }

    @Test func aSlowListenerHearsHowMuchItMissed() async throws {
        let setup = Setup(transport: MockTransport { _, _ in HTTPResponse(status: .ok) })
        let events = await setup.heard(capacity: 3) { client in
            for _ in 0..<100 { _ = try? await client.send(HTTPRequest(.get, "/x"), options: Self.buffered) }
        }
        #expect(events.map(\.kind) == [.missed, .attemptStarted, .attemptEnded, .callEnded])
        #expect(events.first?.count == 397)
        #expect(setup.transport.requests.count == 100)
    }

    @Test func aCallThatBeganUnheardStaysSo() async throws {
        let setup = Setup()
        setup.transport.stub(.get, "/x", .stalled)
        let call = Task { [client = setup.client] in try await client.send(HTTPRequest(.get, "/x")) }
        await setup.transport.waitForRequests(1)
        let events = await setup.heard { _ in
            setup.transport.release()
            _ = try? await call.value.body.collect(upTo: 10)
        }
        #expect(events.isEmpty)
    }

    /// The call that is running has listeners, so it creates events.
    @Test func aLaterListenerHearsOnlyLaterCalls() async throws {
        let setup = Setup([MetricsCollector()])
        setup.transport.stub(.get, "/x", .stalled)
        setup.transport.stub(.get, "/y", .text("y"))
        let early = setup.client.events
        let call = Task { [client = setup.client] in try await client.send(HTTPRequest(.get, "/x")) }
        await setup.transport.waitForRequests(1)
        let events = await setup.heard { client in
            setup.transport.release()
            _ = try? await call.value.body.collect(upTo: 10)
            _ = try? await client.send(HTTPRequest(.get, "/y"), options: Self.buffered)
        }
        let kinds: [ClientEvent.Kind] = [.callStarted, .attemptStarted, .attemptEnded, .callEnded]
        #expect(events.map(\.kind) == kinds)
        #expect(Set(events.map(\.template)) == ["/y"])
        var heard: [ClientEvent.Kind] = []
        for await event in early { heard.append(event.kind) }
        #expect(heard == kinds + kinds)
    }

    @Test func nothingIsReportedWithoutAListener() async throws {
        let seen = Notebook<Bool>()
        let setup = Setup([Asking { context in seen.add(context.call.reporter != nil) }])
        _ = try? await setup.client.send(HTTPRequest(.get, "/x"))
        var events: ClientEvents? = setup.client.events
        _ = try? await setup.client.send(HTTPRequest(.get, "/x"))
        #expect(events != nil)
        events = nil
        _ = try? await setup.client.send(HTTPRequest(.get, "/x"))
        #expect(seen.entries == [false, true, false])
    }

    @Test func aListenerOutlivesItsClient() async throws {
        var setup: Setup? = Setup(transport: MockTransport { _, _ in HTTPResponse(status: .ok) })
        let events = try #require(setup?.client.events)
        _ = try await setup?.client.send(HTTPRequest(.get, "/x"), options: Self.buffered)
        setup = nil
        var kinds: [ClientEvent.Kind] = []
        for await event in events { kinds.append(event.kind) }
        #expect(kinds == [.callStarted, .attemptStarted, .attemptEnded, .callEnded])
    }

    private struct Asking: Interceptor {
        let ask: @Sendable (RequestContext) -> Void

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            ask(context)
            return try await next(request, context)
        }
    }
}
