import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests that a refused value is not used again because a server has extended it meanwhile.
@Suite(.timeLimit(.minutes(5)))
struct RefusedTokenTests {
    private let simulation = Simulation(seed: 1)
    private let vault: InMemoryTokenVault

    private var clock: NetKitClock { simulation.clock }

    init() {
        vault = InMemoryTokenVault(clock: simulation.clock)
    }

    private func store(_ refresh: @escaping @Sendable (AccessToken?) async throws -> AccessToken) -> TokenStore {
        TokenStore(shared: vault.replica(), identity: "service", refreshAhead: .zero, clock: clock, refresh: refresh)
    }

    @Test func aTokenThatAnotherProcessHasExtendedDoesNotReplaceARefusedOne() async throws {
        let (value, clock) = (Notebook<String>(), clock)
        value.add("old")
        let refresh: @Sendable (AccessToken?) async throws -> AccessToken = { _ in
            AccessToken(value.entries.last ?? "", expiresIn: .seconds(60), clock: clock)
        }
        let (first, second) = (store(refresh), store(refresh))
        try await simulation.run { [simulation] in
            _ = try await first.token()
            #expect(try await second.token().value == "old")
            try await simulation.sleep(for: .seconds(1))
            #expect(try await first.refresh().value == "old")
            value.add("new")
            let refused = try #require(second.readyToken)
            #expect(try await second.replacement(for: refused)?.token.value == "new")
            #expect(try await first.refresh().value == "new")
        }
    }

    /// The other process has lost its right, and saves while the refresh fails.
    @Test func anExtendedTokenDoesNotReplaceTheErrorOfARefresh() async throws {
        let (simulation, vault) = (simulation, vault)
        let store = store { _ in
            try await simulation.sleep(for: .seconds(1))
            throw RotatingServer.invalidGrant
        }
        try await simulation.run {
            let version = try await vault.replica().save(AccessToken("old"), for: "service", over: nil)
            _ = try await store.token()
            let refused = try #require(store.readyToken)
            async let code = thrownCode { try await store.replacement(for: refused) }
            try await simulation.sleep(for: .milliseconds(500))
            let extended = AccessToken("old", expiresIn: .seconds(60), clock: simulation.clock)
            #expect(try await vault.replica().save(extended, for: "service", over: version) != nil)
            #expect(await code == .server)
        }
    }

    /// A body that trickles has no end, and no idle limit ends it.
    @Test(arguments: [Duration?.none, .seconds(20)])
    func aStreamedRefusalIsReadForTheTimeOfAnAttempt(_ limit: Duration?) async throws {
        let (time, pipe) = (TestClock(), BodyPipe())
        pipe.offer(Data("n".utf8))
        let transport = MockTransport { request, _ in
            guard request.headers["Authorization"] == "Bearer old" else { return HTTPResponse(status: .ok) }
            return HTTPResponse(status: .unauthorized, body: ResponseBody(source: pipe))
        }
        let client = HTTPClient.testing(
            transport,
            AuthInterceptor(TokenStore(initial: "old", clock: TestClock().clock) { _ in "new" }),
            time: time,
            timeouts: Timeouts(connect: nil, idle: nil, attempt: limit)
        )
        let call = Task { try await client.send(HTTPRequest(.get, "/x")).status }
        try await waitUntil { pipe.pendingByteCount == 0 }
        for _ in 1..<(limit == nil ? 30 : 20) {
            time.advance(by: .seconds(1))
            pipe.offer(Data("o".utf8))
        }
        #expect(!pipe.isCancelled)
        time.advance(by: .seconds(1))
        #expect(pipe.isCancelled)
        pipe.finish()
        #expect(try await call.value == .ok)
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [(403, nil), (401, .unauthorized)] as [(HTTPStatus, NetKitError.Code?)])
    func aForbiddenRequestStaysSoAfterTheLimitForRefreshes(status: HTTPStatus, code: NetKitError.Code?) async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: status) }
        let limit = RefreshLimit(maxRefreshes: 1)
        let store = TokenStore(initial: "old", limit: limit, clock: TestClock().clock) { _ in "new" }
        let client = HTTPClient.testing(transport, AuthInterceptor(store, refreshesOnForbidden: true))
        for _ in 0..<2 {
            #expect(await thrownCode { try await client.send(HTTPRequest(.get, "/x")) } == code)
        }
        // The second call was not sent with another token.
        #expect(transport.requests.count == 3)
    }

    @Test func aRefreshBeginsWithTheStoredCopyOfTheRefusedValue() async throws {
        let (saved, seen) = (Notebook<AccessToken?>(), Notebook<AccessToken?>())
        saved.add(AccessToken("old", refreshToken: "r1"))
        let store = TokenStore(
            initial: nil,
            clock: TestClock().clock,
            refresh: { current in
                seen.add(current)
                return AccessToken("new")
            },
            load: { saved.entries.last ?? nil },
            save: { saved.add($0) }
        )
        #expect(try await store.token().value == "old")
        let extended = AccessToken("old", refreshToken: "r2")
        saved.add(extended)
        let refused = try #require(store.readyToken)
        #expect(try await store.replacement(for: refused)?.token.value == "new")
        #expect(seen.entries == [extended])
    }
}
