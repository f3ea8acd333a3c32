import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the interceptor inside a client, in virtual time.
@Suite(.timeLimit(.minutes(5)))
struct RetryInterceptorTests {
    private let time = TestClock()
    private let transport = MockTransport()
    private let policy = RetryPolicy(backoffStrategy: .fixed(interval: .seconds(1)), jitter: .none)

    private func client(
        _ policy: RetryPolicy? = nil,
        budget: RetryBudget? = RetryBudget(),
        _ others: any Interceptor...
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.random = .seeded(5)
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList([RetryInterceptor(policy ?? self.policy, budget: budget)] + others),
            configuration: configuration
        )
    }

    /// Sends a request in a task and moves the clock from wait to wait.
    private func send(
        _ request: HTTPRequest = HTTPRequest(.get, "/x"),
        options: CallOptions = CallOptions(),
        through client: HTTPClient,
        waits: [Duration]
    ) async throws -> HTTPResponse {
        let call = Task { try await client.send(request, options: options) }
        for wait in waits {
            await time.waitForSleepers(1)
            time.advance(by: wait - .nanoseconds(1))
            #expect(time.sleeperCount == 1)
            time.advance(by: .nanoseconds(1))
        }
        return try await call.value
    }

    @Test func aSuccessAtOnceIsSentOnceAndHasNoLog() async throws {
        transport.stub(.get, "/x", .status(200))
        let response = try await client().send(HTTPRequest(.get, "/x"))
        #expect(response.status == 200)
        #expect(response.attemptLog == nil)
        #expect(transport.requests.count == 1)
        #expect(time.sleeperCount == 0)
    }

    @Test func triesAgainUntilThereIsAResponse() async throws {
        transport.stub(.get, "/x", .status(503), .failure(URLError(.networkConnectionLost)), .text("there"))
        let response = try await send(through: client(), waits: [.seconds(1), .seconds(1)])
        #expect(try await response.body.text(upTo: 100) == "there")
        #expect(transport.requests.map(\.attempt) == [1, 2, 3])
        let log = try #require(response.attemptLog)
        #expect(log.attempts.map(\.status) == [503, nil, 200])
        #expect(log.attempts.map(\.code) == [nil, .connectionLost, nil])
        #expect(log.attempts.map(\.delay) == [.seconds(1), .seconds(1), nil])
        #expect(log.attempts.map(\.startedAfter) == [.zero, .seconds(1), .seconds(2)])
        #expect(log.stop == .answered)
    }

    @Test func theLastOutcomeSurfacesWithEveryAttempt() async throws {
        transport.stub(.get, "/x", .status(500), .status(502), .status(504).header("X-Last", "1"))
        let client = client()
        let call = Task { try await client.send(Endpoint<String>.get("/x")) }
        for _ in 0..<2 {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(1))
        }
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .server)
        #expect(error?.response?.headers["X-Last"] == "1")
        #expect(error?.attempts == 3)
        #expect(error?.attemptLog?.attempts.map(\.status) == [500, 502, 504])
        #expect(error?.attemptLog?.stop == .attemptsUsedUp)
        #expect(
            error?.description.contains("status 504, answered, 3 attempts, gave up: every attempt was used") == true
        )
    }

    @Test func aFailureSurfacesWithEveryAttempt() async throws {
        transport.stub(.get, "/x", .failure(URLError(.cannotConnectToHost)))
        let client = client()
        let error = await #expect(throws: NetKitError.self) {
            try await send(through: client, waits: [.seconds(1), .seconds(1)])
        }
        #expect(error?.code == .connect)
        #expect(error?.attemptLog?.attempts.map(\.code) == [.connect, .connect, .connect])
        #expect(error?.attemptLog?.attempts.map(\.outcome) == [.notSent, .notSent, .notSent])
        #expect(error?.attemptLog?.stop == .attemptsUsedUp)
    }

    @Test func aPlainResponseSaysWhyItWasNotTriedAgain() async throws {
        transport.stub(.post, "/x", .status(503))
        let response = try await client().send(HTTPRequest(.post, "/x", body: .text("body")))
        #expect(response.status == 503)
        #expect(response.attemptLog?.stop == .notIdempotent)
        #expect(response.attemptLog?.count == 1)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [200, 201, 301, 304, 400, 401, 404, 409, 501] as [HTTPStatus])
    func aResponseThatThePolicyAcceptsIsReturned(status: HTTPStatus) async throws {
        transport.stub(.get, "/x", .status(status))
        let response = try await client().send(HTTPRequest(.get, "/x"))
        #expect(response.status == status)
        #expect(response.attemptLog == nil)
        #expect(transport.requests.count == 1)
    }

    @Test func aPolicyOfOneAttemptRepeatsNothing() async throws {
        transport.stub(.get, "/x", .status(503))
        let response = try await client(RetryPolicy.none).send(HTTPRequest(.get, "/x"))
        #expect(response.status == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func everyAttemptSendsTheWholeBody() async throws {
        transport.stub(.put, "/x", .status(503), .failure(URLError(.timedOut)), .status(200))
        let chunks = [Data("one".utf8), Data("two".utf8)]
        let body = HTTPBody.replayableStream {
            AsyncStream { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            }
        }
        let request = HTTPRequest(.put, "/x", body: body)
        _ = try await send(request, through: client(), waits: [.seconds(1), .seconds(1)])
        #expect(transport.requests.map(\.bodyText) == ["onetwo", "onetwo", "onetwo"])
    }

    @Test(arguments: [true, false])
    func aBodyThatIsReadOnceSurfacesTheOriginalOutcome(isAnswered: Bool) async throws {
        transport.stub(.put, "/x", isAnswered ? .status(503) : .failure(URLError(.networkConnectionLost)))
        let stream = AsyncStream<Data> { continuation in
            continuation.yield(Data("once".utf8))
            continuation.finish()
        }
        let request = HTTPRequest(.put, "/x", body: .stream(stream))
        let client = client()
        if isAnswered {
            let response = try await client.send(request)
            #expect(response.status == 503)
            #expect(response.attemptLog?.stop == .bodyNotReplayable)
        } else {
            let error = await #expect(throws: NetKitError.self) { try await client.send(request) }
            #expect(error?.code == .connectionLost)
            #expect(error?.attemptLog?.stop == .bodyNotReplayable)
            #expect(error?.description.contains("not retried: the body cannot be sent again") == true)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func aBodyThatFailsWhileItIsBufferedIsTriedAgain() async throws {
        let lost = NetKitError(.connectionLost, "lost in the body", outcome: .answered)
        transport.stub(.get, "/x", .stream([Data("par".utf8)], failingWith: lost), .text("whole"))
        let options = CallOptions(delivery: .buffered(upTo: 100))
        let response = try await send(options: options, through: client(), waits: [.seconds(1)])
        #expect(try await response.body.text(upTo: 100) == "whole")
        #expect(response.attemptLog?.attempts.first?.code == .connectionLost)
    }

    @Test func aBodyThatFailsWhileItIsStreamedIsTheReaders() async throws {
        let lost = NetKitError(.connectionLost, "lost in the body", outcome: .answered)
        transport.stub(.get, "/x", .stream([Data("par".utf8)], failingWith: lost), .text("whole"))
        let response = try await client().send(HTTPRequest(.get, "/x"))
        await #expect(throws: NetKitError.self) { try await response.body.collect(upTo: 100) }
        #expect(transport.requests.count == 1)
    }

    @Test func theResponseThatIsNotUsedIsDiscarded() async throws {
        let pipe = BodyPipe(maxBytes: 10)
        let ends = Notebook<BodyEnd>()
        transport.stub(
            .get,
            "/x",
            .respond { _, _ in
                let response = HTTPResponse(status: 503, body: ResponseBody(source: pipe))
                response.onEnd { ends.add($0) }
                return response
            },
            .status(200)
        )
        _ = try await send(through: client(), waits: [.seconds(1)])
        #expect(ends.entries.map(\.isAbandoned) == [true])
    }

    @Test func cancellingDuringTheWaitEndsAtOnceAndGivesBackTheCost() async throws {
        transport.stub(.get, "/x", .status(503))
        let budget = RetryBudget()
        let client = client(budget: budget)
        let call = Task { try await client.send(HTTPRequest(.get, "/x")) }
        await time.waitForSleepers(1)
        #expect(budget.available(for: try #require(exampleBase)) == 486)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.count == 1)
        #expect(time.sleeperCount == 0)
        #expect(budget.available(for: try #require(exampleBase)) == 500)
    }

    @Test func aDeadlineDuringTheWaitCannotHappen() async throws {
        transport.stub(.get, "/x", .status(503))
        let response = try await client().send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .seconds(1)))
        #expect(response.status == 503)
        #expect(response.attemptLog?.stop == .deadline)
        #expect(transport.requests.count == 1)
    }

    @Test func aDeadlineDuringALaterAttemptListsTheEarlierOnes() async throws {
        transport.stub(.get, "/x", .status(503), .stalled)
        let client = client()
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .seconds(5))) }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        await transport.waitForRequests(2)
        time.advance(by: .seconds(4))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .timeout)
        #expect(error?.timeoutPhase == .deadline)
        #expect(error?.attemptLog?.attempts.map(\.status) == [503, nil])
        #expect(error?.attemptLog?.attempts.last?.duration == .seconds(4))
        #expect(error?.attemptLog?.stop == .deadline)
    }

    @Test func aDeadlineIsInheritedByTheRetries() async throws {
        transport.stub(.get, "/x", .status(503))
        let client = client()
        let clock = time.clock
        let response = try await withDeadline(.milliseconds(900), clock: clock) {
            try await client.send(HTTPRequest(.get, "/x"))
        }
        #expect(response.attemptLog?.stop == .deadline)
    }

    @Test func anAttemptThatTookTooLongIsTriedAgain() async throws {
        transport.stub(.get, "/x", .stalled, .text("there"))
        let client = client()
        let options = CallOptions(timeouts: Timeouts(attempt: .seconds(3)))
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
        await transport.waitForRequests(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(3))
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        #expect(try await call.value.attemptLog?.attempts.map(\.duration) == [.seconds(3), .zero])
    }

    @Test func theBudgetHoldsBack() async throws {
        transport.stub(.get, "/x", .status(503))
        let client = client(budget: RetryBudget(maxTokens: 14))
        let response = try await send(through: client, waits: [.seconds(1)])
        #expect(response.status == 503)
        #expect(response.attemptLog?.stop == .budgetUsedUp)
        #expect(transport.requests.count == 2)
        transport.stub(.get, "/x", .status(200))
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == 200)
    }

    @Test func theServersDelayIsWaitedFor() async throws {
        transport.stub(.get, "/x", .status(429).header("Retry-After", "7"), .status(200))
        let response = try await send(through: client(), waits: [.seconds(7)])
        #expect(response.attemptLog?.attempts.first?.serverDelay == .seconds(7))
        #expect(response.attemptLog?.attempts.first?.delay == .seconds(7))
    }

    @Test func chanceComesFromTheConfiguration() async throws {
        transport.stub(.get, "/x", .status(503), .status(200))
        let expected = Duration(clampingSeconds: RandomSource.seeded(5).unitInterval())
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .seconds(1)))
        let response = try await send(through: client(policy), waits: [try #require(expected)])
        #expect(response.attemptLog?.attempts.first?.delay == expected)
    }

    @Test func aResponseThatCannotBeDecodedIsNotAskedForAgain() async throws {
        transport.stub(.get, "/x", .text("no JSON"))
        let error = await #expect(throws: NetKitError.self) {
            let _: [String: Int] = try await client().send(.get("/x"))
        }
        #expect(error?.code == .decoding)
        #expect(transport.requests.count == 1)
        #expect(time.sleeperCount == 0)
    }

    @Test func theIdempotencyKeyStaysTheSame() async throws {
        transport.stub(.post, "/x", .status(503), .failure(URLError(.timedOut)), .status(201))
        let options = CallOptions(idempotencyKey: .automatic)
        let request = HTTPRequest(.post, "/x", body: .text("body"))
        let response = try await send(request, options: options, through: client(), waits: [.seconds(1), .seconds(1)])
        #expect(response.status == 201)
        let keys = transport.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 3)
        #expect(Set(keys).count == 1)
        #expect(keys.first != nil)
    }

    /// The draft of the field `Idempotency-Key` names 409 for a request that is still being carried out.
    @Test(arguments: [true, false])
    func aRepetitionWaitsWhileAnEarlierAttemptIsBeingCarriedOut(isGateway: Bool) async throws {
        transport.stub(
            .post,
            "/x",
            isGateway ? .status(504) : .failure(URLError(.networkConnectionLost)),
            .status(409).header("Retry-After", "7"),
            .status(201)
        )
        let request = HTTPRequest(.post, "/x", body: .text("body"))
        let options = CallOptions(idempotencyKey: .automatic)
        let response = try await send(request, options: options, through: client(), waits: [.seconds(1), .seconds(7)])
        #expect(response.status == 201)
        let first: HTTPStatus? = isGateway ? 504 : nil
        #expect(response.attemptLog?.attempts.map(\.status) == [first, 409, 201])
    }

    @Test(arguments: [true, false])
    func aConflictThatNoLostAttemptExplainsIsReturned(isRefused: Bool) async throws {
        transport.stub(
            .put,
            "/x",
            isRefused ? .status(503) : .failure(URLError(.networkConnectionLost)),
            .status(409),
            .status(201)
        )
        let options = CallOptions(idempotencyKey: isRefused ? .automatic : nil)
        let request = HTTPRequest(.put, "/x", body: .text("body"))
        let response = try await send(request, options: options, through: client(), waits: [.seconds(1)])
        #expect(response.status == 409)
        #expect(response.attemptLog?.stop == .answered)
    }

    /// The interceptor leaves the default outcome of its error, which is that nothing was sent.
    @Test func aPostThatMayHaveArrivedIsNotRepeatedForTheErrorOfAnInterceptor() async throws {
        transport.stub(.post, "/x", .failure(URLError(.networkConnectionLost)), .status(201))
        let renaming = Intercepting(stage: .attempt) { request, context, next in
            do {
                return try await next(request, context)
            } catch {
                throw NetKitError(.connectionLost, "The gateway is gone.", cause: error)
            }
        }
        let client = client(RetryPolicy(backoffStrategy: .fixed(interval: .zero)), budget: nil, renaming)
        let request = HTTPRequest(.post, "/x", body: .text("body"))
        let error = await #expect(throws: NetKitError.self) { try await client.send(request) }
        #expect(error?.outcome == .unknown)
        #expect(error?.attemptLog?.stop == .notIdempotent)
        #expect(transport.requests.count == 1)
    }

    /// The queue decides about further attempts.
    @Test func aReplayOfAQueueIsNotRepeated() async throws {
        transport.stub(.get, "/x", .status(503))
        let client = client(RetryPolicy(backoffStrategy: .fixed(interval: .zero)))
        var options = CallOptions()
        options.tags[QueuedReplay.self] = QueuedReplay(id: UUID(), attempt: 1)
        #expect(try await client.send(HTTPRequest(.get, "/x"), options: options).status == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func anEarlierHopsRetriesStayInTheLog() async throws {
        transport.stub(.get, "/x", .status(503), .redirect(to: "/v1/y"))
        transport.stub(.get, "/y", .status(200))
        let response = try await send(through: client(), waits: [.seconds(1)])
        #expect(response.status == 200)
        #expect(response.attemptLog?.attempts.map(\.status) == [503, 302])
    }

    @Test func theLogOfSeveralHopsCountsOn() async throws {
        transport.stub(.get, "/x", .status(503), .redirect(to: "/v1/y"))
        transport.stub(.get, "/y", .status(502), .status(200))
        let response = try await send(through: client(), waits: [.seconds(1), .seconds(1)])
        #expect(response.attemptLog?.attempts.map(\.number) == [1, 2, 3, 4])
        #expect(response.attemptLog?.attempts.map(\.startedAfter) == [0, 1, 1, 2].map { .seconds($0) })
    }

    @Test func explainDescribesThePolicy() {
        #expect(
            client().explain().contains("retry: up to 3 attempts, 1 s each time, no jitter, budget of 500 per host")
        )
        #expect(client(budget: nil).explain().contains("no jitter, no budget"))
        #expect(client(RetryPolicy.none).explain().contains("retry: one attempt"))
    }
}
