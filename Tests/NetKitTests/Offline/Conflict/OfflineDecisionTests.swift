import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of decisions about conflicts, over a full disk, in a cancelled task, and after `close`.
@Suite(.timeLimit(.minutes(5)))
final class OfflineDecisionTests: Sendable {
    private let folder: TemporaryFolder
    private let disk = FaultyDisk()
    private let isAccepting = Locked(false)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store() -> JSONOfflineStore {
        JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
    }

    /// Returns a queue with a conflict that blocks its lane, and an entry after it.
    private func queue(
        _ time: TestClock = TestClock(),
        over store: (any OfflineStore)? = nil
    ) async throws -> (queue: OfflineQueue, sender: ScriptedSender, id: UUID) {
        let sender = ScriptedSender { [self] _ in
            HTTPResponse(status: isAccepting.withLock { $0 } ? 204 : 409)
        }
        let queue = try await OfflineQueue.testing(sender, time, store: store ?? self.store()) {
            $0.lanes["a"] = LaneOptions(conflictsBlock: true)
        }
        let first = try await queue.enqueue(.post("/1", "mine", lane: "a"))
        await queue.processQueue()
        try await queue.enqueue(.post("/2", lane: "a"))
        await queue.processQueue()
        #expect(sender.paths == ["/1"])
        #expect(await queue.unresolvedConflicts.count == 1)
        isAccepting.withLock { $0 = true }
        return (queue, sender, first.id)
    }

    private static let merge = ConflictResolution.send(Data("merged".utf8))

    /// Returns the code of the error of a decision, or `timeout` if it does not come.
    private func outcome(
        isCancelled: Bool = false,
        _ decide: @escaping @Sendable () async throws -> Void
    ) async -> NetKitError.Code? {
        let end = Promise<Bool>()
        let code = Locked<NetKitError.Code?>(nil)
        let task = Task {
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            let thrown = await thrownCode(decide)
            code.withLock { $0 = thrown }
            end.resolve(.success(true))
        }
        defer { task.cancel() }
        return await end.value(or: false, after: .seconds(240), .system) ? code.withLock { $0 } : .timeout
    }

    @Test(arguments: [Self.merge, .drop, .leaveUnresolved])
    func aClosedQueueTakesNoDecision(resolution: ConflictResolution) async throws {
        let (queue, _, id) = try await queue()
        await queue.close()
        #expect(await outcome { try await queue.resolve(id, with: resolution) } == .closed)
        let next = try await OfflineQueue.testing(nil, store: store())
        #expect(await next.unresolvedConflicts.map(\.requestID) == [id])
        await next.close()
    }

    @Test(arguments: [Self.merge, .drop, .leaveUnresolved], [false, true])
    func aFullDiskIsReportedAndTheConflictStays(resolution: ConflictResolution, isCancelled: Bool) async throws {
        let (queue, sender, id) = try await queue()
        disk.fail(1, with: .noSpace, stays: true)
        let code = await outcome(isCancelled: isCancelled) { try await queue.resolve(id, with: resolution) }
        #expect(code == .file)
        #expect(await queue.storeProblem?.code == .file)
        disk.mend()
        await queue.processQueue()
        #expect(await queue.unresolvedConflicts.map(\.requestID) == [id])
        #expect(sender.paths == ["/1"])
        // The decision can be made again.
        try await queue.resolve(id, with: Self.merge)
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/1", "/2"])
        #expect(await queue.entries.isEmpty)
        await queue.close()
    }

    @Test func aDecisionOutlivesItsTask() async throws {
        let (queue, sender, id) = try await queue()
        #expect(await outcome(isCancelled: true) { try await queue.resolve(id, with: Self.merge) } == nil)
        await queue.processQueue()
        #expect(sender.sent.entries.compactMap(\.request.body?.bytes).contains(Data("merged".utf8)))
        #expect(await queue.entries.isEmpty)
        await queue.close()
    }

    /// A store whose conflicts another queue resolves at the last moment.
    private final class Quicker: StoreWrapper {
        let inner: any OfflineStore = InMemoryOfflineStore()
        let isQuicker = Locked(false)

