import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of a repository whose server says that an entity does not exist.
@Suite(.timeLimit(.minutes(5)))
struct RepositoryGoneTests {
    private typealias Item = RemoteRepositoryTests.Item

    private let time = TestClock()
    private let transport = MockTransport()

    /// Creates a repository over a client with a cache of its own, and maybe a queue.
    private func repository(_ queue: OfflineQueue? = nil) -> RemoteRepository<Item> {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.timeouts = .none
        var interceptors: [any Interceptor] = [CacheInterceptor(MemoryCacheStore())]
        if let queue { interceptors.append(OfflineInterceptor(queue)) }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList(interceptors),
            configuration: configuration
        )
        return RemoteRepository(client: client, cache: CacheService(clock: time.clock), path: "/items", lane: "items")
    }

    private func lasting(_ response: MockResponse) -> MockResponse { response.header("Cache-Control", "max-age=86400") }

    /// Another client has deleted it before.
    @Test(arguments: [HTTPMethod.delete, .put], [.notFound, .gone] as [HTTPStatus])
    func aWriteThatFindsNoEntityForgetsIt(method: HTTPMethod, status: HTTPStatus) async throws {
        let items = repository()
        let old = Item(id: 1, name: "old")
        transport.stub(.get, "/items/1", lasting(.json(old)), .status(status))
        transport.stub(.get, "/items", lasting(.json([old])), .json([Item]()))
        transport.stub(method, "/items/1", .status(status))
        #expect(try await items.get(id: "1") == old)
        #expect(try await items.list() == [old])
        let write = await #expect(throws: NetKitError.self) {
            if method == .put { try await items.save(old) } else { try await items.delete(id: "1") }
        }
        #expect(write?.status == status)
        // Neither the repository nor its client has them any more.
        let read = await #expect(throws: NetKitError.self) { try await items.get(id: "1") }
        #expect(read?.status == status)
        #expect(try await items.list() == [])
    }

    @Test func aReadThatFindsNoEntityForgetsIt() async throws {
        let items = repository()
        let outage = MockResponse.failure(URLError(.cannotConnectToHost))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")), .status(404), outage)
        #expect(try await items.get(id: "1", policy: .networkFirst).name == "old")
        #expect(await thrownCode { try await items.get(id: "1", policy: .networkFirst) } == .server)
        #expect(await thrownCode { try await items.get(id: "1", policy: .networkFirst) } == .connect)
    }

    /// The entity is written while the read waits for its response.
    @Test func aReadThatFindsNoEntityKeepsALaterOne() async throws {
        let items = repository()
        transport.stub(.get, "/items/1", .status(404).delayed(by: .seconds(5)))
        transport.stub(.put, "/items/1", .status(204))
        let read = Task { try await items.get(id: "1") }
        await time.waitForSleepers(1)
        try await items.save(Item(id: 1, name: "new"))
        time.advance(by: .seconds(5))
        #expect(await thrownCode { try await read.value } == .server)
        #expect(try await items.get(id: "1", policy: .cacheOnly).name == "new")
    }

    /// The server does not have the entity until the delivery.
    @Test func aReadThatFindsNoEntityKeepsTheOneOfAQueuedWrite() async throws {
        let queue = try await OfflineQueue.testing(nil, time)
        let items = repository(queue)
        transport.stub(.put, "/items/1", .failure(URLError(.cannotConnectToHost)))
        transport.stub(.get, "/items/1", .status(404))
        await queue.pause(lane: "items")
        try await items.save(Item(id: 1, name: "new"))
        #expect(await thrownCode { try await items.get(id: "1", policy: .reload) } == .server)
        #expect(try await items.get(id: "1").name == "new")
        await queue.close()
    }
}
