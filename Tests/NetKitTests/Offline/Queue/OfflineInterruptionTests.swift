import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Entries that leave, or are to leave, while another change of them is under way.
@Suite(.timeLimit(.minutes(5)))
struct OfflineInterruptionTests {
    private let store = InterruptedStore()

    /// Returns a queue with a dead letter that blocks its lane.
    private func queue(_ sender: ScriptedSender) async throws -> (queue: OfflineQueue, id: UUID) {
        let queue = try await OfflineQueue.testing(sender, store: store) {
            $0.maxEntries = 1
            $0.overflow = .dropOldest
            $0.lanes["a"] = LaneOptions(deadLettersBlock: true)
        }
        let id = try await queue.enqueue(.post("/1", lane: "a")).id
        await queue.processQueue()
        #expect(await queue.deadLetterCount == 1)
        return (queue, id)
    }

    @Test(arguments: [InterruptedStore.Call.remove, .revive])
    func aDroppedDeadLetterBlocksNothing(call: InterruptedStore.Call) async throws {
        let sender = ScriptedSender(statuses: 422, 204)
        let (queue, _) = try await queue(sender)
        store.before(call) { try await queue.enqueue(.post("/2", lane: "b")) }
        let filter = OfflineFilter(states: [.deadLetter])
        if call == .remove { try await queue.remove(where: filter) } else { try await queue.retry(where: filter) }
        await queue.processQueue()
        try await queue.enqueue(.post("/3", lane: "a"))
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/2", "/3"])
        await queue.close()
    }

    /// The entry is a dead letter in the store already, and its attempt has not ended.
    @Test func anEntryThatIsDroppedAtTheEndOfItsAttemptBlocksNothing() async throws {
        let sender = ScriptedSender(statuses: 422, 204)
        let queue = try await OfflineQueue.testing(nil, store: store) {
            $0.maxEntries = 1
            $0.overflow = .dropOldest
            $0.lanes["a"] = LaneOptions(deadLettersBlock: true)
        }
        let events = queue.events
        store.after(.release) { try await queue.enqueue(.post("/2", lane: "b")) }
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.attach(sender)
        await events.wait(1, .delivered)
        try await queue.enqueue(.post("/3", lane: "a"))
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/2", "/3"])
        await queue.close()
    }

