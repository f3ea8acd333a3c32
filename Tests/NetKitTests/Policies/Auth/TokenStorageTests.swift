import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the hooks that load and save a token.
@Suite(.timeLimit(.minutes(5)))
struct TokenStorageTests {
    private struct DiskFull: Error {}

    @Test func aSavedTokenIsLoadedOnceAndNotSavedAgain() async throws {
        let events = Notebook<String>()
        let store = TokenStore(
            initial: nil,
            clock: TestClock().clock,
            refresh: { _ in
                events.add("refresh")
                return AccessToken("fresh")
            },
            load: {
                events.add("load")
                return AccessToken("saved")
            },
            save: { _ in events.add("save") }
        )
        for _ in 0..<3 { #expect(try await store.token().value == "saved") }
        #expect(events.entries == ["load"])
    }

    @Test func withAnInitialTokenNothingIsLoaded() async throws {
        let store = TokenStore(initial: AccessToken("given"), clock: TestClock().clock, load: { throw DiskFull() })
        #expect(try await store.token().value == "given")
    }

    @Test(arguments: [0, 1])
    func anExpiredSavedTokenIsHandedToEachRefresh(failures: Int) async throws {
        let time = TestClock()
        let seen = Notebook<AccessToken?>()
        let old = AccessToken("saved", expiry: time.date.addingTimeInterval(-1), refreshToken: "r1")
        let store = TokenStore(
            initial: nil,
            clock: time.clock,
            refresh: { current in
                seen.add(current)
                if seen.count <= failures { throw DiskFull() }
                return AccessToken("fresh")
            },
            load: { old }
        )
        for _ in 0..<failures { await #expect(throws: DiskFull.self) { try await store.token() } }
        #expect(try await store.token().value == "fresh")
        #expect(seen.entries == [AccessToken?](repeating: old, count: failures + 1))
    }

    /// The first call only loads the token; another process replaces it later.
    @Test func theSavedTokenIsLoadedAgainBeforeTheFirstRefresh() async throws {
        let saved = Notebook<AccessToken>()
        saved.add(AccessToken("first", refreshToken: "r1"))
        let store = TokenStore(
            initial: nil,
            clock: TestClock().clock,
            refresh: { _ in
                Issue.record("The refresh token of the first login was spent.")
                return AccessToken("wrong")
            },
            load: { saved.entries.last },
            save: { _ in }
        )
        #expect(try await store.token().value == "first")
        saved.add(AccessToken("second", refreshToken: "r2"))
        let refused = try #require(store.readyToken)
        #expect(try await store.replacement(for: refused)?.token.value == "second")
    }

    /// A load of an earlier login ends after a later one, and must not count as a change by another process.
    @Test func aLateLoadOfAnEarlierLoginChangesNothing() async throws {
        let (loads, gate) = (Notebook<Int>(), Promise<Void>())
        let saved = Notebook<AccessToken?>()
        saved.add(AccessToken("alice"))
        let store = TokenStore(
            initial: nil,
            clock: TestClock().clock,
            refresh: { current in AccessToken("after \(current?.value ?? "none")") },
            load: {
                loads.add(1)
                let found = saved.entries.last ?? nil
                if loads.count == 2 { try? await gate.value() }
                return found
            },
            save: { saved.add($0) }
        )
        #expect(try await store.token().value == "alice")
        let alice = try #require(store.readyToken)
        let refresh = Task { try? await store.replacement(for: alice) }
        try await waitUntil { loads.count == 2 }
        await store.set(AccessToken("bob"), identity: "bob")
        gate.resolve(.success(()))
        _ = await refresh.value
        try await waitUntil { (saved.entries.last ?? nil)?.value == "bob" }
        let bob = try #require(store.readyToken)
        #expect(bob.token.value == "bob")
        #expect(try await store.replacement(for: bob)?.token.value == "after bob")
    }

    /// A token that another process has saved since is used, or handed to the refresh.
    @Test(arguments: [3_600, -1])
    func theSavedTokenIsLoadedAgainBeforeARefresh(life: Double) async throws {
        let time = TestClock()
        let (saved, seen) = (Notebook<AccessToken?>(), Notebook<AccessToken?>())
        let store = TokenStore(
            initial: nil,
            clock: time.clock,
            refresh: { current in
                seen.add(current)
                return AccessToken("fetched \(seen.count)")
            },
            load: { saved.entries.last ?? nil },
            save: { saved.add($0) }
        )
        #expect(try await store.token().value == "fetched 1")
        // Nothing has changed.
        #expect(try await store.refresh().value == "fetched 2")
        let other = AccessToken("of another", expiry: time.date.addingTimeInterval(life), refreshToken: "r9")
        saved.add(other)
        #expect(try await store.refresh().value == (life > 0 ? "of another" : "fetched 3"))
        #expect(seen.entries.last == (life > 0 ? AccessToken("fetched 1") : other))
    }

    /// The next process would load the token as one of the store's own identity.
    @Test func aTokenOfAnotherIdentityIsNotSaved() async throws {
        let saved = Notebook<AccessToken?>()
        func nextStore() -> TokenStore {
            TokenStore(
                initial: nil,
                identity: "tenant-7",
                clock: TestClock().clock,
                refresh: { current in AccessToken("after \(current?.value ?? "none")") },
                load: { saved.entries.last ?? nil },
                save: { saved.add($0) }
            )
        }
        let store = nextStore()
        await store.set(AccessToken("seven"))
        #expect(saved.entries.map { $0?.value } == ["seven"])
        #expect(try await nextStore().token().value == "seven")
        await store.set(AccessToken("eight"), identity: "tenant-8")
        #expect(try await store.refresh().value == "after eight")
        await store.set(AccessToken("nameless"))
        #expect(saved.entries.map { $0?.value } == ["seven", nil, nil, nil])
        #expect(try await nextStore().token().value == "after none")
        await store.set(AccessToken("seven again"), identity: "tenant-7")
        #expect(try await nextStore().token().value == "seven again")
    }

    /// Another process has the store's own identity, and saves its tokens.
    @Test func aStoredTokenIsNotUsedUnderAnotherIdentity() async throws {
        let saved = Notebook<AccessToken?>()
        let store = TokenStore(
            initial: nil,
            identity: "tenant-7",
            clock: TestClock().clock,
            refresh: { current in AccessToken("after \(current?.value ?? "none")") },
            load: { saved.entries.last ?? nil },
            save: { saved.add($0) }
        )
        await store.set(AccessToken("eight"), identity: "tenant-8")
        saved.add(AccessToken("seven"))
        #expect(try await store.refresh().value == "after eight")
    }

    @Test func aFailedLoadIsAnErrorAndIsTriedAgain() async throws {
        let calls = Notebook<Int>()
        let store = TokenStore(
            initial: nil,
            clock: TestClock().clock,
            refresh: { _ in AccessToken("fresh") },
            load: {
                calls.add(1)
                if calls.count == 1 { throw DiskFull() }
                return nil
            }
        )
        await #expect(throws: DiskFull.self) { try await store.token() }
        #expect(try await store.token().value == "fresh")
        #expect(calls.count == 2)
    }

    @Test func aStoreThatOnlyLoadsFailsIfThereIsNoToken() async throws {
        let store = TokenStore(initial: nil, clock: TestClock().clock, load: { nil })
        for _ in 0..<2 {
            #expect(await thrownCode { try await store.token() } == .unauthorized)
        }
    }

    @Test func aTokenIsSavedBeforeACallGetsIt() async throws {
        let events = Notebook<String>()
        let store = TokenStore(
            initial: AccessToken("old"),
            clock: TestClock().clock,
            refresh: { _ in AccessToken("fresh") },
            save: { events.add("saved \($0?.value ?? "nothing")") }
        )
        events.add("got \(try await store.refresh().value)")
        await store.set(AccessToken("given"))
        await store.clear()
        #expect(events.entries == ["saved fresh", "got fresh", "saved given", "saved nothing"])
    }

    @Test func anOlderTokenIsNeverSavedAfterANewerOne() async throws {
        let events = Notebook<String>()
        let gate = MockTransport()
        gate.stub(nil, "**", .stalled)
        let store = TokenStore(
            initial: AccessToken("old"),
            clock: TestClock().clock,
            refresh: { _ in AccessToken("fresh") },
            save: { token in
                let value = token?.value ?? "nothing"
                events.add("begin \(value)")
                if value == "fresh" {
                    _ = try? await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test())
                }
                events.add("end \(value)")
            }
        )
        let refreshing = Task { try await store.refresh().value }
        await gate.waitForRequests(1)
        let setting = Task { await store.set(AccessToken("given")) }
        #expect(try await refreshing.value == "given")
        gate.release()
        await setting.value
        #expect(events.entries == ["begin fresh", "end fresh", "begin given", "end given"])
        #expect(try await store.token().value == "given")
    }

    @Test func aHangingSaveDoesNotLoseTheToken() async throws {
        let time = TestClock()
        let gate = MockTransport()
        gate.stub(nil, "**", .stalled)
        let store = TokenStore(
            initial: AccessToken("old"),
            refreshTimeout: .seconds(5),
            clock: time.clock,
            refresh: { _ in AccessToken("fresh") },
            save: { _ in _ = try? await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test()) }
        )
        let refreshing = Task { try await store.refresh().value }
        await gate.waitForRequests(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        #expect(try await refreshing.value == "fresh")
        #expect(store.readyToken?.token.value == "fresh")
        gate.release()
    }

    @Test func aSaveThatFailsIsReportedUntilOneSucceeds() async throws {
        let failures = Notebook<String>()
        let store = TokenStore(
            initial: AccessToken("old"),
            clock: TestClock().clock,
            refresh: { _ in AccessToken("fresh") },
            save: { token in
                failures.add(token?.value ?? "nothing")
                if failures.count == 1 { throw DiskFull() }
            }
        )
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: MockTransport(),
            interceptors: [AuthInterceptor(store)]
        )
        #expect(client.warnings == [])
        #expect(try await store.refresh().value == "fresh")
        #expect(store.saveProblem is DiskFull)
        #expect(client.warnings.contains { $0.contains("could not be saved") })
        #expect(store.readyToken?.token.value == "fresh")
        await store.set(AccessToken("given"))
        #expect(store.saveProblem == nil)
        #expect(client.warnings == [])
    }

