import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of entries that cannot be read, now or ever, beside others that can.
@Suite(.timeLimit(.minutes(5)))
struct OfflineUnreadableTests {
    private struct NoKey: Error {}

    @Test func anUnreadableEntryHoldsUpNoOtherLane() async throws {
        let folder = try TemporaryFolder()
        let seal = RecordSeal(
            seal: { $0 },
            open: { data in
                if String(decoding: data, as: UTF8.self).contains("unreadable") { throw NoKey() }
                return data
            }
        )
        let store = JSONOfflineStore(directory: folder.file("queue"), seal: seal)
        let queue = try await OfflineQueue.testing(nil, store: store) { $0.parallelLanes = 1 }
        let bad = try await queue.enqueue(.post("/unreadable", lane: "bad"))
        for number in 0..<5 { try await queue.enqueue(.post("/\(number)", lane: "\(number)")) }
        let (sender, events) = (ScriptedSender(), queue.events)
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths == (0..<5).map { "/\($0)" })
        #expect(await queue.storeProblem?.code == .decoding)
        #expect(await events.first(.storeFailed)?.id == bad.id)
        #expect(await queue.pendingCount == 1)
        try await queue.remove(bad.id)
        #expect(await queue.storeProblem == nil)
        await queue.close()
    }

    /// A store that cannot read some entries.
    private struct HalfReadable: StoreWrapper {
        let inner: any OfflineStore
        var code = NetKitError.Code.decoding
        let reads = Notebook<UUID>()

        func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] {
            try await inner.load(ids).mapValues { stored in
                guard case .success(let found) = stored, found.request.endpoint == "/bad" else { return stored }
                reads.add(found.request.id)
                return .failure(NetKitError(code, "The entry cannot be opened."))
            }
        }
    }

    @Test func asManyUnreadableEntriesAsLanesDoNotStopASharedStore() async throws {
        let (sender, time) = (ScriptedSender(), TestClock())
        let store = HalfReadable(inner: InMemorySharedOfflineStore(clock: time.clock).replica())
        let queue = try await OfflineQueue.testing(nil, time, store: store) { $0.parallelLanes = 2 }
        for number in 0..<2 { try await queue.enqueue(.post("/bad", lane: "bad\(number)")) }
        await queue.attach(sender)
        for number in 0..<20 {
            try await queue.enqueue(.post("/\(number)", lane: "good\(number)"))
            await queue.processQueue()
        }
        #expect(sender.paths.count == 20)
        // A listing does not end their waits.
        #expect(store.reads.count == 2)
        // The decision of a person does.
        let count = try await queue.retry(where: OfflineFilter(lanes: ["bad0"]))
        #expect(count == 1)
        await queue.processQueue()
        #expect(store.reads.count == 3)
        await queue.close()
    }

    /// Lets a store fail to read its next entries.
    private static func failReads(_ count: Int, of store: InterruptedStore) {
        guard count > 0 else { return }
        store.before(.load) {
            Self.failReads(count - 1, of: store)
            throw NetKitError(.decoding, "The seal cannot be opened.")
        }
    }

    /// The outages before say nothing about the store.
    @Test func onlyFailedReadsMakeTheNextReadWaitLonger() async throws {
        let (time, store) = (TestClock(), InterruptedStore())
        let sender = ScriptedSender { _ in throw NetKitError(.offline, "There is no network.") }
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        for count in 1...4 {
            _ = try #require(await events.first(.postponed))
            await time.waitForAlarms(1)
            if count == 4 { Self.failReads(2, of: store) }
            time.advance(by: try #require(time.timeToNext))
        }
        for wait in [5.0, 10] {
            let event = try #require(await events.first(.storeFailed))
            #expect(event.date == time.date.addingTimeInterval(wait))
            await time.waitForAlarms(1)
            time.advance(by: try #require(time.timeToNext))
        }
        await queue.close()
    }

    /// The wait after several failed reads is a multiple of the interval.
    @Test func theLongestIntervalCanBeMultiplied() async throws {
        let (time, store, sender) = (TestClock(), InterruptedStore(), ScriptedSender())
        Self.failReads(8, of: store)
        let queue = try await OfflineQueue.testing(sender, time, store: store) {
            $0.refreshInterval = .seconds(Int64.max)
        }
        try await queue.enqueue(.post("/1"))
        await queue.processQueue()
        // The clock can go no further, so that every wait is over from now on.
        time.advance(by: .seconds(Int64.max))
        await queue.processQueue()
        #expect(sender.paths == ["/1"])
        await queue.close()
    }

    /// The queue has not cancelled the call.
    @Test func aStoreThatCancelsACallIsUnavailable() async throws {
        let (time, store, sender) = (TestClock(), InterruptedStore(), ScriptedSender())
        store.before(.load) { throw CancellationError() }
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        let event = try #require(await events.first(.storeFailed))
        #expect(event.error?.code == .storeUnavailable)
        #expect(event.reason == event.error?.message)
        #expect(await queue.storeProblem?.code == .storeUnavailable)
        time.advance(by: .seconds(5))
        await queue.processQueue()
        #expect(await queue.storeProblem == nil)
        #expect(sender.paths == ["/1"])
        await queue.close()
    }

    @Test func theProblemOfAnEntryEndsWhenItExpires() async throws {
        let (time, store) = (TestClock(), InterruptedStore())
        Self.failReads(1, of: store)
        let queue = try await OfflineQueue.testing(ScriptedSender(), time, store: store)
        let events = queue.events
        var request = QueuedRequest.post("/1")
        request.expiresAt = time.date.addingTimeInterval(1)
        try await queue.enqueue(request)
        _ = await events.first(.storeFailed)
        #expect(await queue.storeProblem?.code == .decoding)
        time.advance(by: .seconds(2))
        await queue.processQueue()
        _ = await events.first(.expired)
        #expect(await queue.storeProblem == nil)
        #expect(await queue.deadLetters.map(\.reason) == [.expired])
        await queue.close()
    }

    /// The dead letter `/bad` is too old, and the bound for the number also concerns `/1`.
    @Test func anOldDeadLetterThatCannotBeOpenedDoesNotKeepTooManyOthers() async throws {
        let (time, folder, goOn) = (TestClock(), try TemporaryFolder(), Promise<Void>())
        let files = { JSONOfflineStore(directory: folder.file("queue")) }
        let first = try await OfflineQueue.testing(ScriptedSender(statuses: 422), time, store: files())
        for path in ["/bad", "/1", "/2"] {
            try await first.enqueue(.post(path))
            await first.processQueue()
            time.advance(by: .seconds(400))
        }
        await first.close()
        let store = InterruptedStore(HalfReadable(inner: files(), code: .file))
        store.before(.browse) { try await goOn.value() }
        let queue = try await OfflineQueue.testing(nil, time, store: store) {
            $0.deadLetters.maxAge = .seconds(1000)
            ($0.deadLetters.maxEntries, $0.deadLetters.overflow) = (1, .dropOldest)
        }
        let events = queue.events
        goOn.resolve(.success(()))
        var (dropped, count) = (OfflineEvent?.none, 0)
        for await event in events {
            count += 1
            if event.kind == .dropped { dropped = event }
            if dropped != nil || count == 30 { break }
            // The next check of the age fails as well. It may come before that of the number, but not each time.
            await time.waitForAlarms(1)
            time.advance(by: queue.configuration.refreshInterval)
        }
        #expect(dropped?.deadLetter?.request.endpoint == "/1")
        await queue.close()
    }

    @Test func theProblemOfAnEntryEndsWhenAnotherQueueSendsIt() async throws {
        let (sender, time) = (ScriptedSender(), TestClock())
        let shared = InMemorySharedOfflineStore(clock: time.clock)
        let replica = shared.replica()
        let first = try await OfflineQueue.testing(ScriptedSender(), time, store: HalfReadable(inner: replica))
        try await first.enqueue(.post("/bad"))
        await first.processQueue()
        #expect(await first.storeProblem?.code == .decoding)
        // Its lease ends, and with that its shards.
        replica.cutOff()
        for _ in 0..<20 { time.advance(by: .seconds(1)) }
        let second = try await OfflineQueue.testing(sender, time, store: shared.replica())
        await second.processQueue()
        #expect(sender.paths == ["/bad"])
        replica.cutOff(false)
        while await first.storeProblem != nil, !Task.isCancelled {
            time.advance(by: .seconds(1))
            await first.processQueue()
        }
        #expect(await first.storeProblem == nil)
        await first.close()
        await second.close()
    }

    /// It may have become much longer than any body, without using the disk.
    @Test func theBytesOfABodyWithAnotherLengthAreNotRead() async throws {
        let (folder, disk) = (try TemporaryFolder(), FaultyDisk())
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .data(Data(count: 100_000))))
        try await store.append(request)
        let body = folder.file("queue/bodies/\(request.id.uuidString).body")
        let handle = try FileHandle(forWritingTo: body)
        try handle.truncate(atOffset: 3 << 20)
        try handle.close()
        let error = await #expect(throws: NetKitError.self) { try await store.stored(request.id) }
        #expect(error?.message.contains("has 3145728 bytes instead of 100000") == true)
        #expect(!disk.reads.entries.contains { $0.hasSuffix(".body") })
        await store.close()
    }
}
