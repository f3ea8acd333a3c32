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
}
