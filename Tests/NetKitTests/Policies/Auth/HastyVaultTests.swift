import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of a vault whose wait ends without an error if its caller was cancelled.
@Suite(.timeLimit(.minutes(5)))
struct HastyVaultTests {
    /// A vault whose right always belongs to another process.
    private struct HastyVault: TokenVault {
        private struct TooOften: Error {}

        let questions = Notebook<Int64>()

        func read() async throws -> SharedToken { SharedToken() }

        func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            questions.add(version)
            // A store that does not notice its end would ask without a pause.
            if questions.count > 100 { throw TooOften() }
            return .held(for: .seconds(20))
        }

        func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? { nil }

        func release(_ version: Int64, by holder: UUID) async throws {}

        func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
            try? await clock.sleep(for: limit)
        }
    }

    @Test func aRefreshThatWasGivenUpAsksItsVaultNoMore() async throws {
        let (simulation, vault) = (Simulation(seed: 1), HastyVault())
        let store = TokenStore(shared: vault, clock: simulation.clock) { _ in AccessToken("new") }
        try await simulation.run {
            // After 20 seconds it asks again, and after 30 it has no more time.
            #expect(await codeThrown(by: { try await store.token() }) == .timeout)
            try await simulation.sleep(for: .seconds(1))
        }
        #expect(vault.questions.count == 2)
    }

    /// A vault of a single process, whose refresh is refused.
    private struct RefusedVault: TokenVault {
        private struct TooOften: Error {}

        let isRefused = Shared(false)
        /// For each time that the vault was read after the refusal, whether the refresh had been given up.
        let reads = Notebook<Bool>()

        func read() async throws -> SharedToken {
            if isRefused.withLock({ $0 }) { reads.add(Task.isCancelled) }
            if reads.count > 100 { throw TooOften() }
            return SharedToken()
        }

        func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            .granted(SharedToken())
        }

        func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? { nil }

        func release(_ version: Int64, by holder: UUID) async throws {}

        func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
            try? await clock.sleep(for: limit)
        }
    }

    /// A refused refresh waits a second for the token of another process, but its time is over before.
    @Test func aRefusedRefreshThatWasGivenUpReadsItsVaultNoMore() async throws {
        let (simulation, vault) = (Simulation(seed: 1), RefusedVault())
        let store = TokenStore(shared: vault, clock: simulation.clock) { _ in
            try await simulation.sleep(for: .milliseconds(29_500))
            vault.isRefused.withLock { $0 = true }
            throw RotatingServer.invalidGrant
        }
        try await simulation.run {
            #expect(await codeThrown(by: { try await store.token() }) == .timeout)
            try await simulation.sleep(for: .seconds(2))
        }
        #expect(vault.reads.entries == [false, true])
    }
}
