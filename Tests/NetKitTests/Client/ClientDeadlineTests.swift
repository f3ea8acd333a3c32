import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClientDeadlineTests {
    /// A clock whose alarms never go off. Those of the real clock go off on other threads, and can be late.
    private struct LateAlarms: ClockSource {
        let time: TestClock

        var now: NetKitClock.Instant { time.now }
        var date: Date { time.date }

        func sleep(until deadline: NetKitClock.Instant) async throws { try await time.sleep(until: deadline) }

        func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
            ClockAlarm(action)
        }
    }

    private let time = TestClock()
    private let transport = MockTransport()

    private func client(
        _ interceptors: InterceptorList = [],
        timeouts: Timeouts = Timeouts(attempt: nil),
        clock: NetKitClock? = nil
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = clock ?? time.clock
        configuration.timeouts = timeouts
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: interceptors,
            configuration: configuration
        )
    }

    @Test func theTimeoutEndsACallAtAnyStage() async throws {
        transport.stub(.get, "/", .stalled)
        let client = client()
        let call = Task {
            try await client.send(HTTPRequest(.get, "/"), options: CallOptions(timeout: .seconds(3))).status
        }
        await transport.waitForRequests(1)
        time.advance(by: .milliseconds(2999))
        #expect(client.activeCallCount == 1)
        time.advance(by: .milliseconds(1))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .timeout)
        #expect(error?.timeoutPhase == .deadline)
        #expect(error?.outcome == .unknown)
        #expect(error?.attempts == 1)
        #expect(error?.requestLine == "GET https://api.example.com/v1/")
        #expect(client.activeCallCount == 0)
        #expect(time.alarmCount == 0)
    }

    /// The request of the first exchange has a body, and that of the second has none.
    @Test func theStepAfterARedirectIsThatOfItsExchange() async throws {
        transport.stub(.post, "/", .status(303).header("Location", "https://other.example.com/next"))
        transport.stub(nil, "https://other.example.com/**", .stalled)
        let client = client([RedirectInterceptor()])
        let request = HTTPRequest(.post, "/", body: .data(Data(count: 1000)))
        let call = Task { try await client.send(request, options: CallOptions(timeout: .seconds(3))).status }
        await transport.waitForRequests(2)
        time.advance(by: .seconds(3))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        let message = error?.message ?? ""
        #expect(message.contains("passed while waiting for the response of `other.example.com`"), "\(message)")
    }

    @Test(arguments: [Delivery.streamed, .buffered(upTo: 100)])
    func theStepAfterAResponseThatWasReadIsNotItsExchange(delivery: Delivery) async throws {
        transport.stub(.get, "/", .status(401))
        let refreshing = Flag()
        let tokens = TokenStore(initial: "old", clock: time.clock) { [time] _ in
            refreshing.set()
            try await time.sleep(until: .distantFuture)
            return "new"
        }
        let client = client([AuthInterceptor(tokens)])
        let options = CallOptions(timeout: .seconds(3), delivery: delivery)
        let call = Task { try await client.send(HTTPRequest(.get, "/"), options: options).status }
        try await waitUntil { refreshing.isSet }
        time.advance(by: .seconds(3))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        let message = error?.message ?? ""
        #expect(message.contains("passed after exchange 1 had ended, before another began"), "\(message)")
    }

    @Test(arguments: Stage.all)
    func coversEveryStage(stage: Stage) async throws {
        let waiting = Waiting(at: stage)
        let client = client([waiting])
        let call = Task {
            try await client.send(HTTPRequest(.get, "/"), options: CallOptions(timeout: .seconds(1))).status
        }
        await waiting.waitForArrivals(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .timeout)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
    }

    @Test func coversReadingTheBody() async throws {
        let pipe = BodyPipe()
        pipe.offer(Data("first".utf8))
        transport.stub(.get, "/", .respond { _, _ in HTTPResponse(status: .ok, body: ResponseBody(source: pipe)) })
        let client = client()
        let response = try await client.send(HTTPRequest(.get, "/"), options: CallOptions(timeout: .seconds(5)))
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Data("first".utf8))
        time.advance(by: .seconds(5))
        let error = await #expect(throws: NetKitError.self) { try await chunks.next() }
        #expect(error?.code == .timeout)
        #expect(error?.outcome == .answered)
        #expect(pipe.isCancelled)
    }

    @Test func theNearestLimitWins() async throws {
        transport.stub(.get, "/", .stalled)
        let client = client(timeouts: Timeouts(attempt: .seconds(30), total: .seconds(20)))
        let call = Task {
            try await withDeadline(.seconds(10), clock: time.clock) {
                try await client.send(HTTPRequest(.get, "/"), options: CallOptions(timeout: .seconds(15))).status
            }
        }
        await transport.waitForRequests(1)
        #expect(time.timeToNext == .seconds(10))
        time.advance(by: .seconds(10))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.timeoutPhase == .deadline)
    }

    @Test func theAttemptLimitNamesItself() async throws {
        transport.stub(.get, "/", .stalled)
        let client = client(timeouts: .standard)
        let call = Task { try await client.send(HTTPRequest(.get, "/")).status }
        await time.waitForAlarms(1)
        time.advance(by: .seconds(30))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.timeoutPhase == .attempt)
        #expect(error?.outcome == .unknown)
    }

    @Test func callsInsideInterceptorsInheritTheDeadline() async throws {
        let inner = client()
        let left = Locked<Duration?>(nil)
        let refreshing = Intercepting { request, context, next in
            _ = try await inner.send(HTTPRequest(.get, "/refresh"))
            return try await next(request, context)
        }
        transport.stub(
            .get,
            "/refresh",
            .respond { _, context in
                left.withLock { $0 = context.timeLeft }
                return HTTPResponse(status: .ok)
            }
        )
        transport.stub(.get, "/", .status(200))
        _ = try await client([refreshing]).send(HTTPRequest(.get, "/"), options: CallOptions(timeout: .seconds(7)))
        #expect(left.withLock { $0 } == .seconds(7))
    }

    @Test func anInnerDeadlineCannotOutliveTheOuter() async throws {
        transport.stub(.get, "/", .stalled)
        let client = client()
        let call = Task {
            try await withDeadline(.seconds(1), clock: time.clock) {
                try await withDeadline(.seconds(60), clock: time.clock) {
                    try await client.send(HTTPRequest(.get, "/")).status
                }
            }
        }
        await transport.waitForRequests(1)
        time.advance(by: .seconds(1))
        #expect(await outcome(of: call) == "timeout")
        #expect(time.alarmCount == 0)
    }

    @Test func namesTheEarlierOfTwoDeadlines() async {
        let call = Task {
            try await withDeadline(.seconds(3), clock: time.clock) {
                do {
                    try await withDeadline(.seconds(10), clock: time.clock) {
                        try await time.sleep(until: .distantFuture)
                    }
                } catch let error as NetKitError {
                    return error.message
                }
                return ""
            }
        }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(3))
        // The inner one ends first, or the outer one with the same message.
        let message: String
        do {
            message = try await call.value
        } catch {
            message = (error as? NetKitError)?.message ?? "\(error)"
        }
        #expect(message == "The deadline of 3 s passed. Raise `withDeadline`, or find out what took so long.")
    }

    @Test func endsWorkThatIsNotNetKits() async {
        let call = Task {
            try await withDeadline(.seconds(1), clock: time.clock) { try await time.sleep(until: .distantFuture) }
        }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        #expect(await outcome(of: call) == "timeout")
    }

    @Test func aCallThatBeginsAfterItsDeadlineSendsNothing() async {
        transport.stub(.get, "/", .status(204))
        let clock = NetKitClock(LateAlarms(time: time))
        let client = client(clock: clock)
        let events = client.events
        let error = await #expect(throws: NetKitError.self) {
            try await withDeadline(.seconds(1), clock: clock) {
                time.advance(by: .seconds(1))
                return try await client.send(HTTPRequest(.get, "/")).status
            }
        }
        #expect(error?.timeoutPhase == .deadline)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
        #expect(client.activeCallCount == 0)
        await client.shutdown()
        #expect(await events.reduce(into: []) { $0.append($1.kind) } == [.callStarted, .callEnded])
    }

    /// The response may be used stale while it is renewed in the background.
    @Test func aCallThatBeginsAfterItsDeadlineRenewsNothing() async throws {
        transport.stub(.get, "/", .json("{}").header("Cache-Control", "max-age=0, stale-while-revalidate=60"))
        let clock = NetKitClock(LateAlarms(time: time))
        let client = client([CacheInterceptor(MemoryCacheStore())], clock: clock)
        _ = try await client.send(HTTPRequest(.get, "/")).body.collect(upTo: 100)
        _ = try? await withDeadline(.seconds(1), clock: clock) {
            time.advance(by: .seconds(1))
            _ = try await client.send(HTTPRequest(.get, "/"))
        }
        await client.shutdown()
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
    func aDeadlineThatHasPassedRunsNoClosure(budget: Duration) async {
        let error = await #expect(throws: NetKitError.self) {
            try await withDeadline(budget, clock: time.clock) { Issue.record("it ran") }
        }
        #expect(error?.code == .timeout)
        #expect(error?.outcome == .notSent)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .nanoseconds(Int64.max)])
    func aHugeBudgetMeansNoLimit(budget: Duration) async throws {
        transport.stub(.get, "/", .status(204))
        let client = client(timeouts: Timeouts(connect: budget, idle: budget, attempt: budget, total: budget))
        let status = try await withDeadline(budget, clock: time.clock) {
            try await client.send(HTTPRequest(.get, "/"), options: CallOptions(timeout: budget)).status
        }
        #expect(status == .noContent)
    }

    @Test func cancellingTheCallerOfWithDeadlineIsCancellation() async {
        let call = Task {
            try await withDeadline(.seconds(1), clock: time.clock) { try await time.sleep(until: .distantFuture) }
        }
        await time.waitForSleepers(1)
        call.cancel()
        #expect(await outcome(of: call) == "cancelled")
    }

    @Test func anEarlierExchangeThatMayHaveArrivedMakesTheOutcomeUnknown() async throws {
        let twice = Intercepting(stage: .retry) { request, context, next in
            _ = try? await next(request, context)
            return try await next(request, context)
        }
        transport.stub(
            .post,
            "/",
            .failure(NetKitError(.connectionLost, "Lost.", outcome: .unknown)),
            .failure(NetKitError(.connect, "Refused.", outcome: .notSent))
        )
        let error = await #expect(throws: NetKitError.self) {
            try await client([twice]).send(HTTPRequest(.post, "/"))
        }
        #expect(error?.code == .connect)
        #expect(error?.outcome == .unknown)
        #expect(error?.attempts == 2)
    }
}
