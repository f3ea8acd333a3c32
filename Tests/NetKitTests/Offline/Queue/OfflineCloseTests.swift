import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of entries that are removed, and of a queue that is closed or opened again.
@Suite(.timeLimit(.minutes(5)))
struct OfflineCloseTests {
    @Test func anEntryRemovedWhileItIsSentGoesAfterItsAttempt() async throws {
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        let sender = ScriptedSender(status: 503, began: began, goOn: goOn)
        let queue = try await OfflineQueue.testing(sender)
        let receipt = try await queue.enqueue(.post("/1"))
        try await began.value()
        try await queue.remove(receipt.id)
        goOn.resolve(.success(()))
        await queue.processQueue()
        #expect(await queue.pendingCount == 0)
        #expect(await queue.entries.isEmpty)
    }

    @Test func clearingRemovesEverything() async throws {
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 400))
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        _ = await events.first(.deadLettered)
        await queue.pause(lane: "default")
        for number in 2...600 { try await queue.enqueue(.post("/\(number)")) }
        try await queue.clear()
        #expect(await queue.entries.isEmpty)
        #expect(await queue.pendingCount == 0)
    }

    @Test func closingWaitsForRunningAttemptsUpToALimit() async throws {
        let time = TestClock()
        let began = Promise<Void>()
        let sender = ScriptedSender { _ in
            began.resolve(.success(()))
            try await Task.sleep(for: .seconds(3600))
            return HTTPResponse(status: 204)
        }
        let store = InMemoryOfflineStore()
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        try await queue.enqueue(.post("/1"))
        try await began.value()
        async let isDrained = queue.close(within: .seconds(5))
        await time.waitForAlarms(1)
        time.advance(by: .seconds(6))
        #expect(await isDrained == false)
        #expect(try await store.entries().count == 1)
        #expect(await thrownCode { try await queue.enqueue(.post("/2")) } == .closed)
    }

    /// Closes a queue whose attempts take five seconds or more.
    private func isDrainedInTime(_ queue: OfflineQueue, _ time: TestClock) async -> Bool {
        async let isDrained = queue.close(within: .seconds(5))
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        return await isDrained
    }

    /// A store that does nothing in a cancelled task, as one over a network.
    private struct NetworkStore: StoreWrapper {
        let inner: any OfflineStore

        func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
            try Task.checkCancellation()
            return try await inner.release(id, update)
        }

        func remove(_ ids: [UUID]) async throws -> OfflineRemoval {
            try Task.checkCancellation()
            return try await inner.remove(ids)
        }
    }

    /// The attempt ends because of its cancellation, with a response.
    @Test(arguments: [false, true])
    func theResultOfACancelledAttemptIsStored(isRemoved: Bool) async throws {
        let (time, began) = (TestClock(), Promise<Void>())
        let sender = ScriptedSender { _ in
            began.resolve(.success(()))
            try? await Promise<Void>().cancellableValue()
            return HTTPResponse(status: 422)
        }
        let inner = InMemoryOfflineStore()
        let queue = try await OfflineQueue.testing(sender, time, store: NetworkStore(inner: inner))
        let id = try await queue.enqueue(.post("/1")).id
        try await began.value()
        if isRemoved { try await queue.remove(id) }
        #expect(await isDrainedInTime(queue, time) == false)
        #expect(try await inner.entries().map(\.state) == (isRemoved ? [] : [.deadLetter]))
    }

    /// A store whose disk hangs.
    private struct HangingStore: StoreWrapper {
        let inner: any OfflineStore = InMemoryOfflineStore()
        let began = Promise<Void>()
        let goOn = Promise<Void>()

        func close(within bound: Duration) async {
            began.resolve(.success(()))
            try? await goOn.value()
        }
    }

    @Test func closingDoesNotWaitForAStoreThatHangs() async throws {
        let (time, store) = (TestClock(), HangingStore())
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        async let isClosed = queue.close(within: .seconds(1))
        try await store.began.value()
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        #expect(await isClosed == false)
        store.goOn.resolve(.success(()))
    }

    @Test func aClockThatStandsStillDoesNotHoldUpAStoreThatHangs() async throws {
        let store = HangingStore()
        let queue = try await OfflineQueue.testing(nil, store: store) { $0.closingTime = .milliseconds(20) }
        #expect(await queue.close(within: .seconds(1)) == false)
        store.goOn.resolve(.success(()))
    }

    /// A store that says when it is closed.
    private struct TellingStore: StoreWrapper {
        var inner: any OfflineStore = InMemoryOfflineStore()
        let closed = Promise<Bool>()

        func close(within bound: Duration) async {
            await inner.close(within: bound)
            closed.resolve(.success(true))
        }
    }

    /// A resolver that asks a person, who does not answer.
    private struct Asking: ConflictResolver {
        let question: Stubborn

        func resolve(_: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution {
            await question.wait()
            return .drop
        }
    }

    @Test(arguments: [false, true])
    func codeThatIgnoresItsCancellationDoesNotKeepTheStoreOpen(isResolver: Bool) async throws {
        let (time, code, store) = (TestClock(), Stubborn(), TellingStore())
        let sender = ScriptedSender { _ in
            if !isResolver { await code.wait() }
            return HTTPResponse(status: 409)
        }
        let queue = try await OfflineQueue.testing(sender, time, store: store) {
            $0.conflictResolver = Asking(question: code)
            $0.closingTime = .milliseconds(20)
        }
        try await queue.enqueue(.post("/1"))
        await code.begun()
        #expect(await isDrainedInTime(queue, time) == false)
        #expect(await store.closed.value(or: false, after: .seconds(60), .system))
        code.release()
        try await waitUntil { code.runs.count == 1 }
        // What follows the code runs in the queue.
        for _ in 0..<20 { _ = await queue.storeProblem }
        #expect(try await store.inner.entries().map(\.state) == [.waiting])
    }

    /// The code would remove it at its end, when another queue may have the store.
    @Test func anEntryIsRemovedBesideASenderThatIsAbandoned() async throws {
        let (time, code, store) = (TestClock(), Stubborn(), TellingStore())
        let sender = ScriptedSender { _ in
            await code.wait()
            return HTTPResponse(status: 503)
        }
        let queue = try await OfflineQueue.testing(sender, time, store: store) { $0.closingTime = .milliseconds(20) }
        let id = try await queue.enqueue(.post("/1")).id
        await code.begun()
        try await queue.remove(id)
        #expect(try await store.inner.entries().map(\.id) == [id])
        #expect(await isDrainedInTime(queue, time) == false)
        #expect(await store.closed.value(or: false, after: .seconds(60), .system))
        #expect(try await store.inner.entries().isEmpty)
        code.release()
    }

    /// The next queue would not learn of a change.
    @Test func aClosedQueueChangesNothingInTheStoreOfTheNextOne() async throws {
        let folder = try TemporaryFolder()
        let store = JSONOfflineStore(directory: folder.file("queue"))
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 422), store: store)
        let id = try await queue.enqueue(.post("/1")).id
        await queue.processQueue()
        await queue.close()
        let next = try await OfflineQueue.testing(nil, store: store)
        let filter = OfflineFilter(ids: [id])
        #expect(await thrownCode { try await queue.retry(id) } == .closed)
        #expect(await thrownCode { try await queue.retry(where: filter) } == .closed)
        #expect(await thrownCode { try await queue.remove(id) } == .closed)
        #expect(await thrownCode { try await queue.remove(where: filter) } == .closed)
        #expect(await next.entries.map(\.state) == [.deadLetter])
        await next.close()
    }

    /// The store may have another queue by the time of the next part.
    @Test(arguments: [InterruptedStore.Call.revive, .remove])
    func aChangeOfManyEntriesEndsWithTheQueue(call: InterruptedStore.Call) async throws {
        let store = InterruptedStore()
        // The queue would wait for the change that closes it.
        let queue = try await OfflineQueue.testing(nil, store: store) { $0.closingTime = .milliseconds(20) }
        for number in 1...300 { try await queue.enqueue(.post("/\(number)")) }
        store.after(call) {
            _ = await queue.close()
            store.fail(call)
        }
        let all = OfflineFilter()
        let code = await thrownCode {
            try await call == .revive ? queue.retry(where: all) : queue.remove(where: all)
        }
        #expect(code == .closed)
    }

    /// The store answers only when it is closed.
    @Test(arguments: [InterruptedStore.Call.append, .remove])
    func aChangeThatEndsWithTheQueueHasItsEvents(call: InterruptedStore.Call) async throws {
        let simulation = Simulation(seed: 1)
        let kinds = try await aside {
            try await simulation.run {
                let inner = InterruptedStore()
                let store = TellingStore(inner: inner)
                let queue = try await OfflineQueue.testing(nil, store: store) {
                    $0.clock = simulation.clock
                    $0.maxEntries = 1
                    $0.overflow = .dropOldest
                }
                let id = try await queue.enqueue(.post("/1")).id
                let (events, began) = (queue.events, Promise<Void>())
                inner.after(call) {
                    began.resolve(.success(()))
                    _ = try await store.closed.value()
                    try await simulation.sleep(for: .seconds(1))
                }
                async let change: Void = {
                    if call == .append { try await queue.enqueue(.post("/2")) } else { try await queue.remove(id) }
                }()
                try await began.value()
                #expect(await queue.close())
                try await change
                var kinds: [OfflineEvent.Kind] = []
                for await event in events { kinds.append(event.kind) }
                return kinds
            }
        }
        #expect(kinds == (call == .append ? [.dropped, .enqueued] : [.removed]))
    }

    /// A change at the end of the code would reach a store that another queue may have.
    @Test func anAbandonedEntryCannotBeChangedAfterTheEnd() async throws {
        let (time, code, folder) = (TestClock(), Stubborn(), try TemporaryFolder())
        let sender = ScriptedSender { _ in
            await code.wait()
            return HTTPResponse(status: 503)
        }
        let store = TellingStore(inner: JSONOfflineStore(directory: folder.file("queue"), seal: nil))
        let queue = try await OfflineQueue.testing(sender, time, store: store) { $0.closingTime = .milliseconds(20) }
        let id = try await queue.enqueue(.post("/1")).id
        await code.begun()
        #expect(await isDrainedInTime(queue, time) == false)
        #expect(await store.closed.value(or: false, after: .seconds(60), .system))
        #expect(await thrownCode { try await queue.remove(id) } == .closed)
        #expect(await thrownCode { try await queue.retry(id) } == .closed)
        code.release()
        let next = try await OfflineQueue(directory: folder.file("queue"))
        #expect(await next.entries.map(\.id) == [id])
        await next.close()
    }

    @Test func aSlowStoreThatHasReadAnEntryAfterTheEndSendsNothing() async throws {
        let (time, reading, inner) = (TestClock(), Stubborn(), InterruptedStore())
        inner.before(.load) { await reading.wait() }
        let (sender, store) = (ScriptedSender(), TellingStore(inner: inner))
        let queue = try await OfflineQueue.testing(sender, time, store: store) { $0.closingTime = .milliseconds(20) }
        try await queue.enqueue(.post("/1"))
        await reading.begun()
        #expect(await isDrainedInTime(queue, time) == false)
        reading.release()
        #expect(await store.closed.value(or: false, after: .seconds(60), .system))
        #expect(sender.paths == [])
        #expect(try await inner.inner.entries().map(\.state) == [.waiting])
    }

    @Test func aClosedQueueRetainsNoSender() async throws {
        let queue = try await OfflineQueue.testing(nil)
        await queue.close()
        weak var held: ScriptedSender?
        do {
            let sender = ScriptedSender()
            held = sender
            await queue.attach(sender)
        }
        #expect(held == nil)
    }

    @Test func eventsEndWhenTheQueueIsClosed() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        await queue.close()
        var kinds: [OfflineEvent.Kind] = []
        for await event in events { kinds.append(event.kind) }
        #expect(kinds == [.enqueued])
    }

    @Test func retryAndHedgingLeaveReplaysAlone() async throws {
        let transport = MockTransport()
        transport.stub(.put, "/1", .status(503))
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [RetryInterceptor(RetryPolicy(maxAttempts: 5, backoffStrategy: .fixed(interval: .zero)))]
        )
        var configuration = OfflineQueue.Configuration()
        configuration.clock = TestClock().clock
        let queue = try await OfflineQueue(
            store: InMemoryOfflineStore(),
            sender: client,
            configuration: configuration
        )
        let events = queue.events
        try await queue.enqueue(QueuedRequest(HTTPRequest(.put, "/1")))
        _ = await events.first(.postponed)
        #expect(transport.requests.count == 1)
        #expect(transport.requests.first?.headers["Idempotency-Key"]?.isEmpty == false)
    }

    // MARK: Over a disk

    @Test func aDiskThatRefusesIsReportedAndTheQueueContinuesAfterwards() async throws {
        let folder = try TemporaryFolder()
        let disk = FaultyDisk()
        func store() -> JSONOfflineStore { JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk) }
        let first = try await OfflineQueue.testing(nil, store: store())
        try await first.enqueue(.post("/1"))
        await first.close()
        disk.fail(1, with: .noSpace, stays: true)
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(sender, store: store())
        #expect(await queue.storeProblem?.code == .file)
        #expect(await queue.pending.map(\.endpoint) == ["/1"])
        #expect(await thrownCode { try await queue.enqueue(.post("/2")) } == .file)
        #expect(sender.paths == [])
        disk.mend()
        let events = queue.events
        try await queue.enqueue(.post("/2"))
        await events.wait(2, .delivered)
        #expect(sender.paths == ["/1", "/2"])
        await queue.close()
    }

    @Test func nothingOpensAStoreAgainWhileItIsClosed() async throws {
        let folder = try TemporaryFolder()
        let disk = FaultyDisk()
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        try await store.open(clock: .system) { _ in }
        let late = Locked<Task<OfflineListing, any Error>?>(nil)
        disk.beforeUnlocking {
            let task = startImmediately { try await store.lines(of: nil, depth: .max) }
            late.withLock { $0 = task }
        }
        await store.close()
        let started = late.withLock { $0 }
        let task = try #require(started)
        #expect(await thrownCode { try await task.value } == .closed)
    }

    @Test func undeliveredEntriesContinueInAnotherProcessUnderTheirKey() async throws {
        let folder = try TemporaryFolder()
        let receipt: OfflineReceipt
        do {
            let queue = try await OfflineQueue(directory: folder.file("queue"))
            receipt = try await queue.enqueue(.post("/1"))
            await queue.close()
        }
        let sender = ScriptedSender()
        let queue = try await OfflineQueue(directory: folder.file("queue"), sender: sender)
        await queue.processQueue()
        #expect(sender.sent.entries.map(\.key) == [receipt.idempotencyKey])
        #expect(await queue.pendingCount == 0)
        await queue.close()
    }
}
