import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the entities that a repository keeps beside writes that wait in an offline queue.
@Suite(.timeLimit(.minutes(5)))
struct RepositoryCacheTests {
    private let time = TestClock()

    /// Returns a store that waits the first time that it reaches a moment.
    private func store(
        pausingAt pause: AnyCacheStore.Moment,
        _ isReached: Promise<Void>,
        _ mayGoOn: Promise<Void>
    ) -> AnyCacheStore {
        let count = Shared(0)
        return AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == pause, count.increment() == 1 else { return }
            isReached.resolve(.success(()))
            try await mayGoOn.value()
        }
    }

    @Test func writesThatAreQueuedAtOnceAreAllKept() async throws {
        let cache = CacheService(store: MemoryCacheStore(), clock: time.clock)
        let entries = RepositoryCache(cache, clock: time.clock)
        func queued(_ name: String) async -> RepositoryCache.Exchange? {
            let write = QueuedCall(receipt: receipt(UUID()), failure: nil) { ids in
                Dictionary(uniqueKeysWithValues: ids.map { ($0, OfflineEntry.State.waiting) })
            }
            return await entries.endQueued(write, of: place(name))
        }
        let exchanges = [("a", await queued("a")), ("b", await queued("b"))]
        for (name, exchange) in exchanges { await entries.keep(name, of: exchange, for: .seconds(60)) }
        for (name, _) in exchanges { #expect(try await cache.get(key: name, as: String.self) == name) }
    }

    /// The store issues the token for the value of the first one after the second one was queued.
    @Test func ofTwoWritesThatAreQueuedAtOnceTheLaterOneIsKept() async throws {
        let (isIssuing, mayIssue) = (Promise<Void>(), Promise<Void>())
        defer { mayIssue.resolve(.success(())) }
        let cache = CacheService(store: store(pausingAt: .beforeIssuing, isIssuing, mayIssue), clock: time.clock)
        let entries = RepositoryCache(cache, clock: time.clock)
        @Sendable func queue(_ value: String) async {
            let write = QueuedCall(receipt: receipt(UUID()), failure: nil) { _ in [:] }
            let exchange = await entries.endQueued(write, of: place("item"))
            await entries.keep(value, of: exchange, for: .seconds(60))
        }
        let first = Task { await queue("first") }
        try await isIssuing.cancellableValue()
        await queue("second")
        mayIssue.resolve(.success(()))
        await first.value
        #expect(try await cache.get(key: "item", as: String.self) == "second")
    }

    /// A read finds out that the first one has ended, and its slow removal ends after the second one was queued.
    @Test func theRemovalAfterAWriteLeavesTheValueOfALaterOne() async throws {
        let (simulation, isSlow, hasEnded) = (Simulation(seed: 1), Shared(false), Flag())
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeInvalidating, isSlow.withLock({ exchange(&$0, with: false) }) else { return }
            try await simulation.sleep(for: .milliseconds(200))
        }
        let cache = CacheService(store: store, clock: simulation.clock)
        let entries = RepositoryCache(cache, clock: simulation.clock)
        @Sendable func queue(_ value: String) async {
            let id = UUID()
            let write = QueuedCall(receipt: receipt(id), failure: nil) { _ in hasEnded.isSet ? [:] : [id: .waiting] }
            let exchange = await entries.endQueued(write, of: place("item"))
            await entries.keep(value, of: exchange, for: .seconds(60))
        }
        try await simulation.run {
            await queue("first")
            hasEnded.set()
            isSlow.withLock { $0 = true }
            async let state = entries.queuedWrite(of: place("item"))
            try await simulation.sleep(for: .milliseconds(100))
            await queue("second")
            #expect(await state.isEnded)
            #expect(try await cache.get(key: "item", as: String.self) == "second")
        }
    }

    /// The write is delivered while the cache removes what it outdates, and a read asks the server.
    @Test func theValueOfAWriteWhoseEndAReadHasFoundIsNotKept() async throws {
        let (isRemoving, mayRemove) = (Promise<Void>(), Promise<Void>())
        defer { mayRemove.resolve(.success(())) }
        let cache = CacheService(store: store(pausingAt: .beforeInvalidating, isRemoving, mayRemove), clock: time.clock)
        let entries = RepositoryCache(cache, clock: time.clock)
        let write = QueuedCall(receipt: receipt(UUID()), failure: nil) { _ in [:] }
        let item = place("item")
        let task = Task {
            let exchange = await entries.endQueued(write, of: item)
            await entries.keep("written", of: exchange, for: .seconds(60))
        }
        try await isRemoving.cancellableValue()
        let state = await entries.queuedWrite(of: item)
        #expect(state.isEnded)
        mayRemove.resolve(.success(()))
        await task.value
        entries.noteResponse(for: item, after: state)
        #expect(await entries.queuedWrite(of: item) == .none)
        #expect(await thrownCode { try await cache.get(key: "item", as: String.self) } == .cacheMiss)
    }

    @Test func endedWritesWithoutAReadAreForgotten() async throws {
        let cache = CacheService(store: MemoryCacheStore(), clock: time.clock)
        let entries = RepositoryCache(cache, clock: time.clock)
        let ended = UUID()
        func queue(_ name: String, _ id: UUID = UUID()) async throws {
            let write = QueuedCall(receipt: receipt(id), failure: nil) { ids in
                Dictionary(uniqueKeysWithValues: ids.subtracting([ended]).map { ($0, OfflineEntry.State.waiting) })
            }
            let exchange = await entries.endQueued(write, of: place(name))
            await entries.keep(name, of: exchange, for: .seconds(60))
        }
        try await queue("ended", ended)
        for number in 2...1_000 { try await queue("waiting \(number)") }
        #expect(try await cache.get(key: "waiting 2", as: String.self) == "waiting 2")
        #expect(await thrownCode { try await cache.get(key: "ended", as: String.self) } == .cacheMiss)
        #expect(await entries.queuedWrite(of: place("ended")) == .none)
        #expect(await entries.queuedWrite(of: place("waiting 2")) == .waiting)
    }

    /// The list is a place of each write, and a repository may only ever write.
    @Test(arguments: ["item", "list"]) func endedWritesOfAPlaceThatIsNeverReadAreForgotten(name: String) async {
        let entries = RepositoryCache(CacheService(clock: time.clock), clock: time.clock)
        let asked = Shared(0)
        for _ in 0..<2_500 {
            let write = QueuedCall(receipt: receipt(UUID()), failure: nil) { ids in
                asked.withLock { $0 = ids.count }
                return [:]
            }
            _ = await entries.endQueued(write, of: place("item"))
        }
        #expect(await entries.queuedWrite(of: place(name)).isEnded)
        #expect(asked.withLock { $0 } == 501)
    }

    /// The store of the queue is shared, and waits for its database.
    @Test(arguments: [false, true]) func aReadWaitsForTheQueueForHalfASecondAtMost(isCancelled: Bool) async throws {
        let entries = RepositoryCache(CacheService(clock: time.clock), clock: time.clock)
        let write = QueuedCall(receipt: receipt(UUID()), failure: nil) { _ in
            try? await Promise<Void>().cancellableValue()
            return [:]
        }
        let item = place("item")
        _ = await entries.endQueued(write, of: item)
        let end = Promise<QueuedWriteTable.State>()
        let read = Task { end.resolve(.success(await entries.queuedWrite(of: item))) }
        await time.waitForAlarms(1)
        if isCancelled { read.cancel() } else { time.advance(by: .milliseconds(500)) }
        // A read without a bound would never end.
        let state = try await end.cancellableValue()
        #expect(isCancelled ? state.isEnded : state == .waiting)
    }

    private func place(_ name: String) -> RepositoryPlace {
        RepositoryPlace(name: ExactText(name), listName: ExactText("list"), options: CallOptions())
    }

    private func receipt(_ id: UUID) -> OfflineReceipt {
        OfflineReceipt(
            id: id,
            idempotencyKey: "k",
            lane: "items",
            isCoalesced: false,
            replaced: [],
            identity: nil,
            isIdentityLostOnRestart: false
        )
    }
}
