import Foundation
import NetKit
import NetKitTesting
import Testing

/// Logins and logouts of stores that share a token, in virtual time.
@Suite(.timeLimit(.minutes(5)))
struct SharedTokenLoginTests {
    private let simulation = Simulation(seed: 1)
    private let vault: InMemoryTokenVault

    private var clock: NetKitClock { simulation.clock }

    init() {
        vault = InMemoryTokenVault(clock: simulation.clock)
    }

    private func store(_ vault: some TokenVault, identity: String? = nil) -> TokenStore {
        TokenStore(shared: vault, identity: identity, clock: clock) { token in
            AccessToken("after \(token?.value ?? "none")")
        }
    }

    /// A vault of which one response is delayed, even if the caller is cancelled.
    private final class SlowVault: TokenVault {
        /// The times that the next save and the next lease take.
        let pauses = Locked((save: Duration.zero, lease: Duration.zero))
        private let inner: InMemoryTokenVault.Replica
        private let clock: NetKitClock

        init(_ inner: InMemoryTokenVault.Replica, _ clock: NetKitClock) {
            (self.inner, self.clock) = (inner, clock)
        }

        private func pause(for duration: Duration) async throws {
            guard duration > .zero else { return }
            let end = Promise<Void>()
            _ = clock.schedule(at: clock.now.advanced(by: duration)) { end.resolve(.success(())) }
            try await end.value()
        }

        func read() async throws -> SharedToken { try await inner.read() }

        func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            let lease = try await inner.lease(version, by: holder, for: duration)
            let time = pauses.withLock { pauses in
                defer { pauses.lease = .zero }
                return pauses.lease
            }
            try await pause(for: time)
            return lease
        }

        func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
            let time = pauses.withLock { pauses in
                defer { pauses.save = .zero }
                return pauses.save
            }
            try await pause(for: time)
            return try await inner.save(token, for: identity, over: version)
        }

        func release(_ version: Int64, by holder: UUID) async throws { try await inner.release(version, by: holder) }
    }

    /// The login before it is still being saved.
    @Test func aRefreshAfterALoginBeginsWithItsToken() async throws {
        let slow = SlowVault(vault.replica(), clock)
        let store = store(slow)
        try await simulation.run { [simulation, vault] in
            slow.pauses.withLock { $0.save = .seconds(10) }
            async let ada: Void = store.set(AccessToken("ada-1"), identity: "ada")
            try await simulation.sleep(for: .milliseconds(100))
            async let bob: Void = store.set(AccessToken("bob-1"), identity: "bob")
            try await simulation.sleep(for: .milliseconds(100))
            #expect(store.identity == "bob")
            let refused = try #require(store.readyToken)
            #expect(try await store.replacement(for: refused)?.token.value == "after bob-1")
            _ = await (ada, bob)
            #expect(store.identity == "bob")
            #expect(vault.stored.token?.value == "after bob-1")
            #expect(vault.stored.identity == "bob")
        }
    }

    /// The login before it is still being saved.
    @Test func aRefreshAfterALogoutBeginsWithoutAToken() async throws {
        let slow = SlowVault(vault.replica(), clock)
        let store = store(slow)
        try await simulation.run { [simulation, vault] in
            slow.pauses.withLock { $0.save = .seconds(10) }
            async let login: Void = store.set(AccessToken("ada-1"), identity: "ada")
            try await simulation.sleep(for: .milliseconds(100))
            async let logout: Void = store.clear()
            try await simulation.sleep(for: .milliseconds(100))
            #expect(try await store.token().value == "after none")
            _ = await (login, logout)
            #expect(vault.stored.token?.value == "after none")
            #expect(vault.stored.identity == nil)
        }
    }

    /// The vault responds to the refresh of the first login after the second one.
    @Test func aResponseToAnEarlierLoginIsDropped() async throws {
        let slow = SlowVault(vault.replica(), clock)
        let (store, other) = (store(slow), store(vault.replica()))
        try await simulation.run { [simulation, vault] in
            await store.set(AccessToken("ada-1"), identity: "ada")
            await other.set(AccessToken("ada-2"), identity: "ada")
            slow.pauses.withLock { $0.lease = .seconds(2) }
            async let early = store.refresh()
            try await simulation.sleep(for: .seconds(1))
            await store.set(AccessToken("bob-1"), identity: "bob")
            #expect(try await early.value == "bob-1")
            try await simulation.sleep(for: .seconds(5))
            #expect(try await store.refresh().value == "after bob-1")
            #expect(vault.stored.identity == "bob")
        }
    }

    @Test func aTokenThatComesAfterTheTimeLimitIsSavedForItsOwnIdentity() async throws {
        let clock = clock
        let store = TokenStore(shared: vault.replica(), identity: "tenant-7", clock: clock) { _ in
            // It ignores its cancellation, as a request that has been sent does.
            let response = Promise<Void>()
            _ = clock.schedule(at: clock.now.advanced(by: .seconds(35))) { response.resolve(.success(())) }
            try await response.value()
            return AccessToken("of tenant-8")
        }
        let next = self.store(vault.replica(), identity: "tenant-7")
        try await simulation.run { [simulation, vault] in
            await store.set(AccessToken("old"), identity: "tenant-8")
            #expect(await thrownCode { try await store.refresh() } == .timeout)
            try await simulation.sleep(for: .seconds(10))
            #expect(vault.stored.token?.value == "of tenant-8")
            #expect(vault.stored.identity == "tenant-8")
            #expect(try await next.token().value == "after none")
        }
    }

    /// The name with which both stores were created does not matter after a login with another one.
    @Test(arguments: [nil, "ada"] as [String?])
    func aLoginWithANameTakesNoTokenOfAnotherName(_ created: String?) async throws {
        let (bob, ada) = (store(vault.replica(), identity: created), store(vault.replica(), identity: created))
        try await simulation.run { [vault] in
            await bob.set(AccessToken("bob-1"), identity: "bob")
            await ada.set(AccessToken("ada-1"), identity: "ada")
            let renewed = try await bob.refresh()
            #expect(renewed.value == "after bob-1")
            #expect(bob.identity == "bob")
            #expect(vault.stored.identity == "bob")
        }
    }

    @Test func aRefreshWithoutANameKeepsTheNameOfTheToken() async throws {
        let (named, nameless) = (store(vault.replica()), store(vault.replica()))
        try await simulation.run { [vault] in
            await named.set(AccessToken("ada-1"), identity: "ada")
            let (found, renewed) = (try await nameless.token(), try await nameless.refresh())
            #expect([found.value, renewed.value] == ["ada-1", "after ada-1"])
            #expect(vault.stored.identity == "ada")
            let again = try await named.refresh()
            #expect(again.value == "after ada-1")
        }
    }

    @Test func theTokenOfAnotherIdentityIsNotUsed() async throws {
        let other = TokenStore(shared: vault.replica(), identity: "other", clock: clock)
        let store = store(vault.replica(), identity: "service")
        try await simulation.run {
            await other.set(AccessToken("t"))
            let token = try await store.token()
            #expect(token.value == "after none")
        }
    }
}
