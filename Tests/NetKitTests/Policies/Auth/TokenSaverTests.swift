import Foundation
import Testing

@testable import NetKit
@testable import NetKitTesting

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
            let number = count.increment()
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

    /// Stores whose saves log each other out.
    private final class Stores: Sendable {
        let saved = Notebook<String>()
        private let stores = Locked<[String: TokenStore]>([:])
        private let clock: NetKitClock

        init(_ clock: NetKitClock) { self.clock = clock }

        /// Adds a store whose save logs out another one if a condition holds.
        func add(
            _ name: String,
            clears other: String,
            if condition: @escaping @Sendable (AccessToken?) async throws -> Bool
        ) -> TokenStore {
            let store = TokenStore(
                initial: AccessToken("old"),
                clock: clock,
                refresh: { _ in AccessToken("fresh") },
                load: { nil },
                save: { [self] token in
                    saved.add("\(name): \(token?.value ?? "none")")
                    guard try await condition(token) else { return }
                    let store = stores.withLock { $0[other] }
                    await store?.clear()
                }
            )
            stores.withLock { $0[name] = store }
            return store
        }

        /// Releases the stores, which refer to each other.
        func removeAll() { stores.withLock { $0 = [:] } }
    }

    /// The next save waits for the one that asks for it.
    @Test(arguments: [["a: login", "a: none"], ["a: login", "b: none", "a: none"]])
    func aSaveMayLogOut(saves: [String]) async throws {
        let simulation = Simulation(seed: 1)
        let stores = Stores(simulation.clock)
        let first = stores.add("a", clears: saves.count == 2 ? "a" : "b") { _ in stores.saved.count < saves.count }
        _ = stores.add("b", clears: "a") { _ in stores.saved.count < saves.count }
        try await simulation.run {
            await first.set(AccessToken("login"))
            #expect(await first.flush())
            #expect(simulation.now == .zero)
        }
        #expect(stores.saved.entries == saves)
        stores.removeAll()
    }

    /// Each save waits for a moment and then for the other store, which must not wait for the save in turn.
    @Test func savesOfTwoStoresMayLogEachOtherOutAtTheSameTime() async throws {
        let simulation = Simulation(seed: 1)
        let stores = Stores(simulation.clock)
        let isLogin: @Sendable (AccessToken?) async throws -> Bool = { token in
            guard token != nil else { return false }
            try await simulation.sleep(for: .seconds(1))
            return true
        }
        let (first, second) = (stores.add("a", clears: "b", if: isLogin), stores.add("b", clears: "a", if: isLogin))
        try await simulation.run {
            async let one: Void = first.set(AccessToken("login"))
            async let two: Void = second.set(AccessToken("login"))
            _ = await (one, two)
            for store in [first, second] { #expect(await store.flush()) }
            #expect(simulation.now == .seconds(1))
        }
        #expect(stores.saved.entries.sorted() == ["a: login", "a: none", "b: login", "b: none"])
        stores.removeAll()
    }

    /// A clock that does something before it is read once.
    private struct HookedClock: ClockSource {
        let time = TestClock()
        let hook = Shared<(@Sendable () -> Void)?>(nil)

        var now: NetKitClock.Instant {
            hook.withLock { $0.take() }?()
            return time.now
        }
        var date: Date { time.date }

        func sleep(until deadline: NetKitClock.Instant) async throws { try await time.sleep(until: deadline) }

        func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
            time.schedule(at: deadline, action)
        }
    }

    /// The time limit ends the refresh at the moment at which its token comes.
    @Test func aTokenThatIsBeingSavedIsNoTimeout() async throws {
        let (source, executor) = (HookedClock(), SimulationExecutor())
        SimulatedExecution.begin(on: executor)
        defer { SimulatedExecution.end(on: executor) }
        let (fetched, saved) = (Promise<AccessToken>(), Promise<Void>())
        let store = TokenStore(
            initial: nil,
            refreshTimeout: .seconds(7),
            clock: NetKitClock(source),
            refresh: { _ in try await fetched.cancellableValue() },
            save: { _ in try await saved.value() }
        )
        let call = Task(executorPreference: executor) { try await store.token().value }
        executor.runAll()
        source.hook.withLock { hook in
            hook = {
                fetched.resolve(.success(AccessToken("new")))
                executor.runAll()
            }
        }
        source.time.advance(by: .seconds(7))
        executor.runAll()
        #expect(try await call.value == "new")
        saved.resolve(.success(()))
        executor.runAll()
        #expect(store.readyToken?.token.value == "new")
    }
}
