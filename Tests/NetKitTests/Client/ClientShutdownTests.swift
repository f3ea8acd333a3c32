import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClientShutdownTests {
    private let time = TestClock()
    private let transport = MockTransport()
    private let client: HTTPClient

    init() {
        transport.stub(.get, "/parked", .stalled)
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.timeouts = .none
        client = HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration)
    }

    @Test func endsAtOnceWithoutCallsInFlight() async {
        #expect(await client.shutdown())
        #expect(await client.shutdown())
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/parked")) }
        #expect(error?.code == .closed)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
    }

    @Test func waitsForCallsInFlight() async throws {
        let call = Task { try await client.send(HTTPRequest(.get, "/parked")).status }
        await transport.waitForRequests(1)
        let shutdown = Task { await client.shutdown(within: .seconds(5)) }
        await time.waitForAlarms(1)
        transport.release()
        #expect(try await call.value == .ok)
        #expect(await shutdown.value)
        #expect(time.alarmCount == 0)
    }

    /// A service often stops in a task that was cancelled.
    @Test func waitsForCallsInFlightInACancelledTask() async throws {
        let call = Task { try await client.send(HTTPRequest(.get, "/parked")).status }
        await transport.waitForRequests(1)
        let shutdown = Task { await client.shutdown(within: .seconds(5)) }
        await time.waitForAlarms(1)
        shutdown.cancel()
        transport.release()
        #expect(try await call.value == .ok)
        #expect(await shutdown.value)
    }

    @Test func endsCallsThatTakeTooLong() async {
        let call = Task { try await client.send(HTTPRequest(.get, "/parked")).status }
        await transport.waitForRequests(1)
        let shutdown = Task { await client.shutdown(within: .seconds(5)) }
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        #expect(await shutdown.value == false)
        #expect(await outcome(of: call) == "closed")
        #expect(client.activeCallCount == 0)
    }

    /// A second signal to a service often shortens the time that the first one allowed.
    @Test func saysThatAShorterShutdownBesideItHasEndedCalls() async {
        let call = Task { try await client.send(HTTPRequest(.get, "/parked")).status }
        await transport.waitForRequests(1)
        let first = Task { await client.shutdown(within: .seconds(30)) }
        await time.waitForAlarms(1)
        #expect(await client.shutdown(within: .zero) == false)
        #expect(await first.value == false)
        #expect(await outcome(of: call) == "closed")
    }

    /// Begins a call whose code does not end when it is cancelled.
    private func begin(_ stubborn: Stubborn) async -> Task<HTTPStatus, any Error> {
        transport.stub(
            .get,
            "/stubborn",
            .respond { _, _ in
                await stubborn.wait()
                return HTTPResponse(status: .ok)
            }
        )
        let call = Task { try await client.send(HTTPRequest(.get, "/stubborn")).status }
        await stubborn.begun()
        return call
    }

    /// A call that has to be abandoned ends half a second after the others.
    @Test func waitsForTheCallsThatItEnds() async {
        let (stubborn, isOver) = (Stubborn(), Flag())
        let call = await begin(stubborn)
        let shutdown = Task {
            defer { isOver.set() }
            return await client.shutdown(within: .seconds(5))
        }
        await time.waitForAlarms(1)
        let start = ContinuousClock.now
        time.advance(by: .seconds(5))
        // The moment after which the call is abandoned, and the one until which the shutdown waits.
        await time.waitForAlarms(2)
        #expect(client.activeCallCount == 1)
        // On a busy machine, the second may be over before.
        #expect(!isOver.isSet || start.duration(to: .now) >= .seconds(1))
        time.advance(by: .milliseconds(500))
        #expect(await shutdown.value == false)
        #expect(client.activeCallCount == 0 || start.duration(to: .now) >= .seconds(1))
        #expect(await outcome(of: call) == "closed")
        stubborn.release()
    }

    /// The call stays in flight, because it is abandoned only after a time of that clock.
    @Test func aClockThatStandsStillDoesNotHoldItUp() async {
        let stubborn = Stubborn()
        let call = await begin(stubborn)
        #expect(await client.shutdown(within: .zero) == false)
        #expect(client.activeCallCount == 1)
        stubborn.release()
        _ = await call.result
        #expect(client.activeCallCount == 0)
    }

    /// The refresh is sent through the client that is being shut down.
    @Test func aCallInFlightMayStillRefreshItsToken() async throws {
        let (began, refusal) = (Promise<Void>(), Promise<Void>())
        transport.stub(
            .get,
            "/x",
            .respond { _, _ in
                began.resolve(.success(()))
                try await refusal.cancellableValue()
                return HTTPResponse(status: .unauthorized)
            }
        )
        transport.stub(.get, "/x", headers: ["Authorization": "Bearer new"], .status(204))
        transport.stub(.post, "/token", .text("new"))
        let box = Locked<HTTPClient?>(nil)
        let tokens = TokenStore(initial: "old", clock: time.clock) { _ in
            let client = try #require(box.withLock { $0 })
            var login = Endpoint<String>.post("/token")
            login.requiresAuth = false
            return try await client.send(login)
        }
        let client = HTTPClient.testing(transport, AuthInterceptor(tokens), time: time)
        box.withLock { $0 = client }
        defer { box.withLock { $0 = nil } }
        let call = Task { try await client.send(HTTPRequest(.get, "/x")).status }
        try await began.cancellableValue()
        let shutdown = Task { await client.shutdown(within: .seconds(5)) }
        await time.waitForAlarms(1)
        refusal.resolve(.success(()))
        #expect(try await call.value == HTTPStatus(204))
        #expect(await shutdown.value)
        #expect(transport.requests.map(\.method) == [.get, .post, .get])
        #expect(await thrownCode { try await tokens.refresh() } == .closed)
    }

    /// A call that does not end is still in flight then.
    @Test func aRefreshBeginsNoCallAfterTheLimit() async throws {
        transport.stub(.post, "/token", .text("new"))
        let tokens = TokenStore(initial: "old", clock: time.clock) { [client] _ in
            try await client.send(Endpoint<String>.post("/token"))
        }
        let stubborn = Stubborn()
        let call = await begin(stubborn)
        let shutdown = Task { await client.shutdown(within: .seconds(5)) }
        await time.waitForAlarms(1)
        #expect(try await tokens.refresh().value == "new")
        time.advance(by: .seconds(5))
        await time.waitForAlarms(2)
        #expect(await thrownCode { try await tokens.refresh() } == .closed)
        time.advance(by: .milliseconds(500))
        #expect(await shutdown.value == false)
        #expect(await outcome(of: call) == "closed")
        stubborn.release()
    }

    @Test func aBodyThatIsBeingReadIsInFlight() async throws {
        let pipe = BodyPipe()
        transport.stub(
            .get,
            "/stream",
            .respond { _, _ in HTTPResponse(status: .ok, body: ResponseBody(source: pipe)) }
        )
        let response = try await client.send(HTTPRequest(.get, "/stream"))
        let shutdown = Task { await client.shutdown(within: .seconds(5)) }
        await time.waitForAlarms(1)
        #expect(client.activeCallCount == 1)
        pipe.finish()
        #expect(try await response.body.collect(upTo: 10).isEmpty)
        #expect(await shutdown.value)
    }

    @Test func anUnreadBodyEndsTheCall() async throws {
        let cancelled = Flag()
        transport.stub(
            .get,
            "/stream",
            .respond { _, _ in
                HTTPResponse(status: .ok, body: ResponseBody(source: BodyPipe(onCancel: { _ in cancelled.set() })))
            }
        )
        _ = try await client.send(HTTPRequest(.get, "/stream"))
        #expect(cancelled.isSet)
        #expect(client.activeCallCount == 0)
    }

    @Test func anIdleClientIsFreedWhenDropped() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        weak var watch: HTTPClient?
        do {
            let client = HTTPClient(baseURL: exampleBase, transport: transport)
            watch = client
            _ = try await client.send(HTTPRequest(.get, "/"))
        }
        #expect(watch == nil)
    }

    @Test func aStreamOutlivesItsClient() async throws {
        let pipe = BodyPipe()
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok, body: ResponseBody(source: pipe)) }
        weak var watch: HTTPClient?
        let response: HTTPResponse
        do {
            let client = HTTPClient(baseURL: exampleBase, transport: transport)
            watch = client
            response = try await client.send(HTTPRequest(.get, "/"))
        }
        #expect(watch == nil)
        pipe.offer(Data("still here".utf8))
        pipe.finish()
        #expect(try await response.body.text(upTo: 100) == "still here")
    }
}
