import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of many entries at once, the bounds of dead letters, and one event for each end of an entry.
@Suite(.timeLimit(.minutes(5)))
struct OfflineBulkTests {
    /// A queue whose server refuses the entries of the lanes `dead…`.
    private func queue(
        _ time: TestClock = TestClock(),
        _ change: (inout OfflineQueue.Configuration) -> Void = { _ in }
    ) async throws -> (OfflineQueue, ScriptedSender) {
        let sender = ScriptedSender { sent in
            HTTPResponse(status: sent.path.hasPrefix("/gone") ? 410 : sent.path.hasPrefix("/dead") ? 422 : 204)
        }
        return (try await OfflineQueue.testing(sender, time, change), sender)
    }

    private func bury(_ paths: [String], in queue: OfflineQueue) async throws {
        for path in paths { try await queue.enqueue(.post(path, lane: path)) }
        await queue.processQueue()
    }

    @Test func deadLettersAreSentAgainByStatusAndLane() async throws {
        let (queue, sender) = try await queue()
        try await bury(["/dead1", "/dead2", "/gone1"], in: queue)
        #expect(await queue.deadLetterCount == 3)
        #expect(try await queue.retry(where: OfflineFilter(states: [.deadLetter], statuses: [422])) == 2)
        await queue.processQueue()
        // Lanes are sent side by side.
        #expect(sender.paths.prefix(3).sorted() == ["/dead1", "/dead2", "/gone1"])
        #expect(sender.paths.dropFirst(3).sorted() == ["/dead1", "/dead2"])
        #expect(try await queue.retry(where: OfflineFilter(lanes: ["/gone1"])) == 1)
        await queue.processQueue()
        #expect(sender.paths.count == 6)
        await queue.close()
    }

    /// Nothing is sent in a paused lane, so no event follows.
    @Test func aReportFollowsARetryThatSendsNothing() async throws {
        let (queue, _) = try await queue()
        try await bury(["/dead1"], in: queue)
        await queue.pause(lane: "/dead1")
        var reports = queue.reports.makeAsyncIterator()
        var last = try #require(await reports.next())
        #expect(last.deadLetterCount == 1)
        try await queue.retry(where: OfflineFilter(states: [.deadLetter]))
        await queue.close()
        while let report = await reports.next() { last = report }
        #expect(last.deadLetterCount == 0)
        #expect(last.pendingCount == 1)
    }

    /// A store whose entries cannot be released until a gate opens.
    private final class GatedStore: StoreWrapper {
        let inner: any OfflineStore = InMemoryOfflineStore()
        let gate = Promise<Void>()
        let waitingCount = Locked(0)

