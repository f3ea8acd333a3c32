import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct EventStreamTests {
    private let time = TestClock()
    private let transport = MockTransport()

    private func client(_ time: TestClock? = nil, random: RandomSource = .system) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = (time ?? self.time).clock
        configuration.random = random
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
    }

    private func stream(_ text: String) -> MockResponse {
        .data(Data(text.utf8), contentType: "text/event-stream; charset=utf-8")
    }

    private let quick = RetryPolicy(maxAttempts: 3, backoffStrategy: .fixed(interval: .seconds(1)), jitter: .none)

    @Test func givesEventsAndEndsWhereTheServerSaysSo() async throws {
        transport.stub(.get, "/v1/events", stream("id: 1\ndata: a\n\nevent: b\ndata: c\n\n"), .status(204))
        let client = client()
        let task = Task { [quick] in
            var events: [String] = []
            for try await event in client.eventStream(.get("/events"), retry: quick) {
                events.append("\(event.type) \(event.data) \(event.lastEventID)")
            }
            return events
        }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        #expect(try await task.value == ["message a 1", "b c 1"])
        #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1"])
        #expect(Set(transport.requests.map(\.callID)).count == 1)
        #expect(transport.requests.first?.headers["Accept"] == "text/event-stream")
        #expect(transport.requests.first?.headers["Cache-Control"] == "no-cache")
    }

    @Test func theEndpointsErrorBodyAndStatusesCount() async throws {
        struct Problem: Codable, Sendable, Equatable { let reason: String }
        transport.stub(.get, "/v1/refused", .json(Problem(reason: "full"), status: 409))
        let response = MockResponse.data(Data("data: a\n\n".utf8), status: 425, contentType: "text/event-stream")
        transport.stub(.get, "/v1/early", response, .status(204))
        let (client, once) = (client(), RetryPolicy(maxAttempts: 1))
        var refused = Endpoint<Void>.get("/refused")
        refused.errorBody = Problem.self
        let error = await #expect(throws: NetKitError.self) {
            for try await _ in client.eventStream(refused, retry: once) { Issue.record("an event") }
        }
        let problem: Problem? = error?.body(as: Problem.self)
        #expect(problem == Problem(reason: "full"))
        #expect(error?.message.contains("full") == false)
        var early = Endpoint<Void>.get("/early")
        early.acceptedStatuses = .successful.adding(425)
        var data: [String] = []
        for try await event in client.eventStream(early, retry: once) {
            data.append(event.data)
            break
        }
        #expect(data == ["a"])
    }

    @Test func theStatusThatEndsAStreamNeedNotBeAccepted() async throws {
        transport.stub(.get, "/v1/events", .status(204))
        var endpoint = Endpoint<Void>.get("/events")
        endpoint.acceptedStatuses = [200]
        for try await _ in client().eventStream(endpoint, retry: quick) { Issue.record("an event") }
        #expect(transport.requests.count == 1)
    }

    @Test func waitsAsLongAsTheServerAsks() async throws {
        transport.stub(
            .get,
            "/v1/events",
            stream("retry: 5000\nid: 9\ndata: a\n\n"),
            stream("data: b\n\n"),
            .status(204)
        )
        let client = client()
        let task = Task { [quick] in
            var events: [String] = []
            for try await event in client.eventStream(.get("/events"), lastEventID: "8", retry: quick) {
                events.append(event.data)
            }
            return events
        }
        for _ in 0..<2 {
            await time.waitForSleepers(1)
            #expect(time.timeToNext == .seconds(5))
            time.advance(by: .seconds(5))
        }
        #expect(try await task.value == ["a", "b"])
        #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == ["8", "9", "9"])
    }

    enum Ending: CaseIterable, Sendable {
        case byID, byAll, byShutdown
    }

    /// Without that, the next connection would have the end of the stream.
    @Test(arguments: Ending.allCases)
    func thePauseBeforeAConnectionEndsLikeACall(_ ending: Ending) async throws {
        transport.stub(.get, "/v1/events", stream("data: a\n\n"), .status(204))
        let (client, id) = (client(), CallID())
        let task = Task { [quick] in
            for try await _ in client.eventStream(.get("/events"), retry: quick, options: CallOptions(id: id)) {}
        }
        await time.waitForSleepers(1)
        #expect(client.activeCalls.map(\.id) == [id])
        #expect(client.activeCalls.map(\.requestLine) == ["GET https://api.example.com/v1/events"])
        switch ending {
        case .byID: #expect(client.cancel(id))
        case .byAll: client.cancelAll()
        case .byShutdown: #expect(await client.shutdown() == false)
        }
        time.advance(by: .seconds(1))
        #expect(await outcome(of: task) == (ending == .byShutdown ? "closed" : "cancelled"))
        #expect(transport.requests.count == 1)
        #expect(client.activeCallCount == 0)
    }

    @Test func aStreamIsOverAfterItsPauseWasEnded() async throws {
        transport.stub(.get, "/v1/events", stream(""), .status(204))
        let client = client()
        let task = Task { [quick] in
            var events = client.eventStream(.get("/events"), retry: quick).makeAsyncIterator()
            await #expect(throws: CancellationError.self) { try await events.next() }
            return try await events.next()
        }
        await time.waitForSleepers(1)
        client.cancelAll()
        time.advance(by: .seconds(1))
        #expect(try await task.value == nil)
        #expect(transport.requests.count == 1)
    }

    @Test func aShutdownLetsNoPauseBegin() async throws {
        let (time, pipe, other) = (TestClock(skipsSleeps: true), BodyPipe(), BodyPipe())
        let transport = ScriptedTransport { request, _ in
            let body = ResponseBody(source: request.url.lastPathComponent == "events" ? pipe : other)
            return HTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream"], body: body)
        }
        let client = HTTPClient.testing(transport, time: time)
        var events = client.eventStream(.get("/events"), retry: quick).makeAsyncIterator()
        pipe.offer(Data("data: a\n\n".utf8))
        #expect(try await events.next()?.data == "a")
        // The shutdown waits for this call, so the pause is refused before it returns.
        let response = try await client.send(HTTPRequest(.get, "/other"))
        let closing = Task { await client.shutdown() }
        await time.waitForAlarms(1)
        pipe.fail(NetKitError(.connectionLost, "The connection was lost.", outcome: .answered))
        let error = await #expect(throws: NetKitError.self) { try await events.next() }
        #expect(error?.code == .closed)
        #expect(error?.outcome == .answered)
        #expect(error?.requestLine == "GET https://api.example.com/v1/events")
        other.finish()
        #expect(try await response.body.collect(upTo: 1).isEmpty)
        #expect(await closing.value == false)
        #expect(time.now == NetKitClock.Instant(nanoseconds: 0))
    }

    /// The first wait after a success has none before it.
    @Test func decorrelatedWaitsGrowWithTheOnesBefore() async throws {
        let busy = MockResponse.status(503)
        transport.stub(.get, "/v1/events", busy, busy, stream("data: a\n\n"), busy, .status(204))
        let client = client(random: RandomSource { 3 << 62 })
        let retry = RetryPolicy(
            maxAttempts: 10,
            backoffStrategy: .decorrelated(base: .seconds(1), cap: .seconds(100))
        )
        let task = Task {
            for try await _ in client.eventStream(.get("/events"), retry: retry) {}
        }
        for milliseconds in [2500, 5875, 2500, 5875] {
            await time.waitForSleepers(1)
            #expect(time.timeToNext == .milliseconds(milliseconds))
            time.advance(by: .milliseconds(milliseconds))
        }
        try await task.value
        #expect(transport.requests.count == 5)
    }

    /// The first wait and those after a failure have the same bound.
    @Test(arguments: [("300000", 300_000), ("9223372036854775807", 600_000), ("0", 100), ("150", 150)])
    func theServersTimeHasBounds(_ asked: String, _ milliseconds: Int) async throws {
        let first = stream("retry: \(asked)\ndata: a\n\n")
        transport.stub(.get, "/v1/events", first, .status(503), .status(204))
        let client = client()
        let retry = RetryPolicy(
            maxAttempts: 10,
            backoffStrategy: .fixed(interval: .zero),
            maxServerDelay: RetryPolicy.eventStream.maxServerDelay
        )
        let task = Task {
            for try await _ in client.eventStream(.get("/events"), retry: retry) {}
        }
        for _ in 0..<2 {
            await time.waitForSleepers(1)
            #expect(time.timeToNext == .milliseconds(milliseconds))
            time.advance(by: .milliseconds(milliseconds))
        }
        try await task.value
        #expect(transport.requests.count == 3)
    }

    /// A proxy closes idle connections, with and without a heartbeat on them.
    @Test func aQuietStreamReconnectsAnyNumberOfTimes() async throws {
        let (beat, silence) = (stream(": beat\n\n"), stream(""))
        transport.stub(.get, "/v1/events", beat, silence, beat, silence, stream("data: a\n\n"), .status(204))
        var events: [String] = []
        for try await event in client(TestClock(skipsSleeps: true)).eventStream(.get("/events"), retry: quick) {
            events.append(event.data)
        }
        #expect(events == ["a"])
        #expect(transport.requests.count == 6)
    }

    /// Its waits are shorter than the time for which the circuit is open.
    @Test func aCircuitThatOpensDoesNotEndAStream() async throws {
        transport.stub(.get, "/v1/events", stream("data: a\n\n"), .status(503), stream("data: b\n\n"), .status(204))
        let (time, breaker) = (
            TestClock(skipsSleeps: true), CircuitBreakerInterceptor(CircuitBreakerPolicy(minThroughput: 2))
        )
        let client = HTTPClient.testing(transport, breaker, time: time)
        let retry = RetryPolicy(maxAttempts: 4, backoffStrategy: .fixed(interval: .seconds(1)), jitter: .none)
        var events: [String] = []
        for try await event in client.eventStream(.get("/events"), retry: retry) { events.append(event.data) }
        #expect(events == ["a", "b"])
        #expect(transport.requests.count == 4)
        #expect(time.now == NetKitClock.Instant(nanoseconds: 0).advanced(by: .seconds(7)))
    }

    /// The stream reconnects after 4 and 8 seconds. After 12 seconds it would be too late.
    @Test(arguments: [CallOptions(timeout: .seconds(10)), CallOptions(timeouts: Timeouts(total: .seconds(10)))])
    func aTimeLimitHoldsForAllConnections(_ options: CallOptions) async throws {
        transport.stub(.get, "/v1/events", stream("data: a\n\n"))
        let client = client(TestClock(skipsSleeps: true))
        let retry = RetryPolicy(backoffStrategy: .fixed(interval: .seconds(4)), jitter: .none)
        var count = 0
        let error = await #expect(throws: NetKitError.self) {
            for try await _ in client.eventStream(.get("/events"), retry: retry, options: options) {
                count += 1
                if count == 10 { break }
            }
        }
        #expect(error?.code == .connectionLost)
        #expect(count == 3)
    }

    /// The error of one connection ends that connection and no later one.
    @Test func goesOnAfterAnEventThatIsTooLargeIfThePolicySaysSo() async throws {
        let large = String(repeating: "x", count: 2000)
        let first = stream("data: a\n\ndata: \(large)\n\n")
        transport.stub(.get, "/v1/events", first, stream("data: b\n\n"), .status(204))
        let client = client()
        let retry = RetryPolicy(
            maxAttempts: 3,
            backoffStrategy: .fixed(interval: .seconds(1)),
            jitter: .none,
            retryableErrorCodes: [.bodyTooLarge, .connectionLost]
        )
        let task = Task {
            var events: [String] = []
            for try await event in client.eventStream(.get("/events"), retry: retry, maxEventBytes: 1000) {
                events.append(event.data)
            }
            return events
        }
        for _ in 0..<2 {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(1))
        }
        #expect(try await task.value == ["a", "b"])
        #expect(transport.requests.count == 3)
    }

    @Test func givesUpWhenNoEventComes() async throws {
        transport.stub(.get, "/v1/events", .status(503))
        let client = client()
        let task = Task { [quick] in
            for try await _ in client.eventStream(.get("/events"), retry: quick) {}
        }
        for _ in 0..<2 {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(1))
        }
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.status == 503)
        #expect(transport.requests.count == 3)
    }

    @Test func aResponseThatIsNoStreamIsRefusedAtOnce() async throws {
        transport.stub(.get, "/v1/events", .text("data: x\n\n"))
        transport.stub(.get, "/v1/missing", .status(404))
        let plain = await #expect(throws: NetKitError.self) {
            for try await _ in client().eventStream(.get("/events")) {}
        }
        #expect(plain?.code == .decoding)
        let missing = await #expect(throws: NetKitError.self) {
            for try await _ in client().eventStream(.get("/missing")) {}
        }
        #expect(missing?.status == 404)
        #expect(transport.requests.count == 2)
    }

    @Test func anEventThatIsTooLongIsAnErrorAfterThoseBeforeIt() async throws {
        let long = String(repeating: "x", count: 100)
        transport.stub(.get, "/v1/events", stream("data: a\n\ndata: \(long)\n\n"))
        var events: [String] = []
        let error = await #expect(throws: NetKitError.self) {
            for try await event in client().eventStream(.get("/events"), retry: .none, maxEventBytes: 50) {
                events.append(event.data)
            }
        }
        #expect(events == ["a"])
        #expect(error?.code == .bodyTooLarge)
        #expect(transport.requests.count == 1)
    }

    /// A stream has no idle limit that would end its body.
    @Test func aRefusalIsReadForABoundedTime() async throws {
        let pipe = BodyPipe()
        pipe.offer(Data("over".utf8))
        let transport = ScriptedTransport { _, _ in HTTPResponse(status: 503, body: ResponseBody(source: pipe)) }
        let client = HTTPClient.testing(transport, time: time)
        let task = Task {
            for try await _ in client.eventStream(.get("/events"), retry: .none) {}
        }
        try await waitUntil { pipe.pendingByteCount == 0 }
        time.advance(by: .seconds(30))
        #expect(pipe.isCancelled)
        pipe.finish()
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.status == 503)
        #expect(error?.response?.body == Data("over".utf8))
        #expect(error?.response?.isTruncated == true)
    }

    @Test func aBreakEndsTheExchange() async throws {
        let pipe = BodyPipe()
        pipe.offer(Data("data: a\n\n".utf8))
        let transport = ScriptedTransport { _, _ in
            HTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream"], body: ResponseBody(source: pipe))
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        for try await event in client.eventStream(.get("/events")) {
            #expect(event.data == "a")
            break
        }
        #expect(pipe.isCancelled)
        #expect(client.activeCallCount == 0)
    }

    @Test func aSilentStreamIsNotEnded() async throws {
        let seen = Locked<[Timeouts]>([])
        let transport = MockTransport { _, context in
            seen.withLock { $0.append(context.timeouts) }
            return HTTPResponse(status: 204)
        }
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.total = .seconds(60)
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
        for try await _ in client.eventStream(.get("/events")) {}
        #expect(seen.withLock { $0 }.map(\.total) == [nil])
        #expect(seen.withLock { $0 }.map(\.idle) == [nil])
        #expect(seen.withLock { $0 }.map(\.attempt) == [nil])
        #expect(seen.withLock { $0 }.map(\.connect) == [Timeouts.standard.connect])
    }

    @Test func dataIsDecodedOnDemand() throws {
        #expect(try ServerSentEvent(data: "[1,2]").decode(as: [Int].self) == [1, 2])
        let error = #expect(throws: NetKitError.self) { try ServerSentEvent(data: "[1,\"a\"]").decode(as: [Int].self) }
        #expect(error?.codingPath == "[1]")
    }
}
