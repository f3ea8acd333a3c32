import NetKit
import NetKitTesting
import Testing

/// Tests of a repository whose cache does not remove what a write outdates.
@Suite(.timeLimit(.minutes(1)))
struct RepositoryForgettingTests {
    private typealias Item = RemoteRepositoryTests.Item

    private let time = TestClock()
    private let transport = MockTransport()

    private func repository(_ store: AnyCacheStore, timeouts: Timeouts = .none) -> RemoteRepository<Item> {
        RemoteRepository(
            client: HTTPClient.testing(transport, time: time, timeouts: timeouts),
            cache: CacheService(store: store, clock: time.clock)
        )
    }

    /// The task of the call is not cancelled, only its time is over.
    @Test func aWriteThatRanOutOfTimeWaitsForItsStoreForHalfASecondAtMost() async throws {
        let (isRemoving, mayRemove, end) = (Promise<Void>(), Promise<Void>(), Promise<String>())
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeRemoving else { return }
            isRemoving.resolve(.success(()))
            try await mayRemove.value()
        }
        let items = repository(store, timeouts: Timeouts(connect: nil, idle: nil, attempt: nil, total: .seconds(5)))
        transport.stub(.put, "/items/1", .stalled)
        let save = Task { try await items.save(Item(id: 1, name: "new")) }
        Task { end.resolve(.success(await outcome(of: save))) }
        await transport.waitForRequests(1)
        time.advance(by: .seconds(5))
        try await isRemoving.cancellableValue()
        time.advance(by: .milliseconds(500))
        // A write without a bound would never end.
        #expect(try await end.cancellableValue() == "timeout")
        mayRemove.resolve(.success(()))
    }

    @Test func anEntityThatCouldNotBeRemovedIsNotUsed() async throws {
        struct Refused: Error {}
        let refuses = Shared(true)
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            if moment == .beforeRemoving, refuses.withLock({ $0 }) { throw Refused() }
        }
        let items = repository(store)
        transport.stub(
            .get,
            "/items/1",
            .json(Item(id: 1, name: "old")),
            .json(Item(id: 1, name: "new")),
            .json(Item(id: 1, name: "newer"))
        )
        transport.stub(.put, "/items/1", .status(500))
        #expect(try await items.get(id: "1").name == "old")
        await #expect(throws: NetKitError.self) { try await items.save(Item(id: 1, name: "new")) }
        #expect(await codeThrown(by: { try await items.get(id: "1", policy: .cacheOnly) }) == .cacheMiss)
        #expect(try await items.get(id: "1").name == "new")
        refuses.withLock { $0 = false }
        // The response of the previous read was not stored.
        for _ in 0..<2 { #expect(try await items.get(id: "1").name == "newer") }
        #expect(transport.requests.count == 4)
    }

    @Test func anEntityIsNotUsedWhileItIsBeingRemoved() async throws {
        let (isRemoving, mayRemove) = (Promise<Void>(), Promise<Void>())
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeRemoving else { return }
            isRemoving.resolve(.success(()))
            try await mayRemove.value()
        }
        let items = repository(store)
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")), .json(Item(id: 1, name: "new")))
        transport.stub(.put, "/items/1", .stalled)
        #expect(try await items.get(id: "1").name == "old")
        let save = Task { try await items.save(Item(id: 1, name: "new")) }
        await transport.waitForRequests(2)
        save.cancel()
        try await isRemoving.cancellableValue()
        #expect(try await items.get(id: "1").name == "new")
        mayRemove.resolve(.success(()))
        #expect(await outcome(of: save) == "cancelled")
    }
}
