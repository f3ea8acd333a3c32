import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of memory in front of a store that several machines share.
@Suite(.timeLimit(.minutes(5)))
struct TieredCacheStoreTests {
    /// A store that machines share, which tells each of them what the others have invalidated.
    private final class SharedStore: CacheStore {
        private let base: MemoryCacheStore
        private let others: Notebook<@Sendable (CacheInvalidation) -> Void>
        private let reads: Notebook<CacheKey>
        /// Delays the end of reads.
        let gate = Locked<Promise<Void>?>(nil)
        /// The size that the store reports instead of its own.
        let reportedSize = Locked<CacheStoreStatistics?>(nil)

        convenience init() {
            self.init(MemoryCacheStore(), Notebook(), Notebook())
        }

        private init(
            _ base: MemoryCacheStore,
            _ others: Notebook<@Sendable (CacheInvalidation) -> Void>,
            _ reads: Notebook<CacheKey>
        ) {
            (self.base, self.others, self.reads) = (base, others, reads)
        }

        var readCount: Int { reads.count }

        /// The same store on another machine.
        func elsewhere() -> SharedStore { SharedStore(base, others, reads) }

        var secret: CacheHashKey { base.secret }

        func onInvalidation(_ notify: @escaping @Sendable (CacheInvalidation) -> Void) { others.add(notify) }

        func tell(_ invalidation: CacheInvalidation) {
            for notify in others.entries { notify(invalidation) }
        }

        func read(_ key: CacheKey) async throws -> CacheRecord? {
            reads.add(key)
            let record = base.read(key)
            try await gate.withLock { $0 }?.value()
            return record
        }

        func token(for key: CacheKey) async throws -> CacheWriteToken { base.token(for: key) }

        func write(
            _ key: CacheKey,
            _ head: CacheHead,
            length: Int64?,
            token: CacheWriteToken?
        ) async throws -> (any CacheWriter)? {
            base.write(key, head, length: length, token: token)
        }

        func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken?) async throws -> Bool {
            base.write(key, head, body: body, token: token)
        }

