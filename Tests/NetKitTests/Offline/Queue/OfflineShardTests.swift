import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// A queue over a shared store that loses shards, or whose callers are cancelled.
@Suite(.timeLimit(.minutes(5)))
struct OfflineShardTests {
    private let time = TestClock()
    private let shared: InMemorySharedOfflineStore
    private let store: InterruptedStore

    init() {
        shared = InMemorySharedOfflineStore(clock: time.clock)
        store = InterruptedStore(shared.replica())
    }

    @Test func aRemovalOutlivesTheLossOfItsShard() async throws {
        let began = Promise<Void>()
        let sender = ScriptedSender { _ in
            began.resolve(.success(()))
            // It ends when the shard is lost.
            try await Promise<Void>().cancellableValue()
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        let id = try await queue.enqueue(.post("/1")).id
        try await began.value()
        let shard = try #require(await queue.entries.first).shard
        try await queue.remove(id)
        store.tell(.lost([shard]))
        store.tell(.gained([shard]))
        #expect(try await holdsSoon { await queue.entries.isEmpty })
        #expect(sender.paths.count == 1)
        await queue.close()
    }

    /// The store is read in parts of 16 entries.
    @Test(arguments: [15, 16, 40])
    func noCallOvertakesAnEntryOfItsUserAfterManyOfAnother(count: Int) async throws {
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        func add(_ identity: String) async throws {
            try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/1"), lane: "a", identity: identity))
        }
        for _ in 0..<count { try await add("bob") }
        let ada = RequestIdentity.known(CredentialIdentity("ada"))
        #expect(await queue.hasPending(in: "a", for: ada) == false)
        try await add("ada")
        #expect(await queue.hasPending(in: "a", for: ada) == true)
        await queue.close()
    }

    /// Expects that the only entry is removed after the store can remove again.
    private func expectRemoval(from queue: OfflineQueue, afterGaining shard: Int) async throws {
        store.tell(.gained([shard]))
        for _ in 0..<1000 { await Task.yield() }
        store.fail(.remove, false)
        let isRemoved = try await holdsSoon {
            time.advance(by: .seconds(1))
            return await queue.entries.isEmpty
        }
        #expect(isRemoved)
    }

    @Test func aRemovalOutlivesAnOutage() async throws {
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        let sender = ScriptedSender { _ in
            began.resolve(.success(()))
            try await goOn.value()
            throw NetKitError(.connectionLost, "The connection was lost.")
        }
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        let events = queue.events
        let id = try await queue.enqueue(.post("/1")).id
        try await began.value()
        let shard = try #require(await queue.entries.first).shard
        try await queue.remove(id)
        store.fail(.remove)
        goOn.resolve(.success(()))
        await events.wait(1, .storeFailed)
        store.tell(.lost([shard]))
        try await expectRemoval(from: queue, afterGaining: shard)
        #expect(sender.paths == ["/1"])
        await queue.close()
    }

    /// The attempt itself drops the entry, and a person removes it while the store is away.
    @Test func aRemovalOutlivesAnOutageInWhichItsEntryIsDropped() async throws {
        let sender = ScriptedSender(statuses: 412)
        store.fail(.remove)
        let queue = try await OfflineQueue.testing(sender, time, store: store) {
            $0.conflictStrategy = .serverWins
        }
        let events = queue.events
        let id = try await queue.enqueue(.post("/1")).id
        await events.wait(1, .storeFailed)
        let shard = try #require(await queue.entries.first).shard
        try await queue.remove(id)
        store.tell(.lost([shard]))
        // The attempt tries its last time.
        await events.wait(1, .storeFailed)
        try await expectRemoval(from: queue, afterGaining: shard)
        #expect(sender.paths == ["/1"])
        await queue.close()
    }

    /// The removal fails at the owner, which was asked for it through another queue.
    @Test func anEntryThatIsToBeRemovedIsNotSent() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        let id = try await queue.enqueue(.post("/1")).id
        await queue.processQueue()
        store.fail(.remove)
        #expect(try await shared.replica().remove([id]).asked == [id])
        #expect(try await holdsSoon { await queue.storeProblem != nil })
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths == [])
        store.fail(.remove, false)
        await queue.processQueue()
        #expect(await queue.entries.isEmpty)
        // Its lane continues.
        try await queue.enqueue(.post("/2"))
        await queue.processQueue()
        #expect(sender.paths == ["/2"])
        #expect(await queue.storeProblem == nil)
        await queue.close()
    }

    @Test func aDecisionOutlivesTheLossOfItsShard() async throws {
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 412, 204), time, store: store) {
            $0.conflictStrategy = .manual
        }
        let id = try await queue.enqueue(.post("/1")).id
        #expect(try await holdsSoon { await queue.unresolvedConflicts.count == 1 })
        let shard = try #require(await queue.entries.first).shard
        store.before(.release) { [store] in
            store.tell(.lost([shard]))
            for _ in 0..<1000 { await Task.yield() }
            try Task.checkCancellation()
        }
        try await queue.resolve(id, with: .send(Data("{}".utf8)))
        #expect(await queue.unresolvedConflicts.isEmpty)
        await queue.close()
    }

    /// The queue loses the shard of an entry that it is about to send.
    @Test func aCancelledAttemptIsNotAFailureOfTheStore() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        await queue.processQueue()
        let shard = try #require(await queue.entries.first).shard
        store.before(.load) { [store] in
            store.tell(.lost([shard]))
            while !Task.isCancelled { await Task.yield() }
            store.tell(.gained([shard]))
            try Task.checkCancellation()
        }
        await queue.attach(sender)
        #expect(try await holdsSoon { sender.paths == ["/1"] })
        await queue.close()
        for await event in events { #expect(event.kind != .storeFailed) }
    }

    /// Cancels the caller of the queue, as its store finds out.
    private static func cancel() throws {
        withUnsafeCurrentTask { $0?.cancel() }
        try Task.checkCancellation()
    }

    /// The clock stands still, so the next complete listing is far away.
    @Test func aListingThatIsCancelledIsRepeated() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        store.before(.lines) { [store, shared] in
            // It is added while everything is listed, and the listing of its shard is the caller's.
            store.before(.lines) { try Self.cancel() }
            try await shared.replica().append(.post("/1"))
            for _ in 0..<1000 { await Task.yield() }
        }
        let caller = Task { await queue.processQueue() }
        await caller.value
        #expect(caller.isCancelled)
        #expect(try await holdsSoon { sender.paths == ["/1"] })
        await queue.close()
    }

    @Test func aCancelledListingIsNoProof() async throws {
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        store.fail(.lines)
        await queue.processQueue()
        #expect(await queue.storeProblem?.code == .storeUnavailable)
        store.fail(.lines, false)
        let problem = Locked<NetKitError?>(nil)
        store.before(.lines) { [store] in
            // The queue repeats the listing at once.
            store.before(.lines) {
                let found = await queue.storeProblem
                problem.withLock { $0 = found }
            }
            try Self.cancel()
        }
        await Task { await queue.processQueue() }.value
        #expect(try await holdsSoon { await queue.storeProblem == nil && problem.withLock { $0 } != nil })
        #expect(problem.withLock { $0?.code } == .storeUnavailable)
        await queue.close()
    }

    @Test func entriesAreListedInLargePages() async throws {
        let (queue, other) = (try await OfflineQueue.testing(nil, time, store: store), shared.replica())
        for number in 1...1500 { try await other.append(.post("/\(number)")) }
        let hasNext = Flag()
        store.before(.browse) { [store] in store.before(.browse) { hasNext.set() } }
        #expect(await queue.entries.count == 1500)
        #expect(!hasNext.isSet)
        await queue.close()
    }

    @Test func aListingThatFailsIsReportedOnce() async throws {
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        let events = queue.events
        store.fail(.lines)
        await queue.processQueue()
        await queue.processQueue()
        let report = await queue.reports.first { _ in true }
        #expect((report?.lastError as? NetKitError)?.code == .storeUnavailable)
        store.fail(.lines, false)
        await queue.processQueue()
        let later = try #require(await queue.reports.first { _ in true })
        #expect(later.lastError == nil)
        await queue.close()
        let failures = await events.reduce(0) { $1.kind == .storeFailed ? $0 + 1 : $0 }
        #expect(failures == 1)
    }

    /// A listing takes long and fails, after others that began later have succeeded.
    @Test(arguments: [([0], [nil]), ([0, 1], [[1], [0]]), (nil, [nil])] as [(Set<Int>?, [Set<Int>?])])
    func aListingThatFailsLateIsNoProblemIfOthersHaveItsShards(early: Set<Int>?, later: [Set<Int>?]) async throws {
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        // The queue has nothing to list by itself any more.
        await queue.processQueue()
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        store.before(.lines) {
            began.resolve(.success(()))
            try await goOn.value()
            throw NetKitError(.storeUnavailable, "The store is away.")
        }
        async let isListed = queue.list(early, hasRemoteChanges: true)
        try await began.value()
        for shards in later { #expect(await queue.list(shards, hasRemoteChanges: true)) }
        goOn.resolve(.success(()))
        #expect(await isListed)
        #expect(await queue.storeProblem == nil)
        await queue.close()
    }

    /// Nothing can listen before the queue is open.
    @Test func aListingThatFailsAtTheOpeningIsReportedWhenAnotherFails() async throws {
        store.fail(.lines)
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        let events = queue.events
        await queue.processQueue()
        await queue.processQueue()
        await queue.close()
        let failures = await events.reduce(0) { $1.kind == .storeFailed ? $0 + 1 : $0 }
        #expect(failures == 1)
    }

    @Test func anotherReasonOfAListingThatFailsIsReported() async throws {
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        let events = queue.events
        store.fail(.lines)
        await queue.processQueue()
        store.fail(.lines, false)
        store.before(.lines) { throw NetKitError(.storeUnavailable, "Another reason.") }
        await queue.processQueue()
        await queue.close()
        var reasons: [String?] = []
        for await event in events where event.kind == .storeFailed { reasons.append(event.reason) }
        #expect(reasons.count == 2)
        #expect(reasons.last == "Another reason.")
    }

    /// A store that takes longer than the interval between two listings would be read all the time.
    @Test func aListingThatFailsLateIsNotRepeatedAtOnce() async throws {
        let slow = InterruptedStore()
        let queue = try await OfflineQueue.testing(nil, time, store: slow)
        slow.before(.lines) { [time] in
            time.advance(by: .seconds(60))
            throw NetKitError(.timeout, "The store is slow.")
        }
        await queue.list(nil, hasRemoteChanges: false)
        let next = try #require(await queue.storeState.nextListing)
        #expect(next > time.now)
        await queue.close()
    }

    /// A store with dead letters above their bound, which reports work with each removal.
    private final class TrimmedStore: StoreWrapper {
        let inner: any OfflineStore
        let calls = Notebook<String>()
        let left = Locked(0)
        let queue = Locked<OfflineQueue?>(nil)
        let notify = Locked<(@Sendable (OfflineNotice) -> Void)?>(nil)

        init(_ inner: any OfflineStore) {
            self.inner = inner
        }

        func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws {
            self.notify.withLock { $0 = notify }
            try await inner.open(clock: clock, notify: notify)
        }

        func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing {
            calls.add("lines")
            return try await inner.lines(of: shards, depth: depth)
        }

        func removeDeadLetters(olderThan age: Duration?, above maxCount: Int?, limit: Int) async throws
            -> [OfflineRemovedEntry]
        {
            calls.add("remove")
            let isLast = left.withLock { left in
                left -= 1
                return left < 0
            }
            guard !isLast else { return [] }
            notify.withLock { $0 }?(.work([0]))
            let queue = queue.withLock { $0 }
            if let queue { _ = try await holdsSoon { await queue.storeState.isBehind } }
            let request = QueuedRequest.post("/dead")
            let entry = OfflineEntry(request, position: 1, byteCount: 1)
            return [OfflineRemovedEntry(entry, .success(StoredRequest(request: request)))]
        }
    }

    @Test func workIsListedWhileDeadLettersAreRemoved() async throws {
        let store = TrimmedStore(shared.replica())
        let queue = try await OfflineQueue.testing(nil, time, store: store) {
            $0.deadLetters.maxAge = .seconds(1000)
        }
        #expect(try await holdsSoon { store.left.withLock { $0 < 0 } })
        store.queue.withLock { $0 = queue }
        store.left.withLock { $0 = 5 }
        let isDone = try await holdsSoon {
            time.advance(by: .seconds(1))
            return store.left.withLock { $0 < 0 }
        }
        #expect(isDone)
        store.queue.withLock { $0 = nil }
        await queue.close()
        let calls = store.calls.entries
        #expect(zip(calls, calls.dropFirst()).allSatisfy { $0 != "remove" || $1 != "remove" }, "\(calls)")
    }
}
