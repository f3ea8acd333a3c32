import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of decisions about conflicts, over a full disk, in a cancelled task, and after `close`.
final class OfflineDecisionTests: Sendable {
    private let folder: TemporaryFolder
    private let disk = FaultyDisk()
    private let isAccepting = Locked(false)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store() -> JSONOfflineStore {
        JSONOfflineStore(directory: folder.file("queue"), seal: nil, fileSystem: disk, settings: JournalSettings())
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
        return await end.value(orFalseAfter: .seconds(60), .system) ? code.withLock { $0 } : .timeout
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
    func aFullDiskIsToldAndTheConflictStays(resolution: ConflictResolution, isCancelled: Bool) async throws {
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
}
