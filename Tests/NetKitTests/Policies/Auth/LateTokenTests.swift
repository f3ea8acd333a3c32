import NetKit
import NetKitTesting
import Testing

/// Tests of tokens that come after the time limit of their refresh, in virtual time.
@Suite(.timeLimit(.minutes(5)))
struct LateTokenTests {
    private let simulation = Simulation(seed: 1)
    private let server: RotatingServer
    private let saved = Notebook<String>()

    init() { server = RotatingServer(simulation.clock) }

    /// Waits for 35 seconds, 5 more than the store does, and ignores the cancellation, as a request that was sent does.
    private func waitForResponse(_ duration: Duration = .seconds(35)) async throws {
        let response = Promise<Void>()
        let clock = simulation.clock
        _ = clock.schedule(at: clock.now.advanced(by: duration)) { response.resolve(.success(())) }
        try await response.value()
    }

    /// Refreshes a token; the first response is late.
    private func refresh(_ current: AccessToken?) async throws -> AccessToken {
        let isFirst = server.number == 0
        let token = try server.renew(current)
        if isFirst { try await waitForResponse() }
        return token
    }

    /// Creates a store, which calls a function before each refresh.
    private func store(
        saves: Bool = false,
        before: @escaping @Sendable () async throws -> Void = {}
    ) -> TokenStore {
        var save: (@Sendable (AccessToken?) async throws -> Void)?
        if saves { save = { [saved] in saved.add($0?.value ?? "none") } }
        return TokenStore(
            initial: nil,
            clock: simulation.clock,
            refresh: { [self] current in
                try await before()
                return try await refresh(current)
            },
            save: save
        )
    }

    /// The server has replaced the refresh token, and accepts the old one no more.
    @Test(arguments: [false, true])
    func isUsedAndSaved(saves: Bool) async throws {
        let store = store(saves: saves)
        try await simulation.run { [simulation] in
            #expect(await thrownCode { try await store.token() } == .timeout)
            try await simulation.sleep(for: .seconds(10))
            #expect(try await store.token().value == "a1")
            try await simulation.sleep(for: .seconds(30))
            #expect(try await store.token().value == "a2")
        }
        #expect(server.complaints == [])
        #expect(saved.entries == (saves ? ["a1", "a2"] : []))
    }

    @Test func isUsedAfterALaterRefreshFailed() async throws {
        let store = store()
        try await simulation.run { [simulation] in
            #expect(await thrownCode { try await store.token() } == .timeout)
            #expect(await thrownCode { try await store.token() } == .server)
            try await simulation.sleep(for: .seconds(10))
            #expect(try await store.token().value == "a1")
        }
    }

    /// The other refresh began with the old token, which the server accepts no more. It fails after the token has come.
    @Test(arguments: [false, true])
    func isUsedAndSavedAfterAnotherRefreshFailed(saves: Bool) async throws {
        let store = store(saves: saves) { [self] in
            if server.number > 0 { try await waitForResponse(.seconds(10)) }
        }
        try await simulation.run { [simulation] in
            #expect(await thrownCode { try await store.token() } == .timeout)
            #expect(await thrownCode { try await store.token() } == .server)
            #expect(simulation.now == .seconds(40))
            try await simulation.sleep(for: .seconds(1))
            #expect(try await store.token().value == "a1")
        }
        #expect(saved.entries == (saves ? ["a1"] : []))
    }

    /// A service that stops must not lose it: the other refresh fails after it has come, or there is no other one.
    @Test(arguments: [false, true])
    func isSavedBeforeAFlushEnds(besideAnother: Bool) async throws {
        let store = store(saves: true) { [self] in
            if server.number > 0 { try await waitForResponse(.seconds(10)) }
        }
        try await simulation.run { [simulation, saved] in
            #expect(await thrownCode { try await store.token() } == .timeout)
            // A child task, because another one would leave the simulation.
            async let other = besideAnother ? store.token() : nil
            try await simulation.sleep(for: .seconds(3))
            let isSaved = await store.flush(within: .seconds(60))
            #expect(isSaved)
            #expect(saved.entries == ["a1"])
            _ = try? await other
        }
    }

    @Test func isUsedIfItWasStored() async throws {
        let store = TokenStore(
            initial: nil,
            clock: simulation.clock,
            refresh: refresh,
            load: { [self] in
                try await waitForResponse()
                return AccessToken("stored")
            }
        )
        try await simulation.run { [simulation] in
            #expect(await thrownCode { try await store.token() } == .timeout)
            try await simulation.sleep(for: .seconds(10))
            #expect(try await store.token().value == "stored")
        }
        #expect(server.number == 0)
    }

    @Test(arguments: ["login", nil])
    func isDroppedAfterALoginOrALogout(_ login: String?) async throws {
        let store = store()
        try await simulation.run { [simulation] in
            #expect(await thrownCode { try await store.token() } == .timeout)
            if let login { await store.set(AccessToken(login)) } else { await store.clear() }
            try await simulation.sleep(for: .seconds(10))
            #expect(store.readyToken?.token.value == login)
        }
    }

    /// A refresh that ignores its cancellation could keep a service from stopping.
    @Test(arguments: ["login", nil])
    func isNotAwaitedByAFlushAfterALoginOrALogout(_ login: String?) async throws {
        let store = store()
        try await simulation.run { [simulation] in
            #expect(await thrownCode { try await store.token() } == .timeout)
            async let isSaved = store.flush(within: .seconds(60))
            try await simulation.sleep(for: .seconds(1))
            if let login { await store.set(AccessToken(login)) } else { await store.clear() }
            #expect(await isSaved)
            #expect(simulation.now == .seconds(31))
        }
    }

    /// The first refresh still has the right to it, and its token is saved for the second one.
    @Test func isSavedForALaterRefreshThatWaitsForTheVault() async throws {
        let vault = InMemoryTokenVault(clock: simulation.clock)
        let store = TokenStore(shared: vault.replica(), clock: simulation.clock, refresh: refresh)
        try await simulation.run { [simulation] in
            #expect(await thrownCode { try await store.token() } == .timeout)
            let token = try await store.token()
            #expect(token.value == "a1")
            #expect(simulation.now < .seconds(40))
        }
        #expect(server.complaints == [])
    }
}
