import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a repository whose writes wait in the offline queue of its client.
@Suite(.timeLimit(.minutes(5)))
struct RepositoryQueueTests {
    private typealias Item = RemoteRepositoryTests.Item

    private static let outage = MockResponse.failure(URLError(.cannotConnectToHost))

    private let time = TestClock()
    private let transport = MockTransport()

    /// A client with a queue, and a repository over both.
    private struct World: Sendable {
        let queue: OfflineQueue
        let client: HTTPClient
        let items: RemoteRepository<Item>
    }

    /// Creates a world whose lane is paused.
    private func world(
        store: any OfflineStore = InMemoryOfflineStore(),
        _ interceptors: any Interceptor...
    ) async throws -> World {
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.timeouts = .none
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: InterceptorList(interceptors + [OfflineInterceptor(queue)]),
            configuration: configuration
        )
        await queue.attach(client)
        await queue.pause(lane: "items")
        let cache = CacheService(clock: time.clock)
        return World(queue: queue, client: client, items: RemoteRepository(client: client, cache: cache, lane: "items"))
    }

    private func deliver(_ count: Int, _ world: World) async {
        let events = world.queue.events
        await world.queue.resume(lane: "items")
        await events.wait(count, .delivered)
    }

    private func sent() -> [String] { transport.requests.map { "\($0.method) \($0.url.path)" } }

    @Test func aWriteThatCannotBeSentIsQueued() async throws {
        let world = try await world()
        transport.stub(.put, "/items/1", Self.outage)
        #expect(try await world.items.save(Item(id: 1, name: "b")).name == "b")
        #expect(await world.queue.entries.map(\.lane) == ["items"])
        #expect(try await world.items.get(id: "1").name == "b")
        await world.queue.close()
    }

    /// Without its lane, nothing would be queued.
    @Test func aWriteOfARepositoryWithoutALaneFails() async throws {
        let world = try await world()
        let items = RemoteRepository<Item>(client: world.client, cache: CacheService())
        transport.stub(.put, "/items/1", Self.outage)
        #expect(await thrownCode { try await items.save(Item(id: 1, name: "b")) } == .connect)
        #expect(await world.queue.entries.isEmpty)
        await world.queue.close()
    }

    @Test func aWriteThatTheServerRefusesIsNotQueued() async throws {
        let world = try await world()
        transport.stub(.put, "/items/2", .status(422))
        transport.stub(.put, "/items/3", .failure(URLError(.networkConnectionLost)))
        for id in 2...3 {
            await #expect(throws: NetKitError.self) { try await world.items.save(Item(id: id, name: "b")) }
        }
        #expect(await world.queue.entries.isEmpty)
        await world.queue.close()
    }

    /// The network is back, but the entry has not been sent again.
    @Test func aLaterWriteDoesNotOvertakeTheOneInTheQueue() async throws {
        let world = try await world()
        transport.stub(.put, "/items/1", Self.outage, .status(204))
        transport.stub(.delete, "/items/1", .status(204))
        try await world.items.save(Item(id: 1, name: "first"))
        try await world.items.save(Item(id: 1, name: "second"))
        #expect(try await world.items.get(id: "1").name == "second")
        try await world.items.delete(id: "1")
        #expect(sent() == ["PUT /items/1"])
        await deliver(3, world)
        #expect(sent() == ["PUT /items/1", "PUT /items/1", "PUT /items/1", "DELETE /items/1"])
        let names = try transport.requests.prefix(3).map { try $0.json(Item.self).name }
        #expect(names == ["first", "first", "second"])
        await world.queue.close()
    }

    /// The server has the old entity until the delivery.
    @Test func whatIsReadBeforeTheDeliveryIsNotStored() async throws {
        let world = try await world()
        transport.stub(.put, "/items/1", Self.outage, .status(204))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")))
        transport.stub(.get, "/items/2", .json(Item(id: 2, name: "other")))
        transport.stub(.get, "/items", .json([Item(id: 1, name: "old")]))
        try await world.items.save(Item(id: 1, name: "new"))
        for policy in [CachePolicy.reload, .networkFirst] {
            #expect(try await world.items.get(id: "1", policy: policy).name == "old")
            #expect(try await world.items.get(id: "1").name == "new")
        }
        transport.removeAllRequests()
        for _ in 0..<2 {
            _ = try await world.items.list()
            _ = try await world.items.get(id: "2")
        }
        #expect(sent() == ["GET /items", "GET /items/2", "GET /items"])
        await world.queue.close()
    }

    /// The server of the tokens cannot be reached, and the entity is in the cache from an earlier login of the user.
    ///
    /// Other users may log in and out before the delivery, during which nothing is read.
    @Test(arguments: [[], ["ada"]])
    func aWriteThatIsQueuedBeforeTheFirstLoginBelongsToThatLogin(others: [String]) async throws {
        let tokens = TokenStore(initial: nil as AccessToken?, clock: time.clock) { _ in
            throw NetKitError(.offline, "There is no network.", outcome: .notSent)
        }
        let world = try await world(store: InMemoryOfflineStore(), AuthInterceptor(tokens))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")), .json(Item(id: 1, name: "new")))
        transport.stub(.put, "/items/1", .status(204))
        await tokens.set(AccessToken("b"), identity: "bob")
        #expect(try await world.items.get(id: "1").name == "old")
        await tokens.clear()
        try await world.items.save(Item(id: 1, name: "new"))
        for user in ["bob"] + others.flatMap({ [$0, "bob"] }) {
            await tokens.set(AccessToken("\(user)-2"), identity: user)
        }
        await world.queue.resume(lane: "items")
        await world.queue.processQueue()
        #expect(try await world.items.get(id: "1").name == "new")
        #expect(sent() == ["GET /items/1", "PUT /items/1", "GET /items/1"])
        await world.queue.close()
    }

    /// The client's own cache has the list from before.
    @Test(arguments: [MockResponse.status(204), .status(422)])
    func theFirstReadAfterTheEndOfAQueuedWriteAsksTheServer(response: MockResponse) async throws {
        let world = try await world(store: InMemoryOfflineStore(), CacheInterceptor(MemoryCacheStore()))
        func item(_ name: String) -> MockResponse {
            .json([Item(id: 1, name: name)]).header("Cache-Control", "max-age=86400")
        }
        transport.stub(.get, "/items", item("old"), item("current"))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "current")))
        transport.stub(.put, "/items/1", Self.outage, response)
        #expect(try await world.items.list().first?.name == "old")
        try await world.items.save(Item(id: 1, name: "new"))
        let events = world.queue.events
        await world.queue.resume(lane: "items")
        for await event in events where [.delivered, .deadLettered].contains(event.kind) { break }
        // A read that is not stored changes nothing.
        #expect(try await world.items.list(policy: .noCache).first?.name == "current")
        transport.removeAllRequests()
        for _ in 0..<2 {
            #expect(try await world.items.list().first?.name == "current")
            #expect(try await world.items.get(id: "1").name == "current")
        }
        // The entity's lifetime is over, and the client's own cache has the current list.
        time.advance(by: .seconds(4000))
        #expect(try await world.items.list().first?.name == "current")
        #expect(sent() == ["GET /items", "GET /items/1"])
        await world.queue.close()
    }

    /// The client's own cache has the list from before, and that of the repository cannot remove its own.
    @Test func aReadBesideTheCacheAsksTheServerAfterTheDelivery() async throws {
        struct Refused: Error {}
        let world = try await world(store: InMemoryOfflineStore(), CacheInterceptor(MemoryCacheStore()))
        let store = AnyCacheStore(MemoryCacheStore()) { if $0 == .beforeInvalidating { throw Refused() } }
        let cache = CacheService(store: store, clock: time.clock)
        let items = RemoteRepository<Item>(client: world.client, cache: cache, lane: "items")
        func item(_ name: String) -> MockResponse {
            .json([Item(id: 1, name: name)]).header("Cache-Control", "max-age=86400")
        }
        transport.stub(.get, "/items", item("old"), item("current"))
        transport.stub(.put, "/items/1", Self.outage, .status(204))
        #expect(try await items.list().first?.name == "old")
        try await items.save(Item(id: 1, name: "new"))
        await deliver(1, world)
        transport.removeAllRequests()
        for _ in 0..<2 { #expect(try await items.list().first?.name == "current") }
        // From the first read on, the client's own cache has the current list.
        #expect(sent() == ["GET /items"])
        await world.queue.close()
    }

    /// The response to the read is from before the second write, whose delivery another read finds out about.
    @Test func aReadDoesNotAnswerForAWriteThatIsDeliveredMeanwhile() async throws {
        let world = try await world(store: InMemoryOfflineStore(), CacheInterceptor(MemoryCacheStore()))
        @Sendable func items(_ name: String) -> MockResponse {
            .json([Item(id: 1, name: name)]).header("Cache-Control", "max-age=86400")
        }
        let isDelivered = Promise<Void>()
        let early = MockResponse.respond { _, _ in
            try await isDelivered.value()
            return items("first")
        }
        transport.stub(.get, "/items", early, items("second"))
        transport.stub(.put, "/items/1", Self.outage, .status(204), Self.outage, .status(204))
        try await world.items.save(Item(id: 1, name: "first"))
        await deliver(1, world)
        let read = Task { try await world.items.list() }
        await transport.waitForRequests(3)
        await world.queue.pause(lane: "items")
        try await world.items.save(Item(id: 1, name: "second"))
        await deliver(1, world)
        _ = try? await world.items.list(policy: .cacheOnly)
        isDelivered.resolve(.success(()))
        #expect(try await read.value.first?.name == "first")
        // The client's own cache has the response to the early read.
        #expect(try await world.items.list().first?.name == "second")
        await world.queue.close()
    }

    @Test func aSharedStoreIsAskedForTheEntry() async throws {
        let shared = InMemorySharedOfflineStore(lease: .seconds(86_400), clock: time.clock)
        // Another replica has the lane, so that the scheduler of this one does not know the entry.
        let other = try await OfflineQueue.testing(nil, time, store: shared.replica("other"))
        let world = try await world(store: shared.replica())
        #expect(shared.owner(ofLane: "items") == "other")
        transport.stub(.put, "/items/1", Self.outage, .status(204))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "the server's")))
        try await world.items.save(Item(id: 1, name: "mine"))
        #expect(try await world.items.get(id: "1", policy: .reload).name == "the server's")
        #expect(try await world.items.get(id: "1").name == "mine")
        await other.close()
        await deliver(1, world)
        #expect(try await world.items.get(id: "1").name == "the server's")
        await world.queue.close()
    }

    /// Later entries of its lane are delivered, but not this one.
    @Test func aWriteInAConflictStillWaits() async throws {
        let world = try await world()
        transport.stub(.put, "/items/1", Self.outage, .status(409))
        transport.stub(.put, "/items/2", .status(204))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "the server's")))
        transport.stub(.get, "/items/2", .json(Item(id: 2, name: "the server's")))
        for id in 1...2 { try await world.items.save(Item(id: id, name: "mine")) }
        await deliver(1, world)
        #expect(await world.queue.entries.map(\.state) == [.conflict])
        for id in 1...2 { _ = try await world.items.get(id: "\(id)", policy: .reload) }
        #expect(try await world.items.get(id: "1", policy: .cacheOnly).name == "mine")
        #expect(try await world.items.get(id: "2", policy: .cacheOnly).name == "the server's")
        await world.queue.close()
    }

    /// The server carries out the queued write last.
    @Test(arguments: [HTTPMethod.put, .delete], [HTTPStatus.noContent, .internalServerError])
    func aQueuedWriteOutlastsAnEarlierOneThatEndsLater(method: HTTPMethod, status: HTTPStatus) async throws {
        let world = try await world()
        let mayEnd = Promise<Void>()
        let late = MockResponse.respond { _, _ in
            try await mayEnd.value()
            return .status(status)
        }
        if method == .put {
            transport.stub(.put, "/items/1", late, Self.outage, .status(204))
        } else {
            transport.stub(.delete, "/items/1", late)
            transport.stub(.put, "/items/1", Self.outage, .status(204))
        }
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "the server's")))
        let earlier = Task {
            if method == .delete { return try await world.items.delete(id: "1") }
            try await world.items.save(Item(id: 1, name: "earlier"))
        }
        await transport.waitForRequests(1)
        try await world.items.save(Item(id: 1, name: "queued"))
        mayEnd.resolve(.success(()))
        _ = await earlier.result
        #expect(try await world.items.get(id: "1").name == "queued")
        await deliver(1, world)
        #expect(try await world.items.get(id: "1").name == "the server's")
        await world.queue.close()
    }

    /// A person decides later about the first one.
    @Test func aWriteAfterOneInAConflictTakesItsPlace() async throws {
        let world = try await world()
        transport.stub(.put, "/items/1", Self.outage, .status(409), .status(204))
        try await world.items.save(Item(id: 1, name: "first"))
        let events = world.queue.events
        await world.queue.resume(lane: "items")
        await events.wait(1, .conflict)
        try await world.items.save(Item(id: 1, name: "second"))
        #expect(try await world.items.get(id: "1", policy: .cacheOnly).name == "second")
        await world.queue.close()
    }

    /// A person retries it after the cause is gone.
    @Test func aDeadLetterThatIsRetriedIsAQueuedWriteAgain() async throws {
        let world = try await world()
        transport.stub(.put, "/items/1", Self.outage, .status(422), .status(204))
        transport.stub(
            .get,
            "/items/1",
            .json(Item(id: 1, name: "before")),
            .json(Item(id: 1, name: "meanwhile")),
            .json(Item(id: 1, name: "after"))
        )
        try await world.items.save(Item(id: 1, name: "mine"))
        let events = world.queue.events
        await world.queue.resume(lane: "items")
        let letter = try #require(await events.first(.deadLettered))
        for _ in 0..<2 { #expect(try await world.items.get(id: "1").name == "before") }
        await world.queue.pause(lane: "items")
        try await world.queue.retry(try #require(letter.id))
        #expect(try await world.items.get(id: "1", policy: .reload).name == "meanwhile")
        #expect(try await world.items.get(id: "1").name == "before")
        await deliver(1, world)
        for _ in 0..<2 { #expect(try await world.items.get(id: "1").name == "after") }
        #expect(transport.requests.filter { $0.method == .get }.count == 3)
        await world.queue.close()
    }

    @Test func aSharedStoreThatIsKnownToBeAwayIsNotAsked() async throws {
        struct SharedStore: StoreWrapper {
            let inner: any OfflineStore = InMemoryOfflineStore()
            var isShared: Bool { true }
        }
        let store = InterruptedStore(SharedStore())
        let world = try await world(store: store)
        transport.stub(.put, "/items/1", Self.outage)
        try await world.items.save(Item(id: 1, name: "mine"))
        store.fail(.lines)
        await world.queue.processQueue()
        #expect(await world.queue.storeProblem?.code == .storeUnavailable)
        let isAsked = Flag()
        store.before(.browse) { isAsked.set() }
        #expect(try await world.items.get(id: "1").name == "mine")
        #expect(!isAsked.isSet)
        await world.queue.close()
    }
}
