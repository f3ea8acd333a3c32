import NetKit
import NetKitTesting
import Testing

/// Tests of a repository whose cache does not remove what a write outdates, or is cleared meanwhile.
@Suite(.timeLimit(.minutes(5)))
struct RepositoryForgettingTests {
    private typealias Item = RemoteRepositoryTests.Item

    private let time = TestClock()
    private let transport = MockTransport()

    private func repository(_ store: AnyCacheStore, timeouts: Timeouts = .none) -> RemoteRepository<Item> {
        repository(CacheService(store: store, clock: time.clock), timeouts: timeouts)
    }

    private func repository(_ cache: CacheService, timeouts: Timeouts = .none) -> RemoteRepository<Item> {
        RemoteRepository(client: HTTPClient.testing(transport, time: time, timeouts: timeouts), cache: cache)
    }

    /// Begins two writes of an entity; the first response takes five seconds, and the second one arrives meanwhile.
    private func overlappingWrites(
        _ one: RemoteRepository<Item>,
        _ other: RemoteRepository<Item>
    ) async -> (first: Task<Item, any Error>, second: Task<Item, any Error>) {
        transport.stub(
            .put,
            "/items/1",
            .json(Item(id: 1, name: "first")).delayed(by: .seconds(5)),
            .json(Item(id: 1, name: "second"))
        )
        let first = Task { try await one.save(Item(id: 1, name: "first")) }
        await time.waitForSleepers(1)
        return (first, Task { try await other.save(Item(id: 1, name: "second")) })
    }

    /// The task of the call is not cancelled, only its time is over.
    @Test func aWriteThatRanOutOfTimeWaitsForItsStoreForHalfASecondAtMost() async throws {
        let (isRemoving, mayRemove, end) = (Promise<Void>(), Promise<Void>(), Promise<String>())
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeInvalidating else { return }
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
            if moment == .beforeInvalidating, refuses.withLock({ $0 }) { throw Refused() }
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
        #expect(await thrownCode { try await items.get(id: "1", policy: .cacheOnly) } == .cacheMiss)
        #expect(try await items.get(id: "1").name == "new")
        refuses.withLock { $0 = false }
        // The response of the previous read was not stored.
        for _ in 0..<2 { #expect(try await items.get(id: "1").name == "newer") }
        #expect(transport.requests.count == 4)
    }

    /// The removal fails while a read waits for the server, which then fails as well.
    @Test func aReadThatFailsDoesNotFallBackOnAnEntityThatCouldNotBeRemoved() async throws {
        struct Refused: Error {}
        let store = AnyCacheStore(MemoryCacheStore()) { if $0 == .beforeInvalidating { throw Refused() } }
        let items = repository(store)
        transport.stub(
            .get,
            "/items/1",
            .json(Item(id: 1, name: "old")),
            .status(503).delayed(by: .seconds(5))
        )
        transport.stub(.put, "/items/1", .status(204))
        #expect(try await items.get(id: "1").name == "old")
        let read = Task { try await items.get(id: "1", policy: .networkFirst) }
        await time.waitForSleepers(1)
        try await items.save(Item(id: 1, name: "new"))
        time.advance(by: .seconds(5))
        #expect(await thrownCode { try await read.value } == .server)
    }

    @Test func anEntityThatAnotherRepositoryCouldNotRemoveIsNotUsed() async throws {
        struct Refused: Error {}
        let store = AnyCacheStore(MemoryCacheStore()) { if $0 == .beforeInvalidating { throw Refused() } }
        let cache = CacheService(store: store, clock: time.clock)
        let (one, other) = (repository(cache), repository(cache))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")))
        transport.stub(.put, "/items/1", .status(204))
        #expect(try await one.get(id: "1").name == "old")
        try await other.save(Item(id: 1, name: "new"))
        #expect(await thrownCode { try await one.get(id: "1", policy: .cacheOnly) } == .cacheMiss)
    }

    /// The store does not know of the removal that it refused, and would take the first write for the latest one.
    @Test func ofTwoWritesNeitherIsStoredIfTheRemovalOfOneFails() async throws {
        struct Refused: Error {}
        let refuses = Shared(true)
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            if moment == .beforeInvalidating, refuses.withLock({ $0 }) { throw Refused() }
        }
        let cache = CacheService(store: store, clock: time.clock)
        let (one, other) = (repository(cache), repository(cache))
        let (first, second) = await overlappingWrites(one, other)
        #expect(try await second.value.name == "second")
        refuses.withLock { $0 = false }
        time.advance(by: .seconds(5))
        #expect(try await first.value.name == "first")
        #expect(await thrownCode { try await one.get(id: "1", policy: .cacheOnly) } == .cacheMiss)
    }