        func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
            if isQuicker.withLock({ $0 }) { _ = try await inner.remove([id]) }
            return try await inner.release(id, update)
        }
    }

    @Test func aDecisionThatComesTooLateIsRefused() async throws {
        let store = Quicker()
        let (queue, sender, id) = try await queue(over: store)
        store.isQuicker.withLock { $0 = true }
        #expect(await outcome { try await queue.resolve(id, with: Self.merge) } == .invalidRequest)
        store.isQuicker.withLock { $0 = false }
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/2"])
        await queue.close()
    }

    /// The response of the store comes after a listing that already has the entry waiting.
    @Test func aResolvedConflictIsSentOnce() async throws {
        let (time, goOn) = (TestClock(), Promise<Void>())
        let sender = ScriptedSender { _, number in
            if number == 1 { return HTTPResponse(status: 409) }
            try await goOn.value()
            return HTTPResponse(status: 204)
        }
        let store = InterruptedStore(InMemorySharedOfflineStore(clock: time.clock).replica())
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        let id = try await queue.enqueue(.post("/1", "mine", lane: "a")).id
        // The second listing forgets the conflict, which holds up nothing.
        for _ in 0..<2 { await queue.processQueue() }
        store.after(.release) {
            Task { await queue.processQueue() }
            for _ in 0..<1000 where sender.paths.count < 2 { await Task.yield() }
        }
        try await queue.resolve(id, with: Self.merge)
        try await waitUntil { sender.paths.count >= 2 }
        for _ in 0..<1000 { await Task.yield() }
        #expect(sender.paths == ["/1", "/1"])
        goOn.resolve(.success(()))
        await queue.processQueue()
        #expect(await queue.entries.isEmpty)
        await queue.close()
    }

    /// A store that refuses some updates for good.
    private struct RefusingStore: StoreWrapper {
        let inner: any OfflineStore = InMemoryOfflineStore()
        let code: NetKitError.Code
        let isRefused: @Sendable (OfflineUpdate) -> Bool

        func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
            if let update, isRefused(update) { throw NetKitError(code, "It is too large.") }
            return try await inner.release(id, update)
        }
    }

    private struct Merging: ConflictResolver {
        func resolve(_ conflict: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution
        {
            .send(Data("merged".utf8))
        }
    }

    @Test(arguments: [NetKitError.Code.invalidRequest, .encoding])
    func aMergeThatCannotBeStoredWaitsForAPerson(code: NetKitError.Code) async throws {
        let store = RefusingStore(code: code) { $0.request != nil }
        let sender = ScriptedSender { HTTPResponse(status: $0.path == "/1" ? 409 : 204) }
        let queue = try await OfflineQueue.testing(nil, store: store) {
            $0.parallelLanes = 1
            $0.conflictResolver = Merging()
        }
        let events = queue.events
        let id = try await queue.enqueue(.post("/1", "mine", lane: "a")).id
        try await queue.enqueue(.post("/2", lane: "b"))
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/2"])
        #expect(await queue.unresolvedConflicts.map(\.requestID) == [id])
        #expect(await queue.storeProblem == nil)
        await queue.close()
        var resolutions: [ConflictResolution?] = []
        for await event in events where event.kind == .conflict {
            resolutions.append(event.resolution)
            if event.resolution == .leaveUnresolved { #expect(event.error?.code == code) }
        }
        #expect(resolutions.last == .leaveUnresolved)
    }

    @Test func aDeadLetterWhoseResponseCannotBeStoredHasNone() async throws {
        let store = RefusingStore(code: .invalidRequest) { $0.detail?.response != nil }
        let sender = ScriptedSender { HTTPResponse(status: $0.path == "/1" ? 422 : 204) }
        let queue = try await OfflineQueue.testing(nil, store: store) { $0.parallelLanes = 1 }
        try await queue.enqueue(.post("/1", lane: "a"))
        try await queue.enqueue(.post("/2", lane: "b"))
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/2"])
        let letters = await queue.deadLetters
        #expect(letters.map(\.reason) == [.refused])
        #expect(letters.first?.response == nil)
        #expect(letters.first?.message.contains("It is too large.") == true)
        await queue.close()
    }
}
