import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct AttemptBoundaryTests {
    private struct Interrupted: Error {}

    /// Counts the alarms that were set.
    private final class AlarmCount: ClockSource {
        private let time: TestClock
        private let count = Locked(0)

        init(_ time: TestClock) {
            self.time = time
        }

        var all: Int { count.withLock { $0 } }
        var now: NetKitClock.Instant { time.now }
        var date: Date { time.date }

        func sleep(until deadline: NetKitClock.Instant) async throws {
            try await time.sleep(until: deadline)
        }

        func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
            count.withLock { $0 += 1 }
            return time.schedule(at: deadline, action)
        }
    }

    private let time: TestClock
    private let alarms: AlarmCount
    private let url: URL

    init() throws {
        time = TestClock()
        alarms = AlarmCount(time)
        url = try #require(URL(string: "https://api.example.com/x"))
    }

    private func context(
        attempt: Duration?,
        total: Duration? = nil,
        delivery: Delivery = .buffered(upTo: 1000)
    ) -> RequestContext {
        .test(delivery: delivery, timeouts: Timeouts(attempt: attempt, total: total), clock: NetKitClock(alarms))
    }

    /// Sends through a transport that reports something, and then never responds.
    private func sendForever(
        _ context: RequestContext,
        interceptors: InterceptorList = [],
        report: @escaping @Sendable (Attempt) -> Void = { _ in }
    ) -> Task<HTTPResponse, any Error> {
        let transport = ScriptedTransport { _, context in
            report(context.attempt)
            try await context.clock.sleep(until: .distantFuture)
            return HTTPResponse(status: 200)
        }
        return send(context, through: transport, interceptors: interceptors)
    }

    /// Sends a request through a transport.
    private func send(
        _ context: RequestContext,
        through transport: some Transport,
        interceptors: InterceptorList = []
    ) -> Task<HTTPResponse, any Error> {
        let request = HTTPRequest(.get, url)
        let pipeline = Pipeline(interceptors, transport: transport)
        return Task { try await pipeline.send(request, context: context) }
    }

    @Test(
        arguments: [
            ([], .unknown), ([.connecting], .notSent), ([.connecting, .sending], .unknown), ([.sending], .unknown),
            ([.answered], .answered),
        ] as [([AttemptTests.Report], NetKitError.Outcome)]
    )
    func theAttemptsLimitEndsTheExchange(reports: [AttemptTests.Report], outcome: NetKitError.Outcome) async throws {
        let context = context(attempt: .seconds(5))
        let task = sendForever(context) { attempt in
            for report in reports { report.note(to: attempt) }
        }
        await time.waitForSleepers(1)
        await time.waitForAlarms(1)
        time.advance(by: .nanoseconds(4_999_999_999))
        #expect(time.alarmCount == 1)
        #expect(time.timeToNext == .nanoseconds(1))
        time.advance(by: .nanoseconds(1))
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.code == .timeout)
        #expect(error?.timeoutPhase == .attempt)
        #expect(error?.outcome == outcome)
        #expect(error?.message == "The exchange took longer than 5 s. Raise `timeouts.attempt`, or stream the body.")
        #expect(error?.cause == nil)
        #expect(context.call.attemptCount == 1)
        #expect(time.alarmCount == 0)
        #expect(time.sleeperCount == 0)
    }

    @Test func aRequestThatWasNeverHandedOverWasNotSent() async throws {
        let gate = StagedInterceptor(.attempt) { request, context, next in
            try await context.clock.sleep(until: .distantFuture)
            return try await next(request, context)
        }
        let task = sendForever(context(attempt: .seconds(5)), interceptors: [gate])
        await time.waitForSleepers(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.timeoutPhase == .attempt)
        #expect(error?.outcome == .notSent)
    }

    @Test func anErrorOfTheTransportAtTheLimitIsTheCause() async throws {
        let transport = ScriptedTransport { _, context in
            do {
                try await context.clock.sleep(until: .distantFuture)
            } catch {
                throw NetKitError(.connectionLost, "interrupted", cause: Interrupted())
            }
            return HTTPResponse(status: 200)
        }
        let task = send(context(attempt: .milliseconds(250)), through: transport)
        await time.waitForSleepers(1)
        await time.waitForAlarms(1)
        time.advance(by: .milliseconds(250))
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.code == .timeout)
        let cause = try #require(error?.cause as? NetKitError)
        #expect(cause.code == .connectionLost)
        #expect(cause.cause is Interrupted)
    }

    @Test(arguments: [(nil, nil), (nil, 10), (30, 10), (10, 10)] as [(Int64?, Int64?)])
    func whereTheCallEndsFirstNoSecondAlarmIsSet(attempt: Int64?, total: Int64?) async throws {
        let seen = Locked<[Duration?]>([])
        let transport = ScriptedTransport { _, context in
            seen.withLock { $0.append(context.timeLeft) }
            try await context.clock.sleep(for: .seconds(1))
            return HTTPResponse(status: 200)
        }
        let context = context(attempt: attempt.map { .seconds($0) }, total: total.map { .seconds($0) })
        let task = send(context, through: transport)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        #expect(try await task.value.status == 200)
        #expect(alarms.all == 0)
        #expect(seen.withLock { $0 } == [total.map { .seconds($0) }])
    }

    @Test func whereTheAttemptEndsFirstItsDeadlineIsSeenBelow() async throws {
        let seen = Locked<[Duration?]>([])
        let transport = ScriptedTransport { _, context in
            seen.withLock { $0.append(context.timeLeft) }
            return HTTPResponse(status: 200)
        }
        let context = context(attempt: .seconds(4), total: .seconds(10))
        _ = try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: context)
        #expect(seen.withLock { $0 } == [.seconds(4)])
    }

    @Test func theAlarmIsGoneOnceTheExchangeIsOver() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .status(200).delayed(by: .seconds(1)))
        let task = send(context(attempt: .seconds(5)), through: transport)
        await time.waitForSleepers(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(1))
        #expect(try await task.value.status == 200)
        #expect(time.alarmCount == 0)
        #expect(time.timeToNext == nil)
    }

    @Test func anExchangeThatIsOverAtOnceSetsNoAlarm() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .status(200))
        let context = context(attempt: .seconds(5))
        _ = try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: context)
        #expect(alarms.all == 0)
        #expect(context.call.outcome == .answered)
    }

    @Test func theAlarmIsGoneAfterAFailure() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .failure(NetKitError(.dns, "no such host")).delayed(by: .seconds(1)))
        let task = send(context(attempt: .seconds(5)), through: transport)
        await time.waitForSleepers(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.code == .dns)
        #expect(time.alarmCount == 0)
    }

    @Test func cancellationIsNoTimeoutAndLeavesNoAlarm() async throws {
        let task = sendForever(context(attempt: .seconds(5)))
        await time.waitForSleepers(1)
        await time.waitForAlarms(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(time.alarmCount == 0)
        #expect(time.sleeperCount == 0)
    }

    @Test func waitingForAPermitDoesNotCount() async throws {
        let permits = StagedInterceptor(.limit) { request, context, next in
            try await context.clock.sleep(for: .seconds(60))
            return try await next(request, context)
        }
        let transport = MockTransport()
        transport.stub(.get, "/x", .status(200).delayed(by: .seconds(4)))
        let task = send(context(attempt: .seconds(5)), through: transport, interceptors: [permits])
        await time.waitForSleepers(1)
        #expect(time.alarmCount == 0)
        time.advance(by: .seconds(60))
        await time.waitForAlarms(1)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(4))
        #expect(try await task.value.status == 200)
    }

    @Test func aRetryAfterATimeoutHasItsOwnTime() async throws {
        let retry = StagedInterceptor(.retry) { request, context, next in
            do {
                return try await next(request, context)
            } catch let error as NetKitError where error.code == .timeout {
                return try await next(request, context)
            }
        }
        let transport = MockTransport()
        let late = MockResponse.status(200).delayed(by: .seconds(9))
        transport.stub(.get, "/x", late, .status(201).delayed(by: .seconds(4)))
        let task = send(context(attempt: .seconds(5)), through: transport, interceptors: [retry])
        await time.waitForSleepers(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        await transport.waitForRequests(2)
        await time.waitForSleepers(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(4))
        #expect(try await task.value.status == 201)
        #expect(transport.requests.map(\.attempt) == [1, 2])
    }

    @Test func aStreamedBodyMayTakeLongerThanTheAttempt() async throws {
        let pipe = BodyPipe()
        let transport = ScriptedTransport { _, _ in HTTPResponse(status: 200, body: ResponseBody(source: pipe)) }
        let context = context(attempt: .seconds(5), delivery: .streamed)
        let response = try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: context)
        time.advance(by: .seconds(60))
        pipe.offer(Data("late".utf8))
        pipe.finish()
        #expect(try await response.body.text(upTo: 100) == "late")
    }

    @Test func aBufferedBodyCountsAsPartOfTheAttempt() async throws {
        let pipe = BodyPipe()
        pipe.offer(Data("half".utf8))
        let transport = ScriptedTransport { _, _ in HTTPResponse(status: 200, body: ResponseBody(source: pipe)) }
        let task = send(context(attempt: .seconds(5)), through: transport)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.timeoutPhase == .attempt)
        #expect(error?.outcome == .answered)
        #expect(pipe.isCancelled)
    }
}
