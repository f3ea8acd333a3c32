import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RemoteRepositoryTests {
    struct Item: Codable, Sendable, Identifiable, Equatable {
        let id: Int
        var name: String
    }

    private let time = TestClock()
    private let transport = MockTransport()

    private func repository(
        policy: CachePolicy = .cacheFirst,
        store: any CacheStore = MemoryCacheStore()
    ) -> RemoteRepository<Item> {
        RemoteRepository(
            client: HTTPClient.testing(transport, time: time),
            cache: CacheService(store: store, clock: time.clock),
            policy: policy
        )
    }

    private func paths() -> [String] {
        transport.requests.map { "\($0.method) \($0.url.path)" }
    }

    @Test func readsThroughTheCache() async throws {
        let items = repository(policy: .cacheFirst.lasting(.seconds(60)))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "a")), .json(Item(id: 1, name: "b")))
        transport.stub(.get, "/items", .json([Item(id: 1, name: "a")]))
        for _ in 0..<2 {
            #expect(try await items.get(id: "1").name == "a")
            #expect(try await items.list().count == 1)
        }
        #expect(paths() == ["GET /v1/items/1", "GET /v1/items"])
        time.advance(by: .seconds(60))
        #expect(try await items.get(id: "1").name == "b")
        #expect(try await items.first { $0.id == 1 } == Item(id: 1, name: "a"))
    }

    @Test func aReadMayHaveItsOwnPolicy() async throws {
        let items = repository()
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "a")), .json(Item(id: 1, name: "b")))
        transport.stub(.get, "/items", .json([Item(id: 1, name: "a")]))
        await #expect(throws: NetKitError.self) { try await items.get(id: "1", policy: .cacheOnly) }
        #expect(paths() == [])
        #expect(try await items.get(id: "1", policy: .reload.lasting(.seconds(10))).name == "a")
        #expect(try await items.get(id: "1").name == "a")
        #expect(try await items.list(policy: .noCache).count == 1)
        #expect(try await items.list(policy: .noCache).count == 1)
        #expect(paths() == ["GET /v1/items/1", "GET /v1/items", "GET /v1/items"])
        time.advance(by: .seconds(10))
        #expect(try await items.get(id: "1").name == "b")
    }

    @Test func updatesAreTheStoredValueAndThenTheServers() async throws {
        let items = repository()
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "a")), .json(Item(id: 1, name: "b")), .status(500))
        transport.stub(.get, "/items", .json([Item(id: 1, name: "a")]))
        let updates = items.updates(id: "1")
        #expect(paths() == [])
        #expect(try await all(updates).map(\.name) == ["a"])
        #expect(try await all(updates).map(\.name) == ["a", "b"])
        var seen: [String] = []
        await #expect(throws: NetKitError.self) { for try await item in updates { seen.append(item.name) } }
        #expect(seen == ["b"])
        #expect(try await items.get(id: "1", policy: .cacheOnly).name == "b")
        #expect(try await all(items.updates()).map(\.count) == [1])
        #expect(try await all(items.updates()).map(\.count) == [1, 1])
    }

    @Test(arguments: [(CachePolicy.noCache, ["GET /v1/items/1"]), (.cacheOnly, [])])
    func updatesKeepToAPolicyThatForbidsOneOfTheTwo(policy: CachePolicy, sent: [String]) async throws {
        let items = repository(policy: policy)
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "a")))
        let seen = (try? await all(items.updates(id: "1"))) ?? []
        #expect(seen.count == sent.count)
        #expect(paths() == sent)
    }

    @Test func aStandInHasUpdatesWithoutACache() async throws {
        struct Fixed: Repository {
            func get(id: String) async throws -> String { "item \(id)" }
            func list() async throws -> [String] { ["item 1"] }
            func save(_ entity: String) async throws -> String { entity }
            func delete(id: String) async throws {}
        }
        let any: any Repository<String> = Fixed()
        #expect(try await all(any.updates(id: "1")) == ["item 1"])
        #expect(try await all(any.updates()) == [["item 1"]])
        #expect(try await any.get(id: "1", policy: .reload) == "item 1")
        #expect(try await any.list(policy: .reload) == ["item 1"])
    }

    private func all<Value>(_ updates: RepositoryUpdates<Value>) async throws -> [Value] {
        try await updates.reduce(into: []) { $0.append($1) }
    }

    @Test func twoServersOverOneCacheDoNotMix() async throws {
        let cache = CacheService(clock: time.clock)
        func items(_ base: String) -> RemoteRepository<Item> {
            let transport = MockTransport()
            transport.stub(.get, "/**", .json(Item(id: 1, name: base)))
            return RemoteRepository(client: HTTPClient(baseURL: URL(string: base), transport: transport), cache: cache)
        }
        for base in ["https://a.example", "https://b.example", "https://a.example/v2"] {
            #expect(try await items(base).get(id: "1").name == base)
        }
        // The same key in other words.
        #expect(try await items("HTTPS://A.example:443/").get(id: "1").name == "https://a.example")
    }

    @Test func aWriteKeepsTheEntityAndForgetsTheList() async throws {
        let items = repository()
        transport.stub(.get, "/items", .json([Item(id: 1, name: "a")]), .json([Item(id: 1, name: "B")]))
        transport.stub(.put, "/items/1", .json(Item(id: 1, name: "B")), .status(204))
        transport.stub(.get, "/items/1", .status(404))
        transport.stub(.delete, "/items/1", .status(204))
        _ = try await items.list()
        #expect(try await items.save(Item(id: 1, name: "b")).name == "B")
        #expect(try await items.get(id: "1").name == "B")
        #expect(try await items.list().first?.name == "B")
        #expect(try await items.save([Item(id: 1, name: "c")]).map(\.name) == ["c"])
        try await items.delete(id: "1")
        let error = await #expect(throws: NetKitError.self) { try await items.get(id: "1") }
        #expect(error?.status == .notFound)
    }

    /// The server may have applied it. The store ends its work in a cancelled task.
    @Test func aCancelledWriteForgetsTheEntity() async throws {
        let store = AnyCacheStore(MemoryCacheStore()) { if $0 == .beforeInvalidating { try Task.checkCancellation() } }
        let items = repository(store: store)
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")), .json(Item(id: 1, name: "new")))
        transport.stub(.put, "/items/1", .stalled)
        #expect(try await items.get(id: "1").name == "old")
        let save = Task { try await items.save(Item(id: 1, name: "new")).name }
        await transport.waitForRequests(2)
        save.cancel()
        #expect(await outcome(of: save) == "cancelled")
        #expect(try await items.get(id: "1").name == "new")
    }

    /// The removal itself goes on.
    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func aCancelledWriteWaitsForItsStoreForHalfASecondAtMost(clockStandsStill: Bool) async throws {
        let (isRemoving, mayRemove, end) = (Promise<Void>(), Promise<Void>(), Promise<String>())
        defer { mayRemove.resolve(.success(())) }
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeInvalidating else { return }
            isRemoving.resolve(.success(()))
            try await mayRemove.value()
        }
        let items = repository(store: store)
        transport.stub(.put, "/items/1", .stalled)
        let save = Task { try await items.save(Item(id: 1, name: "new")) }
        Task { end.resolve(.success(await outcome(of: save))) }
        await transport.waitForRequests(1)
        save.cancel()
        try await isRemoving.cancellableValue()
        await time.waitForAlarms(1)
        if !clockStandsStill { time.advance(by: .milliseconds(500)) }
        // A write without a bound would never end.
        #expect(try await end.cancellableValue() == "cancelled")
    }

    /// The server may have applied what it did not refuse with a 4xx.
    @Test(
        arguments: [
            (.status(500), "new"), (.status(503), "new"), (.status(422), "old"), (.status(409), "old"),
            (.stream([Data("{".utf8)], failingWith: URLError(.networkConnectionLost)), "new"),
        ] as [(MockResponse, String)]
    )
    func aFailedWriteForgetsTheEntityUnlessItWasRefused(response: MockResponse, then name: String) async throws {
        let items = repository()
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")), .json(Item(id: 1, name: "new")))
        transport.stub(.put, "/items/1", response)
        #expect(try await items.get(id: "1").name == "old")
        await #expect(throws: NetKitError.self) { try await items.save(Item(id: 1, name: "new")) }
        #expect(try await items.get(id: "1").name == name)
    }

    @Test func afterAWriteThatFailedTheCacheOfTheClientHasNoEntityEither() async throws {
        let client = HTTPClient.testing(transport, CacheInterceptor(MemoryCacheStore()), time: time)
        let items = RemoteRepository<Item>(client: client, cache: CacheService(clock: time.clock))
        transport.stub(
            .get,
            "/items/1",
            .json(Item(id: 1, name: "old")).header("Cache-Control", "max-age=60"),
            .json(Item(id: 1, name: "new")).header("Cache-Control", "max-age=60")
        )
        transport.stub(.put, "/items/1", .status(500))
        #expect(try await items.get(id: "1").name == "old")
        await #expect(throws: NetKitError.self) { try await items.save(Item(id: 1, name: "new")) }
        #expect(try await items.get(id: "1").name == "new")
    }

    @Test(arguments: [.status(204), .status(500), .failure(URLError(.networkConnectionLost))] as [MockResponse])
    func aWriteForgetsTheListInTheCacheOfTheClientToo(response: MockResponse) async throws {
        let client = HTTPClient.testing(transport, CacheInterceptor(MemoryCacheStore()), time: time)
        let items = RemoteRepository<Item>(client: client, cache: CacheService(clock: time.clock))
        transport.stub(
            .get,
            "/items",
            .json([Item(id: 1, name: "old")]).header("Cache-Control", "max-age=60"),
            .json([Item(id: 1, name: "new")]).header("Cache-Control", "max-age=60")
        )
        transport.stub(.put, "/items/1", response)
        #expect(try await items.list().map(\.name) == ["old"])
        _ = try? await items.save(Item(id: 1, name: "new"))
        #expect(try await items.list().map(\.name) == ["new"])
        #expect(paths() == ["GET /v1/items", "PUT /v1/items/1", "GET /v1/items"])
    }

    /// The second attempt finds what the first one, whose response was lost, has done.
    @Test func aWriteThatIsRefusedAfterALostResponseForgetsTheEntity() async throws {
        let retry = RetryPolicy(maxAttempts: 2, backoffStrategy: .fixed(interval: .zero), jitter: .none)
        let client = HTTPClient.testing(transport, RetryInterceptor(retry), time: time)
        let items = RemoteRepository<Item>(client: client, cache: CacheService(clock: time.clock))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")), .status(404))
        transport.stub(.delete, "/items/1", .failure(URLError(.networkConnectionLost)), .status(404))
        #expect(try await items.get(id: "1").name == "old")
        await #expect(throws: NetKitError.self) { try await items.delete(id: "1") }
        #expect(paths() == ["GET /v1/items/1", "DELETE /v1/items/1", "DELETE /v1/items/1"])
        let error = await #expect(throws: NetKitError.self) { try await items.get(id: "1") }
        #expect(error?.status == .notFound)
    }

    /// The cache of the client would otherwise respond in place of the server.
    @Test(arguments: [CachePolicy.reload, .noCache, .networkFirst])
    func aReadThatAsksTheServerAsksItThroughTheCacheOfTheClient(policy: CachePolicy) async throws {
        let client = HTTPClient.testing(transport, CacheInterceptor(MemoryCacheStore()), time: time)
        let items = RemoteRepository<Item>(client: client, cache: CacheService(clock: time.clock))
        transport.stub(
            .get,
            "/items/1",
            .json(Item(id: 1, name: "a")).header("Cache-Control", "max-age=60"),
            .json(Item(id: 1, name: "b")).header("Cache-Control", "max-age=60")
        )
        #expect(try await items.get(id: "1", policy: .cacheFirst).name == "a")
        #expect(try await items.get(id: "1", policy: policy).name == "b")
    }

    @Test(arguments: [CachePolicy.reload, .networkFirst])
    func theLifetimeOfAnEntityIsNotThatOfTheResponse(policy: CachePolicy) async throws {
        let client = HTTPClient.testing(transport, CacheInterceptor(MemoryCacheStore()), time: time)
        let items = RemoteRepository<Item>(
            client: client,
            cache: CacheService(clock: time.clock),
            policy: policy.lasting(.seconds(3600))
        )
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "a")), .json(Item(id: 1, name: "b")))
        #expect(try await items.get(id: "1").name == "a")
        let other: Item = try await client.send(.get("/items/1"))
        #expect(other.name == "b")
    }

    @Test func networkFirstFallsBackOnTheCache() async throws {
        let items = repository(policy: .networkFirst)
        transport.stub(
            .get,
            "/items/1",
            .json(Item(id: 1, name: "a")),
            .failure(URLError(.cannotConnectToHost)),
            .status(503),
            .status(404)
        )
        for _ in 0..<3 { #expect(try await items.get(id: "1").name == "a") }
        await #expect(throws: NetKitError.self) { try await items.get(id: "1") }
    }

    /// An error about the caller or the settings must not look like an entity.
    @Test(arguments: [
        NetKitError.Code.unauthorized, .closed, .invalidConfiguration, .addressRefused, .tls, .redirect,
    ])
    func networkFirstHidesNoErrorThatIsNotTheNetworks(code: NetKitError.Code) async throws {
        let items = repository(policy: .networkFirst)
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "a")), .failure(NetKitError(code, "Refused.")))
        _ = try await items.get(id: "1")
        let error = await #expect(throws: NetKitError.self) { try await items.get(id: "1") }
        #expect(error?.code == code)
    }

    @Test func theOtherPoliciesHoldToo() async throws {
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "a")))
        let only = repository(policy: .cacheOnly)
        let miss = await #expect(throws: NetKitError.self) { try await only.get(id: "1") }
        #expect(miss?.code == .cacheMiss && transport.requests.isEmpty)
        for policy in [CachePolicy.noCache, .reload] {
            transport.removeAllRequests()
            let items = repository(policy: policy)
            for _ in 0..<2 { _ = try await items.get(id: "1") }
            #expect(transport.requests.count == 2)
        }
    }

    @Test func aMissNamesNoSecretOfTheBaseURL() async throws {
        let base = URL(string: "https://ada:s3cret@api.example.com/v1?key=s3cret")
        let client = HTTPClient(baseURL: base, transport: transport)
        let items = RemoteRepository<Item>(client: client, cache: CacheService())
        let error = await #expect(throws: NetKitError.self) { try await items.get(id: "1", policy: .cacheOnly) }
        let miss = try #require(error)
        #expect(miss.cause as? CacheMiss == .absent)
        #expect(!"\(miss)".contains("s3cret"))
    }

    @Test func aReadFromBeforeAWriteIsNotStoredAfterIt() async throws {
        let items = repository()
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")).delayed(by: .seconds(5)))
        transport.stub(.put, "/items/1", .json(Item(id: 1, name: "new")))
        let read = Task { try await items.get(id: "1").name }
        await time.waitForSleepers(1)
        _ = try await items.save(Item(id: 1, name: "new"))
        time.advance(by: .seconds(5))
        #expect(try await read.value == "old")
        #expect(try await items.get(id: "1").name == "new")
    }

    @Test func ofTwoWritesAtOnceNeitherIsStored() async throws {
        let items = repository()
        transport.stub(
            .put,
            "/items/1",
            .json(Item(id: 1, name: "first")).delayed(by: .seconds(5)),
            .json(Item(id: 1, name: "second"))
        )
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "the server's")))
        let first = Task { try await items.save(Item(id: 1, name: "first")) }
        await time.waitForSleepers(1)
        _ = try await items.save(Item(id: 1, name: "second"))
        time.advance(by: .seconds(5))
        _ = try await first.value
        #expect(try await items.get(id: "1").name == "the server's")
    }

    @Test func aSubclassOverridesTheRequestsOfItsAPI() async throws {
        // `@unchecked Sendable`: it adds no state to its superclass, whose own locks guard what there is.
        final class Drafts: RemoteRepository<Item>, @unchecked Sendable {
            override func path(of id: String) -> RequestPath { "/drafts/\(id)/current" }
        }
        transport.stub(.get, "/drafts/1/current", .json(Item(id: 1, name: "a")))
        let drafts = Drafts(client: HTTPClient.testing(transport, time: time), cache: CacheService(clock: time.clock))
        #expect(try await drafts.get(id: "1").name == "a")
        let any: any Repository<Item> = drafts
        #expect(try await any.get(id: "1").name == "a")
    }

    @Test func aSubclassThatReadsInAnotherWayChangesEveryRead() async throws {
        // `@unchecked Sendable`: it adds no state to its superclass, whose own locks guard what there is.
        final class Named: RemoteRepository<Item>, @unchecked Sendable {
            override func get(id: String, policy: CachePolicy) async throws -> Item {
                var item = try await super.get(id: id, policy: policy)
                item.name += "!"
                return item
            }
        }
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "a")))
        let items = Named(client: HTTPClient.testing(transport, time: time), cache: CacheService(clock: time.clock))
        #expect(try await items.get(id: "1").name == "a!")
        #expect(try await all(items.updates(id: "1")).map(\.name) == ["a!", "a!"])
    }
}
