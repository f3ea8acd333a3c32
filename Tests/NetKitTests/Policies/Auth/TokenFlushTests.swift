import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of the end of a service, before which every token has to be saved.
@Suite(.timeLimit(.minutes(5)))
struct TokenFlushTests {
    private struct DiskFull: Error {}

    private let time = TestClock()
    private let began = Promise<Void>()
    private let end = Promise<Void>()
    private let saved = Notebook<String>()
    private let store: TokenStore

    /// A store whose refresh takes as long as the test wants.
    init() {
        let (began, end, saved) = (began, end, saved)
        store = TokenStore(
            initial: AccessToken("old", expiry: time.date.addingTimeInterval(90)),
            clock: time.clock,
            refresh: { _ in
                began.resolve(.success(()))
                try await end.cancellableValue()
                return AccessToken("new")
            },
            save: { saved.add($0?.value ?? "nothing") }
        )
    }

    /// The token is still valid, so no call waits for the refresh.
    @Test func waitsForARefreshThatOutlivesItsCall() async throws {
        time.advance(by: .seconds(60))
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient.testing(transport, AuthInterceptor(store), time: time)
        _ = try await client.send(HTTPRequest(.get, "/x"))
        #expect(await client.shutdown())
        try await began.cancellableValue()
        let flush = Task { await store.flush() }
        // The time limits of the refresh and of the wait.
        await time.waitForAlarms(2)
        #expect(saved.entries == [])
        end.resolve(.success(()))
        #expect(await flush.value)
        #expect(saved.entries == ["new"])
    }

    @Test func endsAtItsLimit() async throws {
        let refresh = Task { try await store.refresh().value }
        try await began.cancellableValue()
        let flush = Task { await store.flush(within: .seconds(2)) }
        await time.waitForAlarms(2)
        time.advance(by: .seconds(2))
        #expect(await flush.value == false)
        end.resolve(.success(()))
        #expect(try await refresh.value == "new")
        #expect(await store.flush())
    }

    @Test func waitsForATokenThatComesMeanwhile() async throws {
        let simulation = Simulation(seed: 1)
        let store = TokenStore(
            initial: AccessToken("old"),
            clock: simulation.clock,
            refresh: { _ in AccessToken("new") },
            save: { [saved] token in
                try await simulation.clock.sleep(for: .seconds(1))
                saved.add(token?.value ?? "nothing")
            }
        )
        try await simulation.run { [saved] in
            async let first: Void = store.set(AccessToken("first"))
            try await simulation.sleep(for: .milliseconds(250))
            async let isSaved = store.flush()
            try await simulation.sleep(for: .milliseconds(250))
            async let second: Void = store.set(AccessToken("second"))
            let result = await isSaved
            #expect(result)
            #expect(saved.entries == ["first", "second"])
            #expect(simulation.now == .seconds(2))
            _ = await (first, second)
        }
    }

    @Test func repeatsOnceASaveThatFailed() async throws {
        let attempts = Notebook<String>()
        let store = TokenStore(
            initial: AccessToken("old"),
            clock: TestClock().clock,
            refresh: { _ in AccessToken("new") },
            save: { token in
                attempts.add(token?.value ?? "nothing")
                if attempts.count < 3 { throw DiskFull() }
            }
        )
        _ = try await store.refresh()
        #expect(await store.flush() == false)
        #expect(store.saveProblem is DiskFull)
        #expect(attempts.count == 2)
        for _ in 0..<2 { #expect(await store.flush()) }
        #expect(store.saveProblem == nil)
        #expect(attempts.entries == ["new", "new", "new"])
    }

    /// The vault is back before the store repeats the save by itself.
    @Test func savesATokenBetweenTwoRepetitions() async throws {
        let simulation = Simulation(seed: 1)
        let vault = InMemoryTokenVault(clock: simulation.clock)
        let replica = vault.replica()
        let store = TokenStore(shared: replica, identity: "service", clock: simulation.clock)
        try await simulation.run {
            replica.cutOff()
            await store.set(AccessToken("login"))
            #expect(store.saveProblem != nil)
            replica.cutOff(false)
            let start = simulation.now
            #expect(await store.flush())
            #expect(simulation.now == start)
            #expect(vault.stored.token?.value == "login")
            try await simulation.sleep(for: .seconds(10))
            #expect(vault.stored.version == 1)
        }
    }

    @Test func aStoreThatSavesNothingIsFlushedAtOnce() async {
        #expect(await TokenStore(initial: "token").flush())
    }
}
