import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of a repository that puts unsent writes into a real queue, with a server that goes away and comes back.
@Suite(.needsTheMachine)
struct RepositoryOfflineTests {
    private struct Item: Codable, Sendable, Identifiable, Equatable {
        let id: Int
        var name: String
        /// The version that the server counts.
        var revision = 0
    }

    /// The state of the server.
    private final class Shelf: Sendable {
        private struct State {
            var items = [1: Item(id: 1, name: "one"), 2: Item(id: 2, name: "two")]
            var log: [String] = []
            var keys: [String] = []
        }

        private let state = Locked(State())

        var log: [String] { state.withLock { $0.log } }
        var keys: [String] { state.withLock { $0.keys } }

        func reply(to request: ServerRequest) -> ServerReply {
            let id = request.path.split(separator: "/").dropFirst().first.flatMap { Int($0) }
            return state.withLock { state in
                if request.method != .get {
                    state.log.append("\(request.method) \(request.path)")
                    state.keys.append(request.headers["Idempotency-Key"] ?? "")
                }
                switch (request.method, id) {
                case (.get, nil): return .json(state.items.values.sorted { $0.id < $1.id })
                case (.get, let id?): return state.items[id].map { .json($0) } ?? .status(404)
                case (.put, let id?):
                    guard var item = try? JSONDecoder().decode(Item.self, from: request.body) else {
                        return .status(400)
                    }
                    item.revision = (state.items[id]?.revision ?? 0) + 1
                    state.items[id] = item
                    return .json(item)
                case (.delete, let id?):
                    state.items[id] = nil
                    return .status(204)
                default: return .status(405)
                }
            }
        }

    }

    private func queue(_ folder: TemporaryFolder) async throws -> OfflineQueue {
        var configuration = OfflineQueue.Configuration()
        configuration.policy = RetryPolicy(maxAttempts: .max, backoffStrategy: .fixed(interval: .milliseconds(20)))
        return try await OfflineQueue(directory: folder.file("queue"), configuration: configuration)
    }

    private func repository(
        _ server: MockServer,
        _ cache: CacheService,
        _ queue: OfflineQueue
    ) async -> RemoteRepository<Item> {
        let client = HTTPClient(baseURL: server.baseURL, interceptors: [OfflineInterceptor(queue)])
        await queue.attach(client)
        return RemoteRepository(client: client, cache: cache, lane: "items")
    }

    @Test func offlineWritesArriveWhenTheServerIsBack() async throws {
        let (server, shelf, folder) = (try MockServer(), Shelf(), try TemporaryFolder())
        // Each connection ends with its response, so a server that is down has none open.
        for path in ["/items", "/items/*"] {
            server.on(nil, path) { shelf.reply(to: $0).header("Connection", "close") }
        }
        let values = CacheService(store: DiskCacheStore(directory: folder.file("cache")))
        var queue = try await queue(folder)
        var items = await repository(server, values, queue)
        #expect(try await items.list().map(\.name) == ["one", "two"])
        #expect(try await items.get(id: "1").name == "one")
        #expect(try await items.get(id: "2").name == "two")

        try server.refuseConnections()
        #expect(try await items.save(Item(id: 1, name: "uno")).name == "uno")
        #expect(try await items.save(Item(id: 3, name: "tres")).name == "tres")
        try await items.delete(id: "2")
        #expect(await queue.pendingCount == 3)
        // The written entity can be read, and the invalidated one cannot.
        #expect(try await items.get(id: "1").name == "uno")
        #expect(try await items.get(id: "3").name == "tres")
        for read in [{ _ = try await items.list() }, { _ = try await items.get(id: "2") }] as [() async throws -> Void]
        {
            let error = await #expect(throws: NetKitError.self) { try await read() }
            #expect(error?.code == .connect)
        }
        #expect(shelf.log.isEmpty)

        // The program ends, and begins again, before the server is back.
        await queue.close()
        queue = try await self.queue(folder)
        items = await repository(server, values, queue)
        #expect(await queue.pendingCount == 3)
        #expect(try await items.get(id: "1").name == "uno")
        let events = queue.events
        try server.acceptConnections()
        await queue.processQueue()
        var delivered = 0
        for await event in events where event.kind == .delivered {
            if let id = event.endpoint?.split(separator: "/").last { await items.forget(id: String(id)) }
            delivered += 1
            if delivered == 3 { break }
        }

        // In order, each once.
        #expect(shelf.log == ["PUT /items/1", "PUT /items/3", "DELETE /items/2"])
        #expect(Set(shelf.keys).count == 3 && !shelf.keys.contains(""))
        // The earlier content of the cache is gone, so the server's response counts.
        #expect(
            try await items.list() == [Item(id: 1, name: "uno", revision: 1), Item(id: 3, name: "tres", revision: 1)]
        )
        #expect(try await items.get(id: "1").revision == 1)
        let gone = await #expect(throws: NetKitError.self) { try await items.get(id: "2") }
        #expect(gone?.status == .notFound)
        #expect(await queue.entries.isEmpty)
        await queue.close()
    }

    /// A closed queue makes the write fail, and the cache keeps the correct value.
    @Test func aRequestThatTheQueueRefusesFails() async throws {
        let (server, shelf, folder) = (try MockServer(), Shelf(), try TemporaryFolder())
        server.on(nil, "/items/*") { shelf.reply(to: $0).header("Connection", "close") }
        let queue = try await queue(folder)
        let items = await repository(server, CacheService(), queue)
        #expect(try await items.get(id: "1").name == "one")
        try server.refuseConnections()
        await queue.close()
        let error = await #expect(throws: NetKitError.self) { try await items.save(Item(id: 1, name: "uno")) }
        #expect(error?.code == .closed)
        #expect(try await items.get(id: "1").name == "one")
        #expect(shelf.log.isEmpty)
    }
}