    @Test func anEntryThatIsRemovedWhileTheStoreReadsItIsNotSent() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(nil, store: store)
        let events = queue.events
        let id = try await queue.enqueue(.post("/1")).id
        store.after(.load) { try await queue.remove(id) }
        await queue.attach(sender)
        await events.wait(1, .removed)
        #expect(sender.paths == [])
        #expect(await queue.pendingCount == 0)
        await queue.close()
    }

    /// The queue learns of the entry only after its removal has begun, which may fail.
    @Test(arguments: [true, false])
    func anEntryThatIsListedDuringItsRemovalIsNotSentMeanwhile(isRemoved: Bool) async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(sender, store: store)
        let events = queue.events
        let id = try await store.append(.post("/1"))
        store.before(.remove) {
            await queue.list(nil, hasRemoteChanges: true)
            await queue.wake()
            #expect(await queue.isBusyWithoutTask(id))
            if !isRemoved { throw NetKitError(.storeUnavailable, "The store is away.") }
        }
        #expect(await thrownCode { try await queue.remove(id) } == (isRemoved ? nil : .storeUnavailable))
        await queue.processQueue()
        #expect(sender.paths == (isRemoved ? [] : ["/1"]))
        await queue.close()
        var kinds: [OfflineEvent.Kind] = []
        for await event in events where event.id == id { kinds.append(event.kind) }
        #expect(kinds == (isRemoved ? [.removed] : [.started, .delivered]))
    }

    /// The store has added it, but the queue has not yet.
    @Test(arguments: [OfflineEvent.Kind.removed, .dropped])
    func anEntryThatLeavesWhileItIsAddedIsForgotten(end: OfflineEvent.Kind) async throws {
        let queue = try await OfflineQueue.testing(nil, store: store)
        let events = queue.events
        var request = QueuedRequest.post("/1")
        request.coalescingKey = "key"
        store.after(.append) { [request] in
            if end == .removed { return try await queue.remove(request.id) }
            var next = request
            next.id = UUID()
            try await queue.enqueue(next)
        }
        try await queue.enqueue(request)
        #expect(await queue.states(of: [request.id]) == [:])
        #expect(await queue.hasPending(in: request.lane, for: nil) == (end == .dropped))
        await queue.close()
        var kinds: [OfflineEvent.Kind] = []
        for await event in events where event.id == request.id { kinds.append(event.kind) }
        #expect(kinds == [.enqueued, end])
    }

    /// A listing brings it before the store has answered.
    @Test func anEntryThatIsSentWhileItIsAddedIsReportedAsEnqueuedFirst() async throws {
        let queue = try await OfflineQueue.testing(ScriptedSender(), store: store)
        let (events, ends) = (queue.events, queue.events)
        store.after(.append) { [store] in
            store.tell(.work([0]))
            await ends.wait(1, .delivered)
        }
        let id = try await queue.enqueue(.post("/1")).id
        await queue.close()
        var all: [OfflineEvent] = []
        for await event in events where event.id == id { all.append(event) }
        #expect(all.map(\.kind) == [.enqueued, .started, .delivered])
        #expect(all.first?.endpoint == "/1")
    }

    @Test func anIdentifierOfAnEntryThatIsAddedIsTaken() async throws {
        let queue = try await OfflineQueue.testing(nil, store: store)
        let request = QueuedRequest.post("/1")
        store.after(.append) {
            try await queue.remove(request.id)
            #expect(await thrownCode { try await queue.enqueue(request) } == .invalidRequest)
        }
        try await queue.enqueue(request)
        try await queue.enqueue(request)
        #expect(await queue.states(of: [request.id]) == [request.id: .waiting])
        await queue.close()
    }

    private struct NotingResolver: ConflictResolver {
        let isAsked = Flag()

        func resolve(_: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution {
            isAsked.set()
            return .leaveUnresolved
        }
    }

    @Test func noResolverIsAskedAboutAnEntryThatIsToBeRemoved() async throws {
        let (began, goOn, resolver) = (Promise<Void>(), Promise<Void>(), NotingResolver())
        let sender = ScriptedSender(status: 409, began: began, goOn: goOn)
        let queue = try await OfflineQueue.testing(sender, store: store) { $0.conflictResolver = resolver }
        let events = queue.events
        let id = try await queue.enqueue(.post("/1")).id
        try await began.value()
        try await queue.remove(id)
        goOn.resolve(.success(()))
        let end = try #require(await events.first { $0.kind == .conflict || $0.kind == .removed })
        #expect(end.kind == .removed)
        #expect(!resolver.isAsked.isSet)
        await queue.close()
    }

    @Test func anEntryWhoseLaneIsPausedWhileTheStoreReadsItIsNotSent() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(nil, store: store)
        try await queue.enqueue(.post("/1", lane: "a"))
        store.after(.load) { await queue.pause(lane: "a") }
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths == [])
        await queue.resume(lane: "a")
        await queue.processQueue()
        #expect(sender.paths == ["/1"])
        await queue.close()
    }

    @Test func anEntryThatExpiresWhileTheStoreReadsItIsNotSent() async throws {
        let (time, sender) = (TestClock(), ScriptedSender())
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        store.after(.load) {
            began.resolve(.success(()))
            try await goOn.value()
        }
        var request = QueuedRequest.post("/1")
        request.expiresAt = time.date.addingTimeInterval(60)
        try await queue.enqueue(request)
        try await began.value()
        time.advance(by: .seconds(61))
        goOn.resolve(.success(()))
        await queue.processQueue()
        #expect(sender.paths == [])
        #expect(await queue.deadLetters.map(\.reason) == [.expired])
        await queue.close()
    }

    /// Its identifier is used again after the first part of a long removal.
    @Test func anIdentifierThatIsUsedAgainDuringARemovalIsSentOnce() async throws {
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        let sender = ScriptedSender(status: 204, began: began, goOn: goOn)
        let queue = try await OfflineQueue.testing(sender, store: store)
        await queue.pause(lane: "a")
        let id = try await queue.enqueue(.post("/old", lane: "a")).id
        for number in 0..<300 { try await queue.enqueue(.post("/\(number)", lane: "a")) }
        store.before(.remove) { [store] in
            store.before(.remove) {
                var again = QueuedRequest.post("/new", lane: "b")
                again.id = id
                try await queue.enqueue(again)
                try await began.value()
            }
        }
        try await queue.clear()
        try await queue.enqueue(.post("/later", lane: "c"))
        for _ in 0..<100 { await Task.yield() }
        goOn.resolve(.success(()))
        await queue.processQueue()
        #expect(sender.paths.filter { $0 == "/new" }.count == 1)
        await queue.close()
    }

    @Test func anIdentifierIsFreeOnceItsEntryHasLeftTheQueue() async throws {
        let sender = ScriptedSender(statuses: 422, 204)
        let (queue, id) = try await queue(sender)
        var again = QueuedRequest.post("/again", lane: "a")
        again.id = id
        let code = Locked<NetKitError.Code?>(nil)
        store.after(.revive) { [again] in
            // This one drops the entry, whose retry is still under way.
            try await queue.enqueue(.post("/2", lane: "b"))
            let refused = await thrownCode { try await queue.enqueue(again) }
            code.withLock { $0 = refused }
        }
        try await queue.retry(id)
        #expect(code.withLock { $0 } == .invalidRequest)
        await queue.processQueue()
        try await queue.enqueue(again)
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/2", "/again"])
        await queue.close()
    }

    /// The removal is asked for while a retry of the same entry is under way.
    @Test(arguments: [false, true])
    func aRemovalDuringARetryIsDone(isFailing: Bool) async throws {
        let sender = ScriptedSender(statuses: 422, 204)
        let (queue, id) = try await queue(sender)
        let events = queue.events
        store.before(.revive) {
            try await queue.remove(id)
            if isFailing { throw NetKitError(.file, "The disk is full.") }
        }
        #expect(await thrownCode { try await queue.retry(id) } == (isFailing ? .file : nil))
        await queue.processQueue()
        #expect(await queue.entries.isEmpty)
        #expect(sender.paths == ["/1"])
        await queue.close()
        var kinds: [OfflineEvent.Kind] = []
        for await event in events where event.id == id { kinds.append(event.kind) }
        #expect(kinds == [.removed])
    }

    @Test func aRemovalDuringOneThatFailsIsDone() async throws {
        let (queue, id) = try await queue(ScriptedSender(statuses: 422))
        store.before(.remove) {
            try await queue.remove(id)
            throw NetKitError(.file, "The disk is full.")
        }
        #expect(await thrownCode { try await queue.remove(id) } == .file)
        await queue.processQueue()
        #expect(await queue.entries.isEmpty)
        await queue.close()
    }

    /// Dead letters are not kept, and the removal of the first one fails.
    @Test func aDeadLetterThatCannotBeRemovedBlocksNothing() async throws {
        let (time, sender) = (TestClock(), ScriptedSender(statuses: 400, 204))
        let queue = try await OfflineQueue.testing(sender, time, store: store) {
            $0.deadLetters = OfflineQueue.DeadLetterBounds(maxEntries: 0, overflow: .dropOldest)
        }
        let events = queue.events
        store.before(.remove) { throw NetKitError(.file, "The disk is full.") }
        try await queue.enqueue(.post("/1"))
        _ = await events.first(.storeFailed)
        try await queue.enqueue(.post("/2"))
        #expect(try await holdsSoon { sender.paths == ["/1", "/2"] })
        let isRemoved = try await holdsSoon {
            time.advance(by: .milliseconds(100))
            return await queue.entries.isEmpty
        }
        #expect(isRemoved)
        await queue.close()
    }

    @Test func anEntryRemovedWhileThePauseOfItsLaneIsStoredIsGone() async throws {
        let (time, sender) = (TestClock(), ScriptedSender(statuses: 401, 204))
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        let id = try await queue.enqueue(.post("/1")).id
        store.before(.pause) { [store] in
            store.before(.remove) { throw NetKitError(.file, "The disk is full.") }
            _ = await thrownCode { try await queue.remove(id) }
        }
        await queue.attach(sender)
        let isRemoved = try await holdsSoon {
            time.advance(by: .milliseconds(100))
            return await queue.entries.isEmpty
        }
        #expect(isRemoved)
        await queue.resumeUnauthorizedLanes()
        try await queue.enqueue(.post("/2"))
        #expect(try await holdsSoon { sender.paths == ["/1", "/2"] })
        await queue.close()
    }

    /// Returns a queue that keeps one dead letter, and has two entries that become dead letters one after the other.
    private func trimmingQueue(
        _ sender: ScriptedSender
    ) async throws -> (queue: OfflineQueue, first: UUID, second: UUID) {
        let queue = try await OfflineQueue.testing(sender, store: store) {
            $0.deadLetters = OfflineQueue.DeadLetterBounds(maxEntries: 1, overflow: .dropOldest)
        }
        let first = try await queue.enqueue(.post("/1", lane: "a")).id
        await queue.processQueue()
        await queue.pause(lane: "b")
        let second = try await queue.enqueue(.post("/2", lane: "b")).id
        return (queue, first, second)
    }

    @Test func aRemovalDuringARetryWhileOthersAreTrimmedIsDone() async throws {
        let (queue, _, second) = try await trimmingQueue(ScriptedSender(statuses: 422))
        store.before(.remove) { [store] in
            store.before(.revive) { try await queue.remove(second) }
            try await queue.retry(second)
        }
        await queue.resume(lane: "b")
        #expect(try await holdsSoon { await queue.entries.isEmpty })
        try await queue.enqueue(.post("/3", lane: "b"))
        #expect(try await holdsSoon { await queue.deadLetterCount == 1 })
        await queue.close()
    }

    @Test func anEntryThatIsRetriedWhileDeadLettersAreTrimmedStays() async throws {
        let (queue, first, _) = try await trimmingQueue(ScriptedSender(statuses: 422))
        let isRetried = Locked(false)
        // The entry itself is read before it is sent, and then the dead letter that is to go.
        store.before(.load) { [store] in
            store.before(.load) {
                await queue.pause(lane: "a")
                try await queue.retry(first)
                isRetried.withLock { $0 = true }
            }
        }
        await queue.resume(lane: "b")
        #expect(try await holdsSoon { isRetried.withLock { $0 } })
        for _ in 0..<1000 { await Task.yield() }
        #expect(await queue.pending.map(\.endpoint) == ["/1"])
        #expect(await queue.deadLetterCount == 1)
        await queue.close()
    }

    @Test(arguments: [InterruptedStore.Call.remove, .revive])
    func aChangeOfManyDeadLettersDelaysNoOtherEntry(call: InterruptedStore.Call) async throws {
        let sender = ScriptedSender { HTTPResponse(status: $0.path == "/dead" ? 422 : 204) }
        let queue = try await OfflineQueue.testing(sender, store: store)
        for number in 0..<8 { try await queue.enqueue(.post("/dead", lane: "\(number)")) }
        await queue.processQueue()
        #expect(await queue.deadLetterCount == 8)
        store.before(call) {
            for number in 0..<8 { try await queue.enqueue(.post("/next", lane: "\(number)")) }
            #expect(try await holdsSoon { sender.paths.filter { $0 == "/next" }.count == 8 })
        }
        let filter = OfflineFilter(states: [.deadLetter])
        if call == .remove { try await queue.remove(where: filter) } else { try await queue.retry(where: filter) }
        await queue.close()
    }
}

extension OfflineQueue {
    /// Returns whether an entry may not begin, although nothing is done about it.
    fileprivate func isBusyWithoutTask(_ id: UUID) -> Bool { scheduler[id]?.isBusy == true && !work.hasTask(id) }
}