        func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken?) async throws {
            base.update(key, head, token: token)
        }

        func remove(_ key: CacheKey, token: CacheWriteToken?) async throws { base.remove(key, token: token) }

        func invalidate(_ resource: CacheResource) async throws {
            base.invalidate(resource)
            tell(.resource(resource))
        }

        func removeAll() async throws {
            base.removeAll()
            tell(.all)
        }

        var statistics: CacheStoreStatistics {
            get async { reportedSize.withLock { $0 } ?? base.statistics }
        }
    }

    private let shared = SharedStore()

    private func machine(_ store: SharedStore) -> CachedClient {
        let it = CachedClient(TieredCacheStore(store: store))
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=600"]) }
        return it
    }

    @Test func aMachineFindsTheEntriesOfAnother() async throws {
        let (one, two) = (machine(shared), machine(shared.elsewhere()))
        #expect(try await one.get("/x").text == "1")
        let reads = shared.readCount
        #expect(try await two.get("/x").text == "1")
        #expect(shared.readCount == reads + 1)
        // From memory, without a request to the store.
        for _ in 0..<3 { #expect(try await two.get("/x").text == "1") }
        #expect(shared.readCount == reads + 1)
    }

    @Test func anInvalidationReachesTheMemoryOfTheOthers() async throws {
        let (one, two) = (machine(shared), machine(shared.elsewhere()))
        for it in [one, two] {
            _ = try await it.get("/x")
            _ = try await it.get("/y")
        }
        _ = try await one.get("/x", method: .put)
        let text = try await two.get("/x").text
        #expect(text == "1")
        #expect(two.transport.requests.count == 1)
        // Other URLs stay.
        let reads = shared.readCount
        _ = try await two.get("/y")
        #expect(shared.readCount == reads)
    }

    @Test func aStoreThatMissedNoticesEmptiesTheMemory() async throws {
        let it = machine(shared)
        _ = try await it.get("/x")
        let reads = shared.readCount
        shared.tell(.all)
        #expect(try await it.get("/x").text == "1")
        #expect(shared.readCount == reads + 1)
    }

    /// A response that was read before the notice, and arrives after it, is not put into memory.
    @Test func anEntryThatIsBeingReadDoesNotComeBack() async throws {
        let tiers = TieredCacheStore(store: shared)
        let it = CachedClient(tiers)
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=600"]) }
        _ = try await it.get("/x")
        tiers.memory.removeAll()
        let gate = Promise<Void>()
        shared.gate.withLock { $0 = gate }
        let reads = shared.readCount
        let reading = Task { try await it.get("/x").text }
        try await waitUntil { shared.readCount > reads }
        shared.tell(.all)
        shared.gate.withLock { $0 = nil }
        gate.resolve(.success(()))
        _ = try await reading.value
        #expect(tiers.memory.statistics.entryCount == 0)
    }

    /// Another call invalidates the URL while the answer of the store is on its way.
    @Test func theMemoryKeepsNothingOfAnOvertakenInvalidation() async throws {
        let memory = MemoryCacheStore()
        let key = CacheKey(["a"], secret: memory.secret)
        let other = Shared<TieredCacheStore?>(nil)
        let store = AnyCacheStore(memory) { moment in
            guard moment == .afterInvalidating else { return }
            try await other.withLock { $0.take() }?.invalidate(key.resource)
        }
        let tiers = TieredCacheStore(store: store)
        let token = await tiers.token(for: key)
        other.withLock { $0 = tiers }
        let renewed = try #require(try await tiers.invalidate(key, since: token))
        let head = CacheHead(.value(from: .distantPast, until: .distantFuture))
        #expect(try await tiers.write(key, head, body: Data(), token: renewed) == false)
        #expect(try await tiers.read(key) == nil)
    }

    /// A store whose database is away issues no tokens, so that only the memory keeps what is written.
    private static func store(whileAway isAway: @escaping @Sendable () -> Bool) -> TieredCacheStore {
        struct Away: Error {}
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            if moment == .beforeIssuing, isAway() { throw Away() }
        }
        return TieredCacheStore(store: store)
    }

    @Test func aTransferThatFailsLeavesAnEntryThatOnlyTheMemoryHas() async throws {
        let it = CachedClient(Self.store { true })
        it.transport.stub(
            .get,
            "/x",
            .text("1").header("Cache-Control", "max-age=600"),
            .stream([Data("2".utf8)], failingWith: URLError(.networkConnectionLost)).header(
                "Cache-Control",
                "max-age=600"
            )
        )
        #expect(try await it.get().text == "1")
        await #expect(throws: NetKitError.self) { try await it.get(policy: .reload, isStreamed: true) }
        #expect(try await it.get().text == "1")
        #expect(it.sent == 2)
    }

    @Test func anEntryThatOnlyTheMemoryKeepsLeavesNoOlderOneBehindIt() async throws {
        let isAway = Shared(false)
        let tiers = Self.store { isAway.withLock { $0 } }
        let it = CachedClient(tiers)
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=600"]) }
        #expect(try await it.get().text == "1")
        isAway.withLock { $0 = true }
        #expect(try await it.get(policy: .reload).text == "2")
        #expect(try await it.get().text == "2")
        isAway.withLock { $0 = false }
        tiers.memory.removeAll()
        #expect(try await it.get().text == "3")
    }

    /// A response of more than 1 MiB, for example, is never taken over from a disk.
    @Test func anUpdateOfAnEntryThatTheMemoryLacksCountsForTheMemory() async throws {
        let tiers = TieredCacheStore(store: MemoryCacheStore())
        let key = CacheKey(["a"], secret: tiers.secret)
        let head = CacheHead(.value(from: .distantPast, until: .distantFuture))
        #expect(try await tiers.store.write(key, head, body: Data("confirmed".utf8), token: nil))
        let (earlier, later) = (await tiers.token(for: key), await tiers.token(for: key))
        try await tiers.update(key, head, token: later)
        #expect(try await tiers.write(key, head, body: Data("overtaken".utf8), token: earlier) == false)
        #expect(try await tiers.read(key)?.body.data == Data("confirmed".utf8))
    }

    @Test func theSizeOfAStoreIsAddedWithoutOverflow() async throws {
        let tiers = TieredCacheStore(store: shared)
        let key = CacheKey(["a"], secret: tiers.secret)
        let head = CacheHead(.value(from: .distantPast, until: .distantFuture))
        #expect(try await tiers.write(key, head, body: Data("a".utf8), token: nil))
        let size = CacheStoreStatistics(entryCount: .max, byteCount: .max, evictions: .max)
        shared.reportedSize.withLock { $0 = size }
        #expect(await tiers.statistics == size)
    }

    @Test func onlyAStoreOnDiskIsPromptAndHasADisk() throws {
        let folder = try TemporaryFolder()
        let disk = DiskCacheStore(directory: folder.file("cache"))
        #expect(TieredCacheStore(disk: disk).isPrompt)
        #expect(TieredCacheStore(disk: disk).disk === disk)
        #expect(!TieredCacheStore(store: shared).isPrompt)
        #expect(TieredCacheStore(store: shared).disk == nil)
        // The notices do not retain a store.
        weak var gone: TieredCacheStore?
        do {
            let tiers = TieredCacheStore(store: shared)
            gone = tiers
        }
        #expect(gone == nil)
        shared.tell(.all)
    }
}
