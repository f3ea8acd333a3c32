import Foundation
import NetKit
import NetKitTesting
import Testing

/// A clock that skips sleeps: whatever waits for time to pass goes on, and nothing that repeats itself runs away with it.
@Suite(.timeLimit(.minutes(1)))
struct SkippedSleepsTests {
    private let time = TestClock(skipsSleeps: true)
    private let transport = MockTransport()

    @Test func aRateLimitLetsEveryCallThrough() async throws {
        transport.stub(nil, "**", .status(200))
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(1))
        let client = HTTPClient.testing(transport, limit, time: time)
        for _ in 0..<3 { _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()) }
        #expect(time.now == .seconds(2))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()) }
            }
            try await group.waitForAll()
        }
        #expect(time.now == .seconds(6))
        #expect(limit.waitingCount == 0)
    }

    @Test func aRetryThatTheServerPutsOffIsMadeAtOnce() async throws {
        transport.stub(nil, "**", .status(503).header("Retry-After", "30"), .status(200))
        let client = HTTPClient.testing(transport, RetryInterceptor(RetryPolicy()), time: time)
        #expect(try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()).status == .ok)
        #expect(time.now >= .seconds(30))
    }

    @Test func aHedgeIsSentWhenTheFirstAttemptSkipsItsTime() async throws {
        transport.stub(nil, "**", .text("slow").delayed(by: .seconds(10)))
        let client = HTTPClient.testing(transport, HedgeInterceptor(after: .fixed(.seconds(1))), time: time)
        #expect(try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()).status == .ok)
    }

    @Test func aBreakerThatIsOpenLetsRetriesThroughAfterItsTime() async throws {
        let failing = MockTransport { _, _ in throw NetKitError(.connect, "refused") }
        let policy = RetryPolicy(maxAttempts: 6, backoffStrategy: .fixed(interval: .seconds(10)), jitter: .none)
        let client = HTTPClient.testing(failing, CircuitBreakerInterceptor(), RetryInterceptor(policy), time: time)
        for _ in 0..<10 { _ = try? await client.send(HTTPRequest(.get, "/x"), options: CallOptions()) }
        #expect(failing.requests.count > 20)
    }

    /// A lease is renewed for as long as an attempt takes, which here is until the test says so.
    @Test func aQueueThatSharesItsStoreDoesNotRunAwayWithTheClock() async throws {
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let sender = ScriptedSender { _ in
            start.yield()
            for await _ in ends { break }
            return HTTPResponse(status: .ok)
        }
        let store = SharedStore()
        let queue = try await OfflineQueue.testing(sender, time, store: store) { $0.leaseDuration = .seconds(60) }
        try await queue.enqueue(.post("https://api.example.com/x"))
        for await _ in starts { break }
        for _ in 0..<100 { await Task.yield() }
        #expect(time.now == .seconds(0))
        for count in 1...3 {
            time.advance(by: .seconds(30))
            try await waitUntil { store.renewals.count == count }
        }
        end.yield()
        await queue.processQueue()
        #expect(await queue.pendingCount == 0)
        await queue.close()
        #expect(time.alarmCount == 0)
    }
}

/// A store in memory that says that others use it too.
private final class SharedStore: OfflineStore {
    let renewals = Notebook<Date>()
    private let base = InMemoryOfflineStore()

    var isShared: Bool { true }

    func list() async throws -> OfflineListing { try await base.list() }

    func load(_ id: UUID) async throws -> KeptRequest? { try await base.load(id) }

    func append(_ entry: OfflineEntry, _ request: QueuedRequest, replacing replaced: [UUID]) async throws {
        try await base.append(entry, request, replacing: replaced)
    }

    func lease(_ id: UUID, now: Date, until: Date) async throws -> OfflineLease? {
        try await base.lease(id, now: now, until: until)
    }

    func renew(_ lease: OfflineLease, now: Date, until: Date) async throws -> OfflineLease? {
        renewals.add(until)
        return try await base.renew(lease, now: now, until: until)
    }

    func commit(_ lease: OfflineLease) async throws -> Bool { try await base.commit(lease) }

    func release(_ lease: OfflineLease, _ update: OfflineUpdate) async throws -> Bool {
        try await base.release(lease, update)
    }

    func close() async { await base.close() }
}