    /// A vault behind a client whose calls inherit deadlines.
    private struct RemoteVault: TokenVault {
        let client: HTTPClient
        let inner: InMemoryTokenVault.Replica

        func read() async throws -> SharedToken { try await inner.read() }

        func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            try await inner.lease(version, by: holder, for: duration)
        }

        func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
            _ = try await client.send(HTTPRequest(.put, "/vault")).body.text(upTo: 100)
            return try await inner.save(token, for: identity, over: version)
        }

        func release(_ version: Int64, by holder: UUID) async throws { try await inner.release(version, by: holder) }
    }

    @Test func theDeadlineOfALoginDoesNotEndItsRepeatedSave() async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("api.example.com", SimulatedHost().from(.zero, until: .seconds(3), .refused))
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: simulation.transport,
            interceptors: [],
            configuration: simulation.configuration
        )
        let vault = InMemoryTokenVault(clock: simulation.clock)
        let store = TokenStore(
            shared: RemoteVault(client: client, inner: vault.replica()),
            identity: "ada",
            clock: simulation.clock
        )
        try await simulation.run {
            try await withDeadline(.seconds(1), clock: simulation.clock) { await store.set(AccessToken("t")) }
            #expect(store.saveProblem != nil)
            try await simulation.sleep(for: .seconds(10))
            #expect(vault.stored.token?.value == "t")
            #expect(store.saveProblem == nil)
        }
    }

    /// The save of a login asks for another token, as a client does after a refusal.
    @Test func aSaveDoesNotWaitForARefreshThatWaitsForIt() async throws {
        let simulation = Simulation(seed: 1)
        let box = Locked<TokenStore?>(nil)
        let store = TokenStore(
            initial: AccessToken("old"),
            clock: simulation.clock,
            refresh: { _ in AccessToken("fresh") },
            save: { _ in
                let kept = box.withLock { $0 }
                let store = try #require(kept)
                let refused = try #require(store.readyToken)
                _ = try await store.replacement(for: refused)
            }
        )
        box.withLock { $0 = store }
        try await simulation.run {
            await store.set(AccessToken("login"))
            #expect(simulation.now == .zero)
        }
        #expect(store.saveProblem == nil)
        box.withLock { $0 = nil }
    }

    @Test func aTokenSurvivesBeingWrittenAndRead() throws {
        let token = AccessToken("value", expiry: Date(timeIntervalSince1970: 1000), refreshToken: "next")
        let data = try JSONEncoder().encode(token)
        #expect(try JSONDecoder().decode(AccessToken.self, from: data) == token)
    }

    @Test(
        arguments: [(.infinity, .distantFuture), (-.infinity, .distantPast), (.nan, nil)] as [(TimeInterval, Date?)]
    )
    func aTokenMayExpireNeverOrLongAgo(_ time: TimeInterval, _ read: Date?) throws {
        let token = AccessToken("value", expiry: Date(timeIntervalSince1970: time))
        let data = try JSONEncoder().encode(token)
        #expect(try JSONDecoder().decode(AccessToken.self, from: data) == AccessToken("value", expiry: read))
    }
}
