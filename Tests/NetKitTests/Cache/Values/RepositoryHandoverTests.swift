import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a repository between the handover of a write and its delivery.
@Suite(.timeLimit(.minutes(5)))
struct RepositoryHandoverTests {
    private typealias Item = RemoteRepositoryTests.Item
    private typealias Handover = RemoteRepository<Item>.Handover

    private static let outage = MockResponse.failure(URLError(.cannotConnectToHost))

    private let time = TestClock()
    private let transport = MockTransport()
    /// The requests that were handed over.
    private let kept = Notebook<String>()

    private func repository(
        _ client: HTTPClient? = nil,
        whenUnsent: @escaping Handover = { _ in }
    ) -> RemoteRepository<Item> {
        RemoteRepository(
            client: client ?? HTTPClient.testing(transport, time: time),
            cache: CacheService(clock: time.clock),
            whenUnsent: { [kept] request in
                kept.add("\(request.method) \(request.url.path)")
                try await whenUnsent(request)
            }
        )
    }

    private func queue() async throws -> OfflineQueue {
        var configuration = OfflineQueue.Configuration()
        configuration.clock = time.clock
        configuration.policy = RetryPolicy(
            maxAttempts: .max,
            backoffStrategy: .fixed(interval: .seconds(10)),
            jitter: .none
        )
        return try await OfflineQueue(
            store: InMemoryOfflineStore(),
            sender: HTTPClient.testing(transport, time: time),
            configuration: configuration
        )
    }

    /// The names of the items that were sent.
    private func sentNames() throws -> [String] {
        try transport.requests.filter { $0.method == .put }.map { try $0.json(Item.self).name }
    }

    private func sent() -> [String] { transport.requests.map { "\($0.method) \($0.url.path)" } }

    /// The network returns while the queue waits before its next attempt.
    @Test func aLaterWriteDoesNotOvertakeTheOneInTheQueue() async throws {
        let queue = try await queue()
        let events = queue.events
        let items = repository { request in try await queue.enqueue(QueuedRequest(request, lane: "items")) }
        transport.stub(.put, "/items/1", Self.outage, Self.outage, .status(204))
        transport.stub(.put, "/items/2", .status(204))
        try await items.save(Item(id: 1, name: "first"))
        _ = await events.first(.postponed)
        try await items.save(Item(id: 1, name: "second"))
        try await items.save(Item(id: 2, name: "other"))
        try #require(try sentNames() == ["first", "first", "other"])
        time.advance(by: .seconds(10))
        await events.wait(2, .delivered)
        #expect(try sentNames() == ["first", "first", "other", "first", "second"])
        // After the first delivery, the second write may still be under way.
        await items.forget(id: "1")
        #expect(try await items.get(id: "1", policy: .cacheOnly).name == "second")
        try await items.save(Item(id: 1, name: "third"))
        #expect(kept.count == 3)
        for _ in 0..<2 { await items.forget(id: "1") }
        try await items.save(Item(id: 1, name: "fourth"))
        #expect(kept.count == 3)
        await queue.close()
    }

    @Test func aDeletionDoesNotOvertakeAWriteNorAWriteADeletion() async throws {
        let items = repository()
        transport.stub(.put, "/items/1", Self.outage, .status(204))
        transport.stub(.delete, "/items/1", .status(204))
        try await items.save(Item(id: 1, name: "first"))
        try await items.delete(id: "1")
        try await items.save(Item(id: 1, name: "second"))
        #expect(kept.entries == ["PUT /items/1", "DELETE /items/1", "PUT /items/1"])
        #expect(sent() == ["PUT /v1/items/1"])
        for _ in 0..<3 { await items.forget(id: "1") }
        try await items.delete(id: "1")
        #expect(sent() == ["PUT /v1/items/1", "DELETE /v1/items/1"])
    }

    /// One event reports the delivery of the two.
    @Test func aWriteThatTheQueueReplacedNeedsNoDelivery() async throws {
        let queue = try await queue()
        await queue.pause(lane: "items")
        let items = repository { request in
            try await queue.enqueue(QueuedRequest(request, lane: "items", coalescingKey: request.url.path))
        }
        transport.stub(.put, "/items/1", Self.outage, .status(204))
        for name in ["first", "second"] { try await items.save(Item(id: 1, name: name)) }
        #expect(await queue.pendingCount == 1)
        #expect(kept.count == 2)
        await items.forget(id: "1")
        try await items.save(Item(id: 1, name: "third"))
        #expect(try sentNames() == ["first", "third"])
        await queue.close()
    }

    @Test func aWriteThatTheQueueRefusesIsNotWaitedFor() async throws {
        let items = repository { _ in throw NetKitError(.queueFull, "The queue is full.") }
        transport.stub(.put, "/items/1", Self.outage, .status(204))
        await #expect(throws: NetKitError.self) { try await items.save(Item(id: 1, name: "first")) }
        try await items.save(Item(id: 1, name: "second"))
        #expect(kept.count == 1)
        #expect(try sentNames() == ["first", "second"])
    }

    /// The event of the delivery is faster than the call that adds the entry.
    @Test func aWriteMayBeDeliveredBeforeItsHandoverEnds() async throws {
        let box = Locked<RemoteRepository<Item>?>(nil)
        let items = repository { _ in
            if let items = box.withLock({ $0 }) { await items.forget(id: "1") }
        }
        box.withLock { $0 = items }
        transport.stub(.put, "/items/1", Self.outage, .status(204))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "the server's")))
        try await items.save(Item(id: 1, name: "first"))
        for _ in 0..<2 { #expect(try await items.get(id: "1").name == "the server's") }
        try await items.save(Item(id: 1, name: "second"))
        #expect(kept.count == 1)
        #expect(sent() == ["PUT /v1/items/1", "GET /v1/items/1", "PUT /v1/items/1"])
        box.withLock { $0 = nil }
    }

    @Test func theWritesOfAnotherUserDoNotWait() async throws {
        let store = TokenStore(initial: "a", identity: "ada") { _ in "a2" }
        let items = repository(HTTPClient.testing(transport, AuthInterceptor(store, origins: .every), time: time))
        transport.stub(.put, "/items/1", Self.outage, .status(204))
        try await items.save(Item(id: 1, name: "of ada"))
        await store.set(AccessToken("b"), identity: "bob")
        try await items.save(Item(id: 1, name: "of bob"))
        await items.forget(id: "1")
        await store.set(AccessToken("a3"), identity: "ada")
        try await items.save(Item(id: 1, name: "of ada again"))
        #expect(kept.count == 2)
        #expect(try sentNames() == ["of ada", "of bob"])
    }
}
