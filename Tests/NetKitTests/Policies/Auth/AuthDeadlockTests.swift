import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of a refresh that is sent through the client whose calls wait for it.
@Suite(.timeLimit(.minutes(5)))
struct AuthDeadlockTests {
    /// A client whose store refreshes through it.
    private struct Setup {
        let time = TestClock()
        let transport = MockTransport()
        let client: HTTPClient
        let store: TokenStore

        /// The refusal is streamed, so only its end frees the resources of its exchange.
        init(refreshNeedsAuth: Bool, _ interceptors: any Interceptor...) {
            transport.stub(.get, "/x", .stream([Data("refused".utf8)], status: .unauthorized))
            transport.stub(.get, "/x", headers: ["Authorization": "Bearer new"], .stream([Data("welcome".utf8)]))
            transport.stub(.post, "/token", .text("new"))
            let box = Locked<HTTPClient?>(nil)
            store = TokenStore(initial: "old", clock: TestClock().clock) { _ in
                let client = try #require(box.withLock { $0 })
                var login = Endpoint<String>.post("/token")
                login.requiresAuth = refreshNeedsAuth
                defer { box.withLock { $0 = nil } }
                return try await client.send(login)
            }
            var configuration = HTTPClient.Configuration()
            configuration.clock = time.clock
            client = HTTPClient(
                baseURL: exampleBase,
                transport: transport,
                interceptors: InterceptorList([AuthInterceptor(store)] + interceptors),
                configuration: configuration
            )
            box.withLock { [client] in $0 = client }
        }

        var refreshes: [RecordedRequest] { transport.requests.filter { $0.method == .post } }
    }