    @Test func anEntityIsNotUsedWhileItIsBeingRemoved() async throws {
        let (isRemoving, mayRemove) = (Promise<Void>(), Promise<Void>())
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeInvalidating else { return }
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

    /// An application clears the cache when a user logs out.
    @Test(arguments: [HTTPMethod.get, .put])
    func whatArrivesAfterTheCacheWasClearedIsNotStored(method: HTTPMethod) async throws {
        let items = repository(AnyCacheStore(MemoryCacheStore()))
        transport.stub(method, "/items/1", .json(Item(id: 1, name: "late")).delayed(by: .seconds(5)))
        let call = Task {
            guard method == .get else { return try await items.save(Item(id: 1, name: "late")) }
            return try await items.get(id: "1")
        }
        await time.waitForSleepers(1)
        try await items.cache.clear()
        time.advance(by: .seconds(5))
        #expect(try await call.value.name == "late")
        #expect(await thrownCode { try await items.get(id: "1", policy: .cacheOnly) } == .cacheMiss)
    }

    /// As two processes with one store: neither knows of the writes of the other.
    @Test(arguments: [HTTPMethod.put, .delete], ["/items/1", "/items"])
    func whatIsReadDuringAWriteOfAnotherRepositoryIsNotStored(method: HTTPMethod, path: String) async throws {
        let store = AnyCacheStore(MemoryCacheStore())
        let (reader, writer) = (repository(store), repository(store))
        let old = Item(id: 1, name: "old")
        let response: MockResponse = path == "/items" ? .json([old]) : .json(old)
        transport.stub(.get, path, response.delayed(by: .seconds(5)))
        transport.stub(method, "/items/1", .status(204).delayed(by: .seconds(1)))
        func read(_ policy: CachePolicy) async throws -> Item? {
            guard path == "/items" else { return try await reader.get(id: "1", policy: policy) }
            return try await reader.list(policy: policy).first
        }
        let write = Task {
            guard method == .put else { return try await writer.delete(id: "1") }
            try await writer.save(Item(id: 1, name: "new"))
        }
        await time.waitForSleepers(1)
        let reading = Task { try await read(.reload) }
        await time.waitForSleepers(2)
        time.advance(by: .seconds(1))
        try await write.value
        time.advance(by: .seconds(4))
        #expect(try await reading.value == old)
        // Only what the write itself has stored is there.
        let kept = try? await read(.cacheOnly)
        #expect(kept?.name == (method == .put && path == "/items/1" ? "new" : nil))
    }

    /// It is unknown which of the two the server carried out last.
    @Test func ofTwoWritesOfTwoRepositoriesNeitherIsStored() async throws {
        let store = AnyCacheStore(MemoryCacheStore())
        let (one, other) = (repository(store), repository(store))
        let (first, second) = await overlappingWrites(one, other)
        #expect(try await second.value.name == "second")
        time.advance(by: .seconds(5))
        #expect(try await first.value.name == "first")
        #expect(await thrownCode { try await one.get(id: "1", policy: .cacheOnly) } == .cacheMiss)
    }

    /// Both responses arrive before either repository removes anything, so neither would notice the other on its own.
    @Test func ofTwoWritesOfTwoRepositoriesThatEndAtOnceNeitherIsStored() async throws {
        let store = AnyCacheStore.meeting()
        let (one, other) = (repository(store), repository(store))
        transport.stub(.put, "/items/1", .status(204))
        let first = Task { try await one.save(Item(id: 1, name: "first")) }
        let second = Task { try await other.save(Item(id: 1, name: "second")) }
        #expect(try await first.value.name == "first")
        #expect(try await second.value.name == "second")
        #expect(await thrownCode { try await one.get(id: "1", policy: .cacheOnly) } == .cacheMiss)
    }

    /// The first one ends while the store still carries out the removal of the second one.
    @Test func ofTwoWritesOfARepositoryThatEndAtOnceNeitherIsStored() async throws {
        let (removals, begun) = AsyncStream.makeStream(of: Void.self)
        let mayRemove = Promise<Void>()
        defer { mayRemove.resolve(.success(())) }
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeInvalidating else { return }
            begun.yield()
            try await mayRemove.value()
        }
        let items = repository(store)
        var removal = removals.makeAsyncIterator()
        let (first, second) = await overlappingWrites(items, items)
        await removal.next()
        time.advance(by: .seconds(5))
        await removal.next()
        mayRemove.resolve(.success(()))
        #expect(try await second.value.name == "second")
        #expect(try await first.value.name == "first")
        #expect(await thrownCode { try await items.get(id: "1", policy: .cacheOnly) } == .cacheMiss)
    }

    @Test func aValueWithoutATokenOfTheStoreIsNotStored() async throws {
        struct Refused: Error {}
        let store = AnyCacheStore(MemoryCacheStore()) { if $0 == .beforeIssuing { throw Refused() } }
        let items = repository(store)
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "a")))
        for _ in 0..<2 { #expect(try await items.get(id: "1").name == "a") }
        #expect(transport.requests.count == 2)
    }
}