        func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
            waitingCount.withLock { $0 += 1 }
            try await gate.value()
            return try await inner.release(id, update)
        }
    }

    @Test func entriesThatExpireTogetherAreWrittenInParts() async throws {
        let (time, store, sender) = (TestClock(), GatedStore(), ScriptedSender())
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        await queue.pause(lane: "a")
        for number in 0..<600 {
            var request = QueuedRequest.post("/\(number)", lane: "a")
            request.expiresAt = time.clock.date.addingTimeInterval(60)
            try await queue.enqueue(request)
        }
        time.advance(by: .seconds(61))
        #expect(try await holdsSoon { store.waitingCount.withLock { $0 } == 256 })
        // Others are sent meanwhile.
        try await queue.enqueue(.post("/other", lane: "b"))
        #expect(try await holdsSoon { sender.paths == ["/other"] })
        #expect(store.waitingCount.withLock { $0 } == 256)
        store.gate.resolve(.success(()))
        #expect(try await holdsSoon { await queue.deadLetterCount == 600 })
        await queue.close()
    }

    @Test(arguments: [1, 600])
    func noneOfThemIsSent(laneCount: Int) async throws {
        let (time, store, sender) = (TestClock(), GatedStore(), ScriptedSender())
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        for number in 0..<600 {
            var request = QueuedRequest.post("/\(number)", lane: "\(number % laneCount)")
            request.expiresAt = time.clock.date.addingTimeInterval(60)
            try await queue.enqueue(request)
        }
        time.advance(by: .seconds(61))
        #expect(try await holdsSoon { store.waitingCount.withLock { $0 } == 256 })
        await queue.attach(sender)
        store.gate.resolve(.success(()))
        #expect(try await holdsSoon { await queue.deadLetterCount == 600 })
        #expect(sender.paths == [])
        await queue.close()
    }

    @Test func deadLettersAreRemovedByAgeEachWithAnEvent() async throws {
        let time = TestClock()
        let (queue, _) = try await queue(time)
        try await bury(["/dead1"], in: queue)
        time.advance(by: .seconds(3600))
        try await bury(["/dead2"], in: queue)
        let events = queue.events
        let filter = OfflineFilter(states: [.deadLetter], olderThan: .seconds(1800))
        #expect(try await queue.remove(where: filter) == 1)
        #expect(await events.first(.removed)?.entry?.lane == "/dead1")
        #expect(await queue.deadLetters.map(\.request.endpoint) == ["/dead2"])
        await queue.close()
    }

    @Test func atTheBoundOfDeadLettersNewEntriesAreRefused() async throws {
        let (queue, _) = try await queue { $0.deadLetters.maxEntries = 1 }
        try await bury(["/dead1"], in: queue)
        #expect(await thrownCode { try await queue.enqueue(.post("/next")) } == .queueFull)
        try await queue.remove(where: OfflineFilter(states: [.deadLetter]))
        try await queue.enqueue(.post("/next"))
        await queue.close()
    }

    /// A queue without dead letters would be at the bound already.
    @Test(arguments: [0, -1])
    func aBoundAtWhichNothingIsAcceptedIsRefused(count: Int) async {
        let error = await #expect(throws: NetKitError.self) {
            try await queue { $0.deadLetters.maxEntries = count }
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("deadLetters.maxEntries is \(count)") == true)
    }

    @Test func toldToDropTheOldestDeadLetterLeavesWithItsRequest() async throws {
        let (queue, _) = try await queue {
            $0.deadLetters = OfflineQueue.DeadLetterBounds(maxEntries: 1, overflow: .dropOldest)
        }
        let events = queue.events
        try await bury(["/dead1", "/dead2"], in: queue)
        let dropped = await events.first(.dropped)
        #expect(dropped?.deadLetter?.request.endpoint == "/dead1")
        #expect(dropped?.deadLetter?.response?.status == 422)
        #expect(await queue.deadLetters.map(\.request.endpoint) == ["/dead2"])
        await queue.close()
    }

    private static let keepsNone = OfflineQueue.DeadLetterBounds(maxEntries: 0, overflow: .dropOldest)

    /// Its file leaves with the entry.
    @Test func aDroppedDeadLetterHasItsLargeBody() async throws {
        let folder = try TemporaryFolder()
        let store = JSONOfflineStore(directory: folder.file("queue"))
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 422), store: store) {
            $0.deadLetters = Self.keepsNone
        }
        let events = queue.events
        let body = String(repeating: "a", count: 100_000)
        let id = try await queue.enqueue(.post("/1", body)).id
        let dropped = await events.first(.dropped)
        #if os(Linux)
            // It can be larger than the memory, and is therefore mapped.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
            let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            #expect(maps.contains("\(id.uuidString).body"))
        #endif
        #expect(dropped?.deadLetter?.request.body?.bytes == Data(body.utf8))
        await queue.close()
    }

    /// A store that cannot open its entry the second time, which is after its attempt.
    private final class UnopenedStore: StoreWrapper {
        let inner: any OfflineStore = InMemoryOfflineStore()
        private let count = Locked(0)

        func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] {
            let found = try await inner.load(ids)
            guard count.increment() == 2 else { return found }
            return found.mapValues { _ in .failure(NetKitError(.file, "There are too many open files.")) }
        }
    }

    @Test func aDeadLetterThatCannotBeReadNowIsDroppedLater() async throws {
        let time = TestClock()
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 422), time, store: UnopenedStore()) {
            $0.deadLetters = Self.keepsNone
        }
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        try #require(try await holdsSoon { time.timeToNext != nil })
        #expect(await queue.storeProblem?.code == .file)
        time.advance(by: .seconds(5))
        #expect(await events.first(.dropped)?.deadLetter?.request.endpoint == "/1")
        #expect(await queue.storeProblem == nil)
        await queue.close()
    }

    @Test(arguments: [0, -1])
    func aBoundOfNoneKeepsNoDeadLetterAndNoBody(count: Int) async throws {
        let (queue, _) = try await queue {
            $0.deadLetters = OfflineQueue.DeadLetterBounds(maxEntries: count, overflow: .dropOldest)
            $0.maxResponseBytes = count
        }
        let events = queue.events
        try await bury(["/dead1"], in: queue)
        let dropped = await events.first(.dropped)
        #expect(dropped?.deadLetter?.response?.status == 422)
        #expect(await queue.deadLetterCount == 0)
        await queue.close()
    }

    /// Nothing else is written after the removal that failed.
    @Test func theProblemOfAFailedRemovalEndsWithTheNextOne() async throws {
        let (time, store) = (TestClock(), InterruptedStore())
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 422), time, store: store) {
            $0.deadLetters.maxAge = .seconds(1000)
        }
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        await events.wait(1, .deadLettered)
        store.fail(.remove)
        time.advance(by: .seconds(1000))
        await events.wait(1, .storeFailed)
        #expect(await queue.storeProblem?.code == .storeUnavailable)
        store.fail(.remove, false)
        time.advance(by: queue.configuration.refreshInterval)
        await events.wait(1, .dropped)
        #expect(await queue.storeProblem == nil)
        await queue.close()
    }

    @Test func deadLettersLeaveWhenTheyAreTooOld() async throws {
        let time = TestClock()
        let (queue, _) = try await queue(time) { $0.deadLetters.maxAge = .seconds(1000) }
        try await bury(["/dead1"], in: queue)
        let events = queue.events
        for _ in 0..<12 {
            time.advance(by: .seconds(100))
            await queue.processQueue()
        }
        #expect(await events.first(.dropped)?.deadLetter?.request.endpoint == "/dead1")
        #expect(await queue.deadLetterCount == 0)
        await queue.close()
    }

    @Test func aFullQueueDropsDeadLettersBeforeWaitingEntries() async throws {
        let (queue, _) = try await queue {
            $0.maxEntries = 2
            $0.overflow = .dropOldest
        }
        try await bury(["/dead1"], in: queue)
        await queue.pause(lane: "waits")
        try await queue.enqueue(.post("/1", lane: "waits"))
        try await queue.enqueue(.post("/2", lane: "waits"))
        #expect(await queue.deadLetterCount == 0)
        #expect(await queue.pending.map(\.endpoint) == ["/1", "/2"])
        try await queue.enqueue(.post("/3", lane: "waits"))
        #expect(await queue.pending.map(\.endpoint) == ["/2", "/3"])
        await queue.close()
    }

    /// The response of the server to an entry that is removed while it is being sent.
    @Test(arguments: [204, 503, 422, 409, 401] as [HTTPStatus])
    func anEntryRemovedWhileItIsSentEndsOnce(status: HTTPStatus) async throws {
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        let sender = ScriptedSender(status: status, began: began, goOn: goOn)
        let queue = try await OfflineQueue.testing(sender)
        let events = queue.events
        let id = try await queue.enqueue(.post("/1")).id
        try await began.value()
        try await queue.remove(id)
        goOn.resolve(.success(()))
        await queue.processQueue()
        #expect(await queue.entries.isEmpty)
        await queue.close()
        let out: Set<OfflineEvent.Kind> = [.delivered, .removed, .dropped, .deadLettered, .expired]
        var ways: [OfflineEvent.Kind] = []
        for await event in events where out.contains(event.kind) { ways.append(event.kind) }
        #expect(ways == [status == 204 ? .delivered : .removed])
    }

    @Test func anEntryThatIsBeingSentIsNotRetried() async throws {
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        let sender = ScriptedSender(status: 503, began: began, goOn: goOn)
        let queue = try await OfflineQueue.testing(sender)
        let id = try await queue.enqueue(.post("/1")).id
        try await began.value()
        #expect(try await queue.retry(where: OfflineFilter()) == 0)
        #expect(await thrownCode { try await queue.retry(id) } == .invalidRequest)
        goOn.resolve(.success(()))
        await queue.processQueue()
        #expect(await queue.entries.map(\.retryCount) == [1])
        await queue.close()
    }

    @Test func aSecondCloseWaitsForTheFirst() async throws {
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        let sender = ScriptedSender(status: 204, began: began, goOn: goOn)
        let folder = try TemporaryFolder()
        let store = { JSONOfflineStore(directory: folder.file("queue")) }
        let queue = try await OfflineQueue.testing(sender, store: store())
        try await queue.enqueue(.post("/1"))
        try await began.value()
        async let first = queue.close()
        async let second = queue.close()
        goOn.resolve(.success(()))
        #expect(await second)
        // The lock is free now.
        let next = try await OfflineQueue.testing(nil, store: store())
        #expect(await first)
        await next.close()
    }

    @Test func aQueueThatIsLetGoCanBeOpenedAtOnce() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<20 {
            let queue = try await OfflineQueue(directory: folder.file("queue"))
            try await queue.enqueue(.post("/\(number)"))
        }
        let last = try await OfflineQueue(directory: folder.file("queue"))
        #expect(await last.pendingCount == 20)
        await last.close()
    }
}
