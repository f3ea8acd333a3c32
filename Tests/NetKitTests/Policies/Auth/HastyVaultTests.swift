import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of a vault whose waits end without an error if their caller was cancelled, or at once, and of one that loses
/// an answer.
@Suite(.timeLimit(.minutes(5)))
struct HastyVaultTests {
    /// A vault without a token, which always gives the same answer to the question for the right.
    private struct HastyVault: TokenVault {
        private struct TooOften: Error {}

        let answer: TokenLease
        var waits = true
        let questions = Notebook<Int64>()
        /// For each time that the vault was read, whether the refresh had been given up.
        let reads = Notebook<Bool>()

        func read() async throws -> SharedToken {
            reads.add(Task.isCancelled)
            // A store that does not notice its end would ask without a pause.
            if reads.count > 1000 { throw TooOften() }
            return SharedToken()
        }

        func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            questions.add(version)
            if questions.count > 1000 { throw TooOften() }
            return answer
        }

        func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? { nil }

        func release(_ version: Int64, by holder: UUID) async throws {}

        func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
            if waits { try? await clock.sleep(for: limit) }
        }
    }

    @Test func aRefreshThatWasGivenUpAsksItsVaultNoMore() async throws {
        let (simulation, vault) = (Simulation(seed: 1), HastyVault(answer: .held(for: .seconds(20))))
        let store = TokenStore(shared: vault, clock: simulation.clock) { _ in AccessToken("new") }
        try await simulation.run {
            // After 20 seconds it asks again, and after 30 it has no more time.
            #expect(await thrownCode { try await store.token() } == .timeout)
            try await simulation.sleep(for: .seconds(1))
        }
        #expect(vault.questions.count == 2)
    }

    @Test func aVaultThatNeverWaitsIsNotAskedWithoutAPause() async throws {
        let simulation = Simulation(seed: 1)
        let vault = HastyVault(answer: .held(for: .seconds(20)), waits: false)
        let clock = simulation.clock
        let store = TokenStore(shared: vault, refreshTimeout: .milliseconds(500), clock: clock) { _ in
            AccessToken("new")
        }
        try await simulation.run {
            #expect(await thrownCode { try await store.token() } == .timeout)
        }
        #expect((45...55).contains(vault.questions.count))
    }

    /// It looks for the token of another process for a second.
    @Test func aVaultThatNeverWaitsIsNotReadWithoutAPause() async throws {
        let simulation = Simulation(seed: 1)
        let vault = HastyVault(answer: .granted(SharedToken()), waits: false)
        let store = TokenStore(shared: vault, clock: simulation.clock) { _ in throw RotatingServer.invalidGrant }
        try await simulation.run { _ = try? await store.token() }
        #expect((95...110).contains(vault.reads.count))
    }

    /// A refused refresh waits a second for the token of another process, but its time is over before.
    @Test func aRefusedRefreshThatWasGivenUpReadsItsVaultNoMore() async throws {
        let (simulation, vault) = (Simulation(seed: 1), HastyVault(answer: .granted(SharedToken())))
        let store = TokenStore(shared: vault, clock: simulation.clock) { _ in
            try await simulation.sleep(for: .milliseconds(29_500))
            throw RotatingServer.invalidGrant
        }
        try await simulation.run {
            #expect(await thrownCode { try await store.token() } == .timeout)
            try await simulation.sleep(for: .seconds(2))
        }
        // First to load the token.
        #expect(vault.reads.entries == [false, false, true])
    }

    /// A vault that grants the right to refresh, and loses its first answer.
    private struct LosingVault: TokenVault {
        let replica: InMemoryTokenVault.Replica
        let questions = Notebook<UUID>()

        func read() async throws -> SharedToken { try await replica.read() }

        func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            let answer = try await replica.lease(version, by: holder, for: duration)
            questions.add(holder)
            guard questions.count > 1 else { throw NetKitError(.storeUnavailable, "The answer was lost.") }
            return answer
        }

        func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
            try await replica.save(token, for: identity, over: version)
        }

        func release(_ version: Int64, by holder: UUID) async throws { try await replica.release(version, by: holder) }

        func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
            try await replica.waitForChange(of: version, upTo: limit, clock: clock)
        }
    }

    /// The vault would let no other holder refresh for fifteen seconds.
    @Test func aRightWhoseGrantWasLostIsTakenOverByTheNextRefresh() async throws {
        let simulation = Simulation(seed: 1)
        let vault = LosingVault(replica: InMemoryTokenVault(clock: simulation.clock).replica())
        let store = TokenStore(shared: vault, identity: "ada", clock: simulation.clock) { _ in AccessToken("new") }
        try await simulation.run {
            #expect(await thrownCode { try await store.token() } == .storeUnavailable)
            try await simulation.sleep(for: .seconds(2))
            let start = simulation.now
            #expect(try await store.token().value == "new")
            #expect(simulation.now == start)
        }
        #expect(Set(vault.questions.entries).count == 1)
    }
}
