import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the order in which tokens are saved, in virtual time.
@Suite(.timeLimit(.minutes(5)))
struct TokenSaverTests {
    /// A source whose first save takes a second and fails.
    private final class Source: TokenSource {
        private let simulation: Simulation
        private let count = Locked(0)

        init(_ simulation: Simulation) { self.simulation = simulation }

        var saves: Int { count.withLock { $0 } }
        var canLoad: Bool { false }
        var canFetch: Bool { false }
        var saving: TokenSaving { .untilSaved(isRequired: true) }

        func load(after login: Int) async throws -> AccessToken? { nil }

        func next(after current: TokenBasis, willFetch: () -> Void) async throws -> ObtainedToken {
            throw TokenRefreshCoordinator.missing
        }

        func save(_ job: TokenSaver.Job) async throws {
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number == 1 else { return }
            try await simulation.sleep(for: .seconds(1))
            throw NetKitError(.storeUnavailable, "away")
        }

        func keepLate(_ token: ObtainedToken) async {}

        func close() {}
    }

    /// A second repetition could replace the token that another process has saved since.
    @Test func aSaveThatFailedIsRepeatedOnce() async throws {
        let simulation = Simulation(seed: 1)
        let source = Source(simulation)
        let saver = try #require(TokenSaver(source, clock: simulation.clock))
        try await simulation.run {
            let login = TokenSaver.Job(token: AccessToken("login"), identity: nil, version: 1, login: 1)
            async let save: Void = saver.save(login)
            try await simulation.sleep(for: .milliseconds(100))
            // Two refreshes wait for the save that is about to fail.
            async let first: Void = saver.saveRest(login: login)
            async let second: Void = saver.saveRest(login: login)
            _ = try await (save, first, second)
            #expect(source.saves == 2)
            #expect(saver.problem.withLock { $0 } == nil)
            try await simulation.sleep(for: .seconds(60))
        }
        #expect(source.saves == 2)
    }

    /// Each save waits for a moment and then for the other store, which must not wait for the save in turn.
    @Test func savesOfTwoStoresMayLogEachOtherOutAtTheSameTime() async throws {
        let (simulation, saved) = (Simulation(seed: 1), Notebook<String>())
        let stores = Locked<[String: TokenStore]>([:])
        func store(_ name: String, clears other: String) -> TokenStore {
            TokenStore(
                initial: AccessToken("old"),
                clock: simulation.clock,
                refresh: { _ in AccessToken("fresh") },
                load: { nil },
                save: { token in
                    saved.add("\(name): \(token?.value ?? "none")")
                    guard token != nil else { return }
                    try await simulation.sleep(for: .seconds(1))
                    let store = stores.withLock { $0[other] }
                    await store?.clear()
                }
            )
        }
        let (first, second) = (store("a", clears: "b"), store("b", clears: "a"))
        stores.withLock { $0 = ["a": first, "b": second] }
        try await simulation.run {
            async let one: Void = first.set(AccessToken("login"))
            async let two: Void = second.set(AccessToken("login"))
            _ = await (one, two)
            for store in [first, second] { #expect(await store.flush()) }
            #expect(simulation.now == .seconds(1))
        }
        #expect(saved.entries.sorted() == ["a: login", "a: none", "b: login", "b: none"])
        stores.withLock { $0 = [:] }
    }
}
