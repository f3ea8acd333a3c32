import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct CoalesceInterceptorTests {
    private let time = TestClock()
    private let transport = MockTransport()
    private let sharing = CoalesceInterceptor()
    private let client: HTTPClient

    init() {
        client = .testing(transport, sharing, time: time)
        transport.stub(nil, "**", .text("body").delayed(by: .seconds(10)))
    }

    private func get(
        _ path: RequestPath = "/x",
        _ options: CallOptions = CallOptions(),
        buffered: Bool = true
    ) -> Task<String, any Error> {
        let client = client
        var options = options
        if buffered { options.delivery = .buffered(upTo: 100) }
        return Task { [options] in
            let response = try await client.send(HTTPRequest(.get, path), options: options)
            return try await response.body.text(upTo: 100)
        }
    }

    @Test func identicalReadsShareOneExchange() async throws {
        let calls = (0..<50).map { _ in get() }
        try await waitUntil { sharing.callCount == 50 }
        #expect(sharing.exchangeCount == 1)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(10))
        for call in calls { #expect(try await call.value == "body") }
        #expect(transport.requests.count == 1)
        #expect(sharing.exchangeCount == 0)
        #expect(client.activeCallCount == 0)
    }

    @Test func aLaterCallAsksAgain() async throws {
        for count in 1...2 {
            let call = get()
            await time.waitForSleepers(1)
            time.advance(by: .seconds(10))
            #expect(try await call.value == "body")
            #expect(transport.requests.count == count)
        }
    }

    @Test func aFailureReachesEveryCaller() async throws {
        transport.stub(.get, "/bad", .failure(URLError(.networkConnectionLost)).delayed(by: .seconds(1)))
        let calls = (0..<3).map { _ in get("/bad") }
        try await waitUntil { sharing.callCount == 3 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        for call in calls {
            let error = await #expect(throws: NetKitError.self) { try await call.value }
            #expect(error?.code == .connectionLost)
            #expect(error?.attempts == 1)
            #expect(error?.outcome == .unknown)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func oneCallersCancellationLeavesTheOthersAlone() async throws {
        let first = get()
        try await waitUntil { sharing.callCount == 1 }
        let second = get()
        try await waitUntil { sharing.callCount == 2 }
        await time.waitForSleepers(1)
        first.cancel()
        #expect(await outcome(of: first) == "cancelled")
        #expect(time.sleeperCount == 1)
        time.advance(by: .seconds(10))
        #expect(try await second.value == "body")
        #expect(transport.requests.count == 1)
    }

    @Test func theLastCallersCancellationEndsTheExchange() async throws {
        let calls = (0..<3).map { _ in get() }
        try await waitUntil { sharing.callCount == 3 }
        await time.waitForSleepers(1)
        for call in calls { call.cancel() }
        for call in calls { #expect(await outcome(of: call) == "cancelled") }
        try await waitUntil { time.sleeperCount == 0 }
        #expect(sharing.exchangeCount == 0)
    }

    @Test func eachCallKeepsItsOwnDeadline() async throws {
        let hurried = get("/x", CallOptions(timeout: .seconds(2)))
        try await waitUntil { sharing.callCount == 1 }
        let patient = get()
        try await waitUntil { sharing.callCount == 2 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(2))
        let error = await #expect(throws: NetKitError.self) { try await hurried.value }
        #expect(error?.timeoutPhase == .deadline)
        // The shared request was sent, and the error says so.
        #expect(error?.outcome == .unknown)
        #expect(error?.attempts == 1)
        time.advance(by: .seconds(8))
        #expect(try await patient.value == "body")
        #expect(transport.requests.count == 1)
    }

    @Test func theFirstOnesInheritedDeadlineIsNotThatOfTheExchange() async throws {
        let seen = Notebook<Bool>()
        let client = HTTPClient.testing(
            transport,
            sharing,
            StagedInterceptor(.auth) { request, context, next in
                // A nested call, such as a refresh, inherits the settings here.
                let nested = HTTPClient.testing(
                    MockTransport { _, context in
                        seen.add(context.deadline == nil)
                        return HTTPResponse(status: .ok)
                    }
                )
                _ = try await nested.send(HTTPRequest(.get, "/refresh"))
                seen.add(context.deadline == nil)
                return try await next(request, context)
            },
            time: time
        )
        let clock = time.clock
        let call = Task {
            try await withDeadline(.seconds(60), clock: clock) {
                try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(delivery: .buffered(upTo: 100)))
            }
        }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(10))
        _ = try await call.value
        #expect(seen.entries == [true, false])
    }

    @Test func streamedBodiesAreNotShared() async throws {
        let calls = (0..<3).map { _ in get(buffered: false) }
        await time.waitForSleepers(3)
        #expect(transport.requests.count == 3)
        #expect(sharing.exchangeCount == 0)
        time.advance(by: .seconds(10))
        for call in calls { #expect(try await call.value == "body") }
    }

    @Test func principalsAreKeptApart() async throws {
        let calls = ["one", "one", "two"].map { get("/x", CallOptions(principal: Principal($0))) }
        try await waitUntil { sharing.callCount == 3 }
        #expect(sharing.exchangeCount == 2)
        await time.waitForSleepers(2)
        time.advance(by: .seconds(10))
        for call in calls { _ = try await call.value }
        #expect(transport.requests.count == 2)
    }

    @Test func anInterceptorThatAddsACredentialNamesItsIdentity() async throws {
        struct Signing: CredentialAdding {
            let stage = Stage.auth
            let secretHeaderNames: Set<String> = ["X-Key"]

            func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity? {
                CredentialIdentity(request.headers["X-Tenant"] ?? "none")
            }

            func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
                try await next(request, context)
            }
        }
        let sharing = CoalesceInterceptor(ignoring: ["X-Tenant"])
        let client = HTTPClient.testing(transport, sharing, Signing(), time: time)
        let calls = ["a", "a", "b"].map { tenant in
            Task {
                let request = HTTPRequest(.get, "/x", headers: ["X-Tenant": tenant])
                return try await client.send(request, options: CallOptions(delivery: .buffered(upTo: 100)))
            }
        }
        try await waitUntil { sharing.callCount == 3 }
        #expect(sharing.exchangeCount == 2)
        await time.waitForSleepers(2)
        time.advance(by: .seconds(10))
        for call in calls { _ = try await call.value }
    }

    /// The URL of the reads may be written in another way than that of the write.
    @Test(arguments: ["/x", "/x#part", "/%78", "https://API.example.com:443/v1/x"] as [RequestPath])
    func aReadAfterAWriteDoesNotJoinAnExchangeFromBefore(path: RequestPath) async throws {
        transport.stub(.post, "/x", .status(204))
        let before = get(path)
        await time.waitForSleepers(1)
        _ = try await client.send(HTTPRequest(.post, "/x"))
        let after = (0..<2).map { _ in get(path) }
        try await waitUntil { sharing.callCount == 3 }
        try #require(sharing.exchangeCount == 2)
        await time.waitForSleepers(2)
        time.advance(by: .seconds(10))
        for call in [before] + after { #expect(try await call.value == "body") }
        #expect(transport.requests.map(\.method) == [.get, .post, .get])
        #expect(sharing.exchangeCount == 0)
    }

    /// The exchange began during the write, and its response may be older than the change.
    @Test func aReadAfterAWriteDoesNotJoinAnExchangeFromDuringIt() async throws {
        transport.stub(.post, "/x", .status(204).delayed(by: .seconds(1)))
        let client = client
        let write = Task { try await client.send(HTTPRequest(.post, "/x")) }
        await time.waitForSleepers(1)
        let during = get()
        await time.waitForSleepers(2)
        time.advance(by: .seconds(1))
        _ = try await write.value
        let after = get()
        try await waitUntil { sharing.callCount == 2 }
        #expect(sharing.exchangeCount == 2)
        for call in [during, after] {
            call.cancel()
            #expect(await outcome(of: call) == "cancelled")
        }
    }

    /// Calls may have one identifier in common, to be cancelled together.
    @Test func nobodySharesWithoutAnIdentity() async throws {
        let auth = AuthInterceptor { "token" }
        let client = HTTPClient.testing(transport, sharing, auth, time: time)
        let options = CallOptions(id: CallID(), delivery: .buffered(upTo: 100))
        let calls = (0..<2).map { _ in Task { try await client.send(HTTPRequest(.get, "/x"), options: options) } }
        await time.waitForSleepers(2)
        #expect(sharing.callCount == 0)
        time.advance(by: .seconds(10))
        for call in calls { _ = try await call.value }
        #expect(transport.requests.count == 2)
    }

    @Test func theNameOfACredentialIsNoPrincipalOfTags() async throws {
        struct Tenant: CallTag { let name: String }
        let client = HTTPClient.testing(
            transport,
            sharing,
            AuthInterceptor.bearer("t", identity: "service"),
            time: time
        )
        let calls = ["a", "b"].map { name in
            var options = CallOptions(delivery: .buffered(upTo: 100))
            options.tags[Tenant.self] = Tenant(name: name)
            return Task { [options] in try await client.send(HTTPRequest(.get, "/x"), options: options) }
        }
        await time.waitForSleepers(2)
        time.advance(by: .seconds(10))
        for call in calls { _ = try await call.value }
        #expect(transport.requests.count == 2)
    }

    @Test func theSharedExchangeCarriesTheCredentialOfTheBaseURL() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let auth = AuthInterceptor(TokenStore(initial: "t"))
        let client = HTTPClient.testing(transport, sharing, auth, time: time)
        let options = CallOptions(delivery: .buffered(upTo: 100))
        _ = try await client.send(HTTPRequest(.get, "/x"), options: options)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t"])
    }

    @Test func theRetriesOfTheSharedExchangeAreEveryCallersOwn() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.random = .seeded(5)
        let transport = MockTransport()
        transport.stub(.get, "/x", .status(503), .failure(URLError(.networkConnectionLost)))
        let policy = RetryPolicy(maxAttempts: 2, backoffStrategy: .fixed(interval: .seconds(1)))
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [sharing, RetryInterceptor(policy)],
            configuration: configuration
        )
        let calls = (0..<3).map { _ in
            Task {
                try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(delivery: .buffered(upTo: 100)))
            }
        }
        try await waitUntil { sharing.callCount == 3 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        let delay = Duration(clampingSeconds: RandomSource.seeded(5).unitInterval())
        for call in calls {
            let error = await #expect(throws: NetKitError.self) { try await call.value }
            #expect(error?.attemptLog?.attempts.map(\.code) == [nil, .connectionLost])
            #expect(error?.attemptLog?.attempts.first?.delay == delay)
            #expect(error?.attemptLog?.stop == .attemptsUsedUp)
        }
        #expect(transport.requests.count == 2)
    }

    @Test func theRetriesOfSeveralSharedHopsAreOneLog() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .status(503), .redirect(to: "/v1/y"))
        transport.stub(.get, "/y", .status(502), .status(200))
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .seconds(1)), jitter: .none)
        let time = TestClock(skipsSleeps: true)
        let client = HTTPClient.testing(transport, sharing, RetryInterceptor(policy), time: time)
        let options = CallOptions(delivery: .buffered(upTo: 100))
        let response = try await client.send(HTTPRequest(.get, "/x"), options: options)
        #expect(response.attemptLog?.attempts.map(\.status) == [503, 302, 502, 200])
        #expect(response.attemptLog?.attempts.map(\.number) == [1, 2, 3, 4])
        #expect(response.attemptLog?.attempts.map(\.startedAfter) == [0, 1, 1, 2].map { .seconds($0) })
        #expect(response.attemptLog?.stop == .answered)
    }

    /// Real tasks: calls that come and go at random share, and each ends exactly once.
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func everyCallEndsUnderAnyFault(seed: UInt64) async throws {
        let random = RandomSource.seeded(seed)
        let sent = Shared(0)
        let transport = ScriptedTransport { _, _ in
            sent.withLock { $0 += 1 }
            for _ in 0..<(random.next() % 30) {
                try Task.checkCancellation()
                await Task.yield()
            }
            return HTTPResponse(status: .ok, body: ResponseBody(Data("body".utf8)))
        }
        let client = HTTPClient.testing(transport, sharing)
        var wrong = 0
        await withTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    for _ in 0..<(random.next() % 40) { await Task.yield() }
                    let request = HTTPRequest(.get, "/\(number % 3)")
                    let options = CallOptions(delivery: .buffered(upTo: 100))
                    let call = Task { try await client.send(request, options: options) }
                    let isCancelled = random.next() % 3 == 0
                    if isCancelled { call.cancel() }
                    switch await call.result {
                    case .success(let response): return response.body.buffered == Data("body".utf8)
                    case .failure(let error): return isCancelled && error is CancellationError
                    }
                }
            }
            for await isRight in group where !isRight { wrong += 1 }
        }
        #expect(wrong == 0)
        #expect(sent.withLock { $0 } < 300)
        #expect(sharing.exchangeCount == 0)
        #expect(sharing.callCount == 0)
    }
}
