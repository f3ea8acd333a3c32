import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of stores that share a token, in virtual time.
@Suite(.timeLimit(.minutes(5)))
struct SharedTokenTests {
    private let simulation = Simulation(seed: 1)
    private let vault: InMemoryTokenVault
    private let server: RotatingServer

    private var clock: NetKitClock { simulation.clock }

    init() {
        vault = InMemoryTokenVault(clock: simulation.clock)
        server = RotatingServer(simulation.clock)
    }

    private func store(
        _ replica: InMemoryTokenVault.Replica? = nil,
        ahead: Duration = .zero,
        _ refresh: (@Sendable (AccessToken?) async throws -> AccessToken)? = nil
    ) -> TokenStore {
        let (server, simulation) = (server, simulation)
        return TokenStore(
            shared: replica ?? vault.replica(),
            identity: "service",
            refreshAhead: ahead,
            clock: clock,
            refresh: refresh ?? { token in
                try await simulation.sleep(for: .milliseconds(200))
                return try server.renew(token)
            }
        )
    }

    @Test func twoStoresRefreshOnce() async throws {
        let (first, second) = (store(), store())
        try await simulation.run { [simulation] in
            for number in 1...5 {
                async let one = first.token()
                async let two = second.token()
                #expect(try await [one.value, two.value] == ["a\(number)", "a\(number)"])
                try await simulation.sleep(for: .seconds(60))
            }
        }
        #expect(server.number == 5)
        #expect(server.complaints == [])
        #expect(vault.stored.identity == "service")
    }

    @Test func aTokenThatAnotherProcessHasFetchedIsUsedInsteadOfARefresh() async throws {
        let (first, second) = (store(), store())
        try await simulation.run {
            _ = try await first.token()
            _ = try await second.token()
            let refused = try #require(second.readyToken)
            #expect(try await first.refresh().value == "a2")
            #expect(try await second.replacement(for: refused)?.token.value == "a2")
            // A request for a newer token than the one of this process is met by the other's as well.
            #expect(try await first.refresh().value == "a3")
            #expect(try await second.refresh().value == "a3")
        }
        #expect(server.number == 3)
    }

    /// A server may return the same token with a later expiry.
    @Test func aTokenThatAnotherProcessHasExtendedIsUsedInsteadOfARefresh() async throws {
        let refreshes = Notebook<Int>()
        let stores = (0...1).map { number in
            store { _ in
                refreshes.add(number)
                return AccessToken("same")
            }
        }
        try await simulation.run {
            for number in [0, 1, 0, 1] { _ = try await stores[number].refresh() }
        }
        #expect(refreshes.entries == [0, 0])
    }

    @Test func whileTheVaultIsAwayAValidTokenIsUsedAndNoneIsFetched() async throws {
        let replica = vault.replica()
        let store = store(replica, ahead: .seconds(10))
        try await simulation.run { [simulation] in
            #expect(try await store.token().value == "a1")
            replica.cutOff()
            for _ in 0..<59 {
                try await simulation.sleep(for: .seconds(1))
                #expect(try await store.token().value == "a1")
            }
            try await simulation.sleep(for: .seconds(10))
            let error = await #expect(throws: NetKitError.self) { try await store.token() }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.message.contains("another process may be fetching one") == true)
            replica.cutOff(false)
            try await simulation.sleep(for: .seconds(10))
            #expect(try await store.token().value == "a2")
        }
        #expect(server.number == 2)
    }

    private struct Strange: Error {}