    /// A client whose token comes from a closure that sends a request through it, and the number of its runs.
    private func client(fetchingWithAuth: Bool, _ runs: Notebook<Bool>) -> HTTPClient {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok, body: ResponseBody(Data("new".utf8))) }
        let box = Locked<HTTPClient?>(nil)
        let auth = AuthInterceptor {
            runs.add(true)
            // It ends by itself if nothing else ends it.
            guard runs.count < 100, let client = box.withLock({ $0 }) else { return nil }
            var login = Endpoint<String>.post("/token")
            login.requiresAuth = fetchingWithAuth
            let token: String = try await client.send(login)
            return token
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [auth])
        box.withLock { $0 = client }
        return client
    }

    @Test func aClosureWhoseRequestNeedsItsTokenIsAnErrorThatSaysWhatToDo() async throws {
        let runs = Notebook<Bool>()
        let client = client(fetchingWithAuth: true, runs)
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/x")) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("requiresAuth") == true)
        #expect(runs.count == 4)
    }

    @Test func aClosureMaySendARequestWithoutItsToken() async throws {
        let runs = Notebook<Bool>()
        let client = client(fetchingWithAuth: false, runs)
        let response = try await client.send(HTTPRequest(.get, "/x"))
        #expect(response.status == .ok)
        #expect(runs.count == 1)
    }

    @Test func aRefreshWithoutAuthPasses() async throws {
        let setup = Setup(refreshNeedsAuth: false)
        let text: String = try await setup.client.send(.get("/x"))
        #expect(text == "welcome")
        #expect(setup.refreshes.map { $0.headers["Authorization"] } == [nil])
    }

    @Test func aRefreshThatRequiresAuthIsSentWithTheOldToken() async throws {
        let setup = Setup(refreshNeedsAuth: true)
        let text: String = try await setup.client.send(.get("/x"))
        #expect(text == "welcome")
        #expect(setup.refreshes.map { $0.headers["Authorization"] } == ["Bearer old"])
    }

    @Test func aRefreshThatIsRefusedItselfIsNotRefreshed() async throws {
        let setup = Setup(refreshNeedsAuth: true)
        setup.transport.stub(.post, "/token", .text("no", status: .unauthorized))
        let error = await #expect(throws: NetKitError.self) {
            let _: String = try await setup.client.send(.get("/x"))
        }
        #expect(error?.code == .server)
        #expect(error?.status == .unauthorized)
        #expect(error?.response?.body == Data("no".utf8))
        #expect(setup.refreshes.count == 1)
    }

    @Test func aRefreshGetsThePermitOfTheRefusedCall() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1, maxTotal: 1)
        let setup = Setup(refreshNeedsAuth: false, limit)
        let calls = (0..<50).map { _ in
            Task { try await setup.client.send(HTTPRequest(.get, "/x")).body.text(upTo: 100) }
        }
        for call in calls { #expect(try await call.value == "welcome") }
        #expect(setup.refreshes.count == 1)
        #expect(limit.runningCount == 0)
        #expect(limit.waitingCount == 0)
    }

    /// No more of a refusal is read than an error stores, and its permit is released before the refresh begins.
    @Test func aRefusalWhoseBodyHasNoEndHoldsNoPermitDuringTheRefresh() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1, maxTotal: 1)
        let setup = Setup(refreshNeedsAuth: false, limit)
        let endless = BodyPipe(maxBytes: .max)
        endless.offer(Data(count: 100_000))
        setup.transport.stub(
            .get,
            "/x",
            .respond { _, _ in HTTPResponse(status: .unauthorized, body: ResponseBody(source: endless)) }
        )
        setup.transport.stub(.get, "/x", headers: ["Authorization": "Bearer new"], .text("welcome"))
        let response = try await setup.client.send(HTTPRequest(.get, "/x"))
        #expect(try await response.body.text(upTo: 100) == "welcome")
        #expect(setup.refreshes.count == 1)
        #expect(limit.runningCount == 0)
    }

    @Test(arguments: [1, 2])
    func aRefreshIsTheNextProbeOfTheBreaker(probes: Int) async throws {
        let breaker = CircuitBreakerInterceptor(
            CircuitBreakerPolicy(minThroughput: 1, breakDuration: .seconds(5), halfOpenProbes: probes)
        )
        let setup = Setup(refreshNeedsAuth: false, breaker)
        setup.transport.stub(.get, "/bad", .status(503))
        _ = try await setup.client.send(HTTPRequest(.get, "/bad"))
        #expect(breaker.troubled.count == 1)
        setup.time.advance(by: .seconds(5))
        let text: String = try await setup.client.send(.get("/x"))
        #expect(text == "welcome")
        #expect(setup.refreshes.count == 1)
        #expect(breaker.troubled.isEmpty)
    }

    @Test func anOpenBreakerFailsTheRefreshAndItsWaiters() async throws {
        let breaker = CircuitBreakerInterceptor()
        let isolating = Intercepting(stage: .wire) { request, context, next in
            let response = try await next(request, context)
            if response.status == .unauthorized, let origin = Origin(request.url) { breaker.isolate(origin) }
            return response
        }
        let setup = Setup(refreshNeedsAuth: false, breaker, isolating)
        let calls = (0..<10).map { _ in Task { try await setup.client.send(HTTPRequest(.get, "/x")) } }
        for call in calls { #expect(await outcome(of: call) == "circuitOpen") }
        #expect(setup.refreshes.isEmpty)
    }

    @Test func twoStoresThatRefreshThroughEachOtherDoNotDeadlock() async throws {
        let stores = Locked<(TokenStore, TokenStore)?>(nil)
        let one = TokenStore(initial: nil, clock: TestClock().clock) { _ in
            try await "1" + (stores.withLock { $0?.1 }?.current()?.token.value ?? "")
        }
        let two = TokenStore(initial: nil, clock: TestClock().clock) { _ in
            try await "2" + (stores.withLock { $0?.0 }?.current()?.token.value ?? "")
        }
        stores.withLock { $0 = (one, two) }
        #expect(try await one.token().value == "12")
        stores.withLock { $0 = nil }
    }
}
