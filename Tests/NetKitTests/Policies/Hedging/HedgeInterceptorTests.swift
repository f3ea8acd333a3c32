import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HedgeInterceptorTests {
    private let time = TestClock()
    private let transport = MockTransport()
    private let client: HTTPClient

    init() {
        client = .testing(transport, HedgeInterceptor(after: .fixed(.seconds(1)), maxConsecutive: 2), time: time)
    }

    private func send(
        _ method: HTTPMethod = .get,
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Task<String, any Error> {
        let (client, request) = (client, HTTPRequest(method, "/x", headers: headers, body: body))
        return Task { try await client.send(request).body.text(upTo: 100) }
    }

    @Test func aFastResponseIsNotDoubled() async throws {
        transport.stub(.get, "/x", .text("fast"))
        #expect(try await send().value == "fast")
        #expect(transport.requests.count == 1)
        #expect(time.alarmCount == 0)
    }

    @Test func theSecondAttemptCanWin() async throws {
        transport.stub(.get, "/x", .stalled, .text("second"))
        let call = send()
        await time.waitForAlarms(1)
        time.advance(by: .seconds(1))
        #expect(try await call.value == "second")
        #expect(transport.requests.count == 2)
        #expect(Set(transport.requests.map(\.callID)).count == 1)
        #expect(client.activeCallCount == 0)
    }

    @Test func theFirstAttemptCanStillWin() async throws {
        transport.stub(.get, "/x", .text("first").delayed(by: .seconds(2)), .text("second").delayed(by: .seconds(9)))
        let call = send()
        await time.waitForAlarms(1)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        await time.waitForSleepers(2)
        time.advance(by: .seconds(1))
        #expect(try await call.value == "first")
        // The loser was cancelled, so it sleeps no more, and a shutdown waits only until it has ended.
        try await waitUntil { time.sleeperCount == 0 && time.alarmCount == 0 }
        #expect(await client.shutdown())
    }

    @Test func aBadReplyWaitsForABetterOne() async throws {
        transport.stub(
            .get,
            "/x",
            .text("bad", status: 503).delayed(by: .seconds(2)),
            .text("good").delayed(by: .seconds(3))
        )
        let call = send()
        await time.waitForAlarms(1)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        await time.waitForSleepers(2)
        time.advance(by: .seconds(3))
        #expect(try await call.value == "good")
    }

    /// The server is carrying out the first attempt, or has done so.
    @Test(arguments: [(HTTPMethod.post, 409), (.delete, 404), (.put, 412)] as [(HTTPMethod, HTTPStatus)])
    func aCopyThatTheServerRefusesDoesNotHideTheSuccessOfTheFirst(method: HTTPMethod, status: HTTPStatus) async throws {
        let pipe = BodyPipe()
        let refusal = HTTPResponse(status: status, body: ResponseBody(source: pipe))
        transport.stub(
            method,
            "/x",
            .text("done").delayed(by: .seconds(3)),
            .respond { _, _ in refusal }.delayed(by: .seconds(1))
        )
        let call = send(method, headers: ["Idempotency-Key": "k"])
        await time.waitForAlarms(1)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        await time.waitForSleepers(2)
        time.advance(by: .seconds(1))
        try await waitUntil { refusal.body.isConsumed }
        pipe.offer(Data("refused".utf8))
        pipe.finish()
        time.advance(by: .seconds(1))
        #expect(try await call.value == "done")
    }

    /// The first attempt may have made the change, so that the server refuses the copy. A retry can ask for the result.
    @Test(arguments: [(HTTPMethod.post, 409), (.delete, 404)] as [(HTTPMethod, HTTPStatus)])
    func aCopyThatTheServerRefusesDoesNotHideTheLossOfTheFirst(method: HTTPMethod, status: HTTPStatus) async throws {
        transport.stub(
            method,
            "/x",
            .failure(URLError(.networkConnectionLost)).delayed(by: .seconds(2)),
            .status(status).delayed(by: .seconds(2))
        )
        let call = send(method, headers: ["Idempotency-Key": "k"])
        await time.waitForAlarms(1)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        await time.waitForSleepers(2)
        time.advance(by: .seconds(2))
        #expect(await outcome(of: call) == "connectionLost")
    }

    /// Its body may never end.
    @Test func aBadReplyIsDeliveredIfTheOtherAttemptFails() async throws {
        let pipe = BodyPipe()
        let bad = HTTPResponse(status: 503, body: ResponseBody(source: pipe))
        transport.stub(
            .get,
            "/x",
            .respond { _, _ in bad }.delayed(by: .seconds(2)),
            .failure(URLError(.cannotConnectToHost)).delayed(by: .seconds(2))
        )
        let call = Task { try await client.send(HTTPRequest(.get, "/x")) }
        await time.waitForAlarms(1)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        await time.waitForSleepers(2)
        time.advance(by: .seconds(1))
        try await waitUntil { bad.body.isConsumed }
        pipe.offer(Data("over".utf8))
        time.advance(by: .seconds(1))
        let response = try await call.value
        #expect(response.status == 503)
        pipe.offer(Data("loaded".utf8))
        pipe.finish(trailers: ["X-End": "1"])
        #expect(try await response.body.text(upTo: 100) == "overloaded")
        #expect(response.trailers == ["X-End": "1"])
    }

    @Test func anErrorInTimeIsNotDoubled() async throws {
        transport.stub(.get, "/x", .failure(URLError(.networkConnectionLost)))
        #expect(await outcome(of: send()) == "connectionLost")
        #expect(transport.requests.count == 1)
    }

    /// The limit has no permit for the copy.
    @Test func aCopyThatIsRefusedDoesNotHideTheFailureOfTheFirst() async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("api.example.com", SimulatedHost(latency: .seconds(3)...(.seconds(3)), .reset))
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: simulation.transport,
            interceptors: [
                HedgeInterceptor(after: .fixed(.seconds(1))),
                RateLimitInterceptor(permits: 1, per: .seconds(3600), maxWait: .zero),
            ],
            configuration: simulation.configuration
        )
        let error = await #expect(throws: NetKitError.self) {
            try await simulation.run { _ = try await client.send(HTTPRequest(.get, "/x")) }
        }
        #expect(error?.code == .connectionLost)
        #expect(simulation.requestCount == 1)
    }

    @Test(arguments: [
        (HTTPMethod.post, HTTPHeaders(), false), (.patch, HTTPHeaders(), false), (.put, HTTPHeaders(), true),
        (.delete, HTTPHeaders(), true), (.post, HTTPHeaders([.init("Idempotency-Key", "k")]), true),
        (.post, HTTPHeaders([.init("Idempotency-Key", "")]), false),
    ])
    func onlyRepeatableRequestsAreHedged(method: HTTPMethod, headers: HTTPHeaders, isDoubled: Bool) async throws {
        transport.stub(nil, "/x", .stalled)
        let call = send(method, headers: headers, body: .text("body"))
        await transport.waitForRequests(1)
        // The request is on its way before the alarm is set.
        if isDoubled { await time.waitForAlarms(1) }
        #expect(time.alarmCount == (isDoubled ? 1 : 0))
        time.advance(by: .seconds(1))
        if isDoubled { await transport.waitForRequests(2) }
        transport.release()
        _ = try await call.value
        #expect(transport.requests.count == (isDoubled ? 2 : 1))
        #expect(transport.requests.allSatisfy { $0.bodyText == "body" })
    }

    @Test func aBodyThatCannotBeSentAgainIsNotDoubled() async throws {
        transport.stub(.put, "/x", .stalled)
        let chunks = AsyncStream<Data> { $0.finish() }
        let call = send(.put, body: .stream(length: 0, chunks))
        await transport.waitForRequests(1)
        #expect(time.alarmCount == 0)
        transport.release()
        _ = try await call.value
    }

    /// The queue decides about further attempts.
    @Test func aReplayOfAQueueIsNotDoubled() async throws {
        transport.stub(.get, "/x", .stalled)
        var options = CallOptions()
        options.tags[QueuedReplay.self] = QueuedReplay(id: UUID(), attempt: 1)
        let call = Task { [client, options] in try await client.send(HTTPRequest(.get, "/x"), options: options) }
        await transport.waitForRequests(1)
        // The request is on its way before an alarm would be set.
        for _ in 0..<100 { await Task.yield() }
        #expect(time.alarmCount == 0)
        transport.release()
        _ = try await call.value
    }

    @Test func theBudgetEnds() async throws {
        transport.stub(.get, "/x", .stalled)
        var calls: [Task<String, any Error>] = []
        for number in 1...2 {
            calls.append(send())
            await transport.waitForRequests(2 * number - 1)
            await time.waitForAlarms(1)
            time.advance(by: .seconds(1))
            await transport.waitForRequests(2 * number)
        }
        calls.append(send())
        await transport.waitForRequests(5)
        #expect(time.alarmCount == 0)
        transport.release()
        for call in calls { _ = try await call.value }
        #expect(transport.requests.count == 5)
    }

    @Test func cancellingTheCallCancelsBoth() async throws {
        transport.stub(.get, "/x", .text("late").delayed(by: .seconds(100)))
        let call = send()
        await time.waitForAlarms(1)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        await time.waitForSleepers(2)
        call.cancel()
        #expect(await outcome(of: call) == "cancelled")
        try await waitUntil { time.sleeperCount == 0 }
        #expect(client.activeCallCount == 0)
    }

    @Test func cancellingBeforeTheSecondLeavesNothingBehind() async throws {
        transport.stub(.get, "/x", .stalled)
        let call = send()
        await transport.waitForRequests(1)
        call.cancel()
        #expect(await outcome(of: call) == "cancelled")
        #expect(time.alarmCount == 0)
        time.advance(by: .seconds(5))
        #expect(transport.requests.count == 1)
    }

    @Test func theDelayFollowsTheObservedLatency() async throws {
        let delay = HedgeDelay.percentile(0.9, atLeast: .milliseconds(1), samples: 10)
        let client = HTTPClient.testing(transport, HedgeInterceptor(after: delay), time: time)
        transport.stub(.get, "/slow", .text("ok").delayed(by: .milliseconds(100)))
        for _ in 0..<10 {
            let call = Task { try await client.send(HTTPRequest(.get, "/slow")) }
            await time.waitForSleepers(1)
            #expect(time.alarmCount == 0)
            time.advance(by: .milliseconds(100))
            _ = try await call.value
        }
        transport.stub(.get, "/parked", .stalled)
        let call = Task { try await client.send(HTTPRequest(.get, "/parked")) }
        await time.waitForAlarms(1)
        time.advance(by: .milliseconds(99))
        #expect(time.alarmCount == 1)
        time.advance(by: .milliseconds(14))
        await transport.waitForRequests(12)
        transport.release()
        _ = try await call.value
    }

    @Test func theDelayIgnoresTheTimesOfBadResponses() async throws {
        let delay = HedgeDelay.percentile(0.9, atLeast: .milliseconds(1), samples: 1)
        let client = HTTPClient.testing(transport, HedgeInterceptor(after: delay), time: time)
        transport.stub(.get, "/x", .status(503).delayed(by: .seconds(1)), .text("fast"), .stalled)
        let bad = Task { try await client.send(HTTPRequest(.get, "/x")) }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        #expect(try await bad.value.status == 503)
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == 200)
        let call = Task { try await client.send(HTTPRequest(.get, "/x")) }
        await time.waitForAlarms(1)
        // Much longer than the fast response, and much shorter than the bad one.
        time.advance(by: .milliseconds(10))
        #expect(time.alarmCount == 0)
        call.cancel()
        #expect(await outcome(of: call) == "cancelled")
    }

    /// A stored failure response must not hold the only permit, for which the second attempt waits.
    @Test(arguments: [10, 100_000])
    func aBadResponseWithAStreamedBodyHoldsNoPermitForTheSecond(size: Int) async throws {
        let client = HTTPClient.testing(
            transport,
            HedgeInterceptor(after: .fixed(.seconds(1))),
            ConcurrencyLimitInterceptor(maxPerHost: 1),
            time: time
        )
        let chunks = [Data(repeating: 1, count: size / 2), Data(repeating: 2, count: size / 2)]
        transport.stub(.get, "/x", .stream(chunks, status: 503).delayed(by: .seconds(2)), .text("good"))
        let call = Task { try await client.send(HTTPRequest(.get, "/x")) }
        await time.waitForSleepers(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(1))
        await time.waitForAlarms(1)
        time.advance(by: .seconds(1))
        let response = try await call.value
        // A long one is delivered at once, whole.
        #expect(response.status == (size > 64 << 10 ? 503 : 200))
        let expected = size > 64 << 10 ? chunks[0] + chunks[1] : Data("good".utf8)
        #expect(try await response.body.collect(upTo: .max) == expected)
    }

    /// The first attempt frees the permit for which the second one waits, and wins the race.
    @Test func anAttemptThatGetsItsPermitAfterTheRaceIsNotCounted() async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("api.example.com", SimulatedHost(latency: .seconds(2)...(.seconds(2))))
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: simulation.transport,
            interceptors: [HedgeInterceptor(after: .fixed(.seconds(1))), ConcurrencyLimitInterceptor(maxPerHost: 1)],
            configuration: simulation.configuration
        )
        let events = client.events
        try await simulation.run {
            _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(delivery: .buffered(upTo: 100)))
            await client.shutdown()
        }
        #expect(simulation.requestCount == 1)
        var counts: [Int?] = []
        for await event in events where event.kind == .callEnded { counts.append(event.attempt) }
        #expect(counts == [1])
    }

    @Test func invalidSettingsAreReported() {
        let hedge = HedgeInterceptor(
            after: .percentile(.nan, atLeast: .seconds(-1), samples: 0),
            maxShare: 9,
            maxConsecutive: 0
        )
        #expect(hedge.maxShare == 1)
        #expect(hedge.maxConsecutive == 1)
        #expect(hedge.warnings(in: ClientInspection()).count == 5)
        let late = HedgeInterceptor(after: .fixed(.seconds(30)))
        #expect(late.warnings(in: ClientInspection()).first?.contains("is not shorter than timeouts.attempt") == true)
        #expect(HedgeInterceptor().warnings(in: ClientInspection()) == [])
        #expect(
            HedgeInterceptor().summary
                == "hedging: a second attempt after the time 95% of calls take, at least 5 ms, for at most 5% of calls"
        )
    }
}