    private struct BrokenVault: TokenVault {
        func read() async throws -> SharedToken { throw Strange() }
        func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            throw Strange()
        }
        func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
            throw Strange()
        }
        func release(_ version: Int64, by holder: UUID) async throws { throw Strange() }
    }

    @Test func anUnknownErrorOfAVaultSaysWhatToDo() async throws {
        let store = TokenStore(shared: BrokenVault(), clock: TestClock().clock) { _ in AccessToken("new") }
        let error = await #expect(throws: NetKitError.self) { try await store.token() }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.cause is Strange)
        #expect(error?.message.contains("Check the store") == true)
    }

    @Test func aTokenThatCannotBeSavedIsUsedAndSavedLater() async throws {
        let (replica, server) = (vault.replica(), server)
        let store = store(replica) { token in
            replica.cutOff()
            return try server.renew(token)
        }
        let other = self.store()
        try await simulation.run { [simulation, vault] in
            #expect(try await store.token().value == "a1")
            #expect(store.saveProblem != nil)
            #expect(store.warnings.count == 1)
            #expect(vault.stored.token == nil)
            try await simulation.sleep(for: .seconds(20))
            replica.cutOff(false)
            try await simulation.sleep(for: .seconds(6))
            #expect(store.saveProblem == nil)
            #expect(vault.stored.token?.value == "a1")
            #expect(try await other.token().value == "a1")
        }
        #expect(server.number == 1)
    }

    /// Saves fail, everything else works: the right is extended until the token is saved.
    @Test func noOtherProcessSpendsATokenWhoseSuccessorIsNotSavedYet() async throws {
        let (simulation, server) = (simulation, server)
        let picky = PickyVault(vault.replica())
        let store = TokenStore(shared: picky, identity: "service", refreshAhead: .zero, clock: clock) {
            try server.renew($0)
        }
        let other = self.store()
        try await simulation.run { [vault] in
            picky.refusesSaves.withLock { $0 = true }
            #expect(try await store.token().value == "a1")
            async let waiting = other.token()
            try await simulation.sleep(for: .seconds(25))
            #expect(server.number == 1)
            #expect(vault.stored.token == nil)
            picky.refusesSaves.withLock { $0 = false }
            #expect(try await waiting.value == "a1")
        }
        #expect(server.complaints == [])
    }

    /// A vault that refuses saves on command.
    private final class PickyVault: TokenVault {
        let refusesSaves = Locked(false)
        private let inner: any TokenVault

        init(_ inner: any TokenVault) { self.inner = inner }

        func read() async throws -> SharedToken { try await inner.read() }

        func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            try await inner.lease(version, by: holder, for: duration)
        }

        func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
            if refusesSaves.withLock({ $0 }) { throw NetKitError(.storeUnavailable, "full") }
            return try await inner.save(token, for: identity, over: version)
        }

        func release(_ version: Int64, by holder: UUID) async throws { try await inner.release(version, by: holder) }
    }

    @Test(arguments: [true, false])
    func aSaveWhoseAnswerIsLostDoesNoHarm(isRefreshedElsewhere: Bool) async throws {
        let replica = vault.replica()
        let (store, other) = (store(replica), store())
        try await simulation.run { [simulation] in
            replica.loseSaves(1)
            #expect(try await store.token().value == "a1")
            try await simulation.sleep(for: .seconds(1))
            #expect(store.saveProblem == nil)
            #expect(try await other.token().value == "a1")
            if isRefreshedElsewhere { #expect(try await other.refresh().value == "a2") }
            #expect(try await store.refresh().value == "a2")
        }
        #expect(server.complaints == [])
    }

    /// Another process, which has lost its right, saves before or soon after the server refuses this one.
    @Test(arguments: [Duration.milliseconds(-100), .milliseconds(600)])
    func anInvalidGrantReadsTheVaultAgain(delay: Duration) async throws {
        let (simulation, vault) = (simulation, vault)
        let store = store { _ in
            try await simulation.sleep(for: .seconds(1))
            throw RotatingServer.invalidGrant
        }
        try await simulation.run {
            async let token = store.token()
            try await simulation.sleep(for: .seconds(1) + delay)
            let late = AccessToken("late")
            #expect(try await vault.replica().save(late, for: "service", over: 0) == 1)
            #expect(try await token == late)
        }
    }

    @Test func anInvalidGrantIsThrownIfThereIsNoOtherToken() async throws {
        let (simulation, store) = (simulation, store { _ in throw RotatingServer.invalidGrant })
        try await simulation.run {
            let start = simulation.now
            #expect(await thrownCode { try await store.token() } == .server)
            #expect(simulation.now - start < .milliseconds(1_500))
        }
    }

    /// The token of an expired version is needed for the next refresh, also after a failed one.
    @Test func aRefreshThatFailedIsRepeatedWithTheNewestToken() async throws {
        let (simulation, server, failures) = (simulation, server, Notebook<Int>())
        let first = store()
        let second = store { token in
            failures.add(1)
            if failures.count % 2 == 1 { throw NetKitError(.connect, "down") }
            return try server.renew(token)
        }
        try await simulation.run {
            _ = try await first.token()
            try await simulation.sleep(for: .seconds(100))
            // It knows the token of the first store, which has expired.
            #expect(await thrownCode { try await second.token() } == .connect)
            #expect(try await second.token().value == "a2")
            _ = try await first.refresh()
            _ = try await first.refresh()
            try await simulation.sleep(for: .seconds(100))
            #expect(await thrownCode { try await second.token() } == .connect)
            #expect(try await second.token().value == "a4")
        }
        #expect(server.complaints == [])
    }

    @Test func aProcessThatDiesHoldsUpTheOthersForItsLease() async throws {
        let (simulation, replica, server) = (simulation, vault.replica(), server)
        let dying = store(replica) { _ in
            replica.cutOff()
            try await simulation.sleep(for: .seconds(3600))
            throw CancellationError()
        }
        let other = store()
        try await simulation.run {
            async let dead = thrownCode { try await dying.token() }
            try await simulation.sleep(for: .seconds(1))
            let start = simulation.now
            #expect(try await other.token().value == "a1")
            #expect(simulation.now - start <= .milliseconds(15_500))
            #expect(await dead == .timeout)
        }
        #expect(server.number == 1)
    }

    @Test func aRefreshThatTakesLongerThanALeaseKeepsItsRight() async throws {
        let (simulation, server) = (simulation, server)
        let slow = store { token in
            try await simulation.sleep(for: .seconds(25))
            return try server.renew(token)
        }
        let other = store()
        try await simulation.run {
            async let first = slow.token()
            try await simulation.sleep(for: .seconds(1))
            #expect(try await other.token().value == "a1")
            #expect(try await first.value == "a1")
        }
        #expect(server.number == 1)
    }

    /// A refresh that was cut short after the server took the old token would lose the new one.
    @Test func theTimeLimitOfARefreshBeginsWithTheRight() async throws {
        let (simulation, server, vault) = (simulation, server, vault)
        let slow = store { token in
            let next = try server.renew(token)
            try await simulation.sleep(for: .seconds(20))
            return next
        }
        try await simulation.run {
            // Another process has the right, and dies.
            _ = try await vault.replica().lease(0, by: UUID(), for: .seconds(25))
            #expect(try await slow.token().value == "a1")
        }
        #expect(server.number == 1)
    }

    @Test func aRightIsGivenBackAfterAFailure() async throws {
        let (simulation, server, failures) = (simulation, server, Notebook<Int>())
        let first = store { token in
            failures.add(1)
            if failures.count == 1 { throw NetKitError(.connect, "down") }
            return try server.renew(token)
        }
        let second = store()
        try await simulation.run {
            #expect(await thrownCode { try await first.token() } == .connect)
            let start = simulation.now
            let token = try await second.token()
            #expect(token.value == "a1")
            #expect(simulation.now - start < .seconds(1))
            #expect(try await first.token().value == "a1")
        }
    }

    /// A vault that does not respond at once ends with the cancellation of its caller.
    @Test(arguments: [Duration.zero, .milliseconds(100)])
    func aTokenThatComesAfterTheTimeLimitIsKept(delay: Duration) async throws {
        let (simulation, server, clock, replica) = (simulation, server, clock, vault.replica())
        replica.slowDown(to: delay)
        let store = store(replica) { token in
            guard server.number == 0 else { return try server.renew(token) }
            // It ignores its cancellation, as a request that has been sent does.
            let response = Promise<Void>()
            _ = clock.schedule(at: clock.now.advanced(by: .seconds(35))) { response.resolve(.success(())) }
            try await response.value()
            return try server.renew(token)
        }
        try await simulation.run { [vault] in
            #expect(await thrownCode { try await store.token() } == .timeout)
            try await simulation.sleep(for: .seconds(10))
            #expect(vault.stored.token?.value == "a1")
            #expect(try await store.token().value == "a1")
        }
        #expect(server.number == 1)
    }

    @Test func aLoginIsForAllAndALogoutToo() async throws {
        let (first, second) = (store(), store())
        try await simulation.run { [vault] in
            _ = try await first.token()
            _ = try await second.token()
            await first.set(AccessToken("login"))
            #expect(vault.stored.token?.value == "login")
            #expect(try await second.refresh().value == "login")
            await first.clear()
            #expect(vault.stored.token == nil)
            #expect(first.saveProblem == nil)
        }
    }

    @Test func aLoginWinsOverARefreshUnderWay() async throws {
        let (simulation, first, second) = (simulation, store(), store())
        try await simulation.run { [vault] in
            async let refreshing = first.token()
            try await simulation.sleep(for: .milliseconds(100))
            await second.set(AccessToken("login"))
            _ = try await refreshing
            #expect(vault.stored.token?.value == "login")
            #expect(try await first.refresh().value == "login")
        }
    }

    @Test func aVaultThatLostItsTokenGetsANewerOneAgain() async throws {
        let (first, second) = (store(), store())
        try await simulation.run { [vault] in
            _ = try await first.token()
            let backup = vault.stored
            _ = try await first.refresh()
            vault.restore(backup)
            // The store has a newer token than the vault, and uses that one.
            #expect(try await first.refresh().value == "a3")
            #expect(try await second.token().value == "a3")
        }
        #expect(server.complaints == [])
    }

    @Test func withoutARefreshAStoreOnlyReads() async throws {
        let store = TokenStore(shared: vault.replica(), clock: clock)
        try await simulation.run { [vault] in
            #expect(await thrownCode { try await store.token() } == .unauthorized)
            await TokenStore(shared: vault.replica(), clock: simulation.clock).set(AccessToken("t"))
            let token = try await TokenStore(shared: vault.replica(), clock: simulation.clock).token()
            #expect(token.value == "t")
        }
    }
}
