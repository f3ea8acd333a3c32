import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of `processQueue` inside an attempt, which must not wait for that attempt.
@Suite(.timeLimit(.minutes(5)))
struct QueueInsideAttemptTests {
    /// The queue, for closures that are created before it.
    private final class Place: Sendable {
        let queue = Locked<OfflineQueue?>(nil)

        func processQueue() async {
            await queue.withLock { $0 }?.processQueue()
        }
    }

    private struct Processing: ConflictResolver {
        let place: Place

        func resolve(_ conflict: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution
        {
            await place.processQueue()
            return .send(conflict.localData)
        }
    }

    /// Returns whether every due entry is tried within four minutes.
    private func isProcessed(_ queue: OfflineQueue) async -> Bool {
        let end = Promise<Bool>()
        let task = Task {
            await queue.processQueue()
            end.resolve(.success(true))
        }
        defer { task.cancel() }
        return await end.value(or: false, after: .seconds(240), .system)
    }

    @Test(arguments: [1, 4])
    func aConflictResolverMayProcessTheQueue(parallelLanes: Int) async throws {
        let place = Place()
        let sender = ScriptedSender(statuses: 409, 204)
        let queue = try await OfflineQueue.testing(nil) {
            $0.parallelLanes = parallelLanes
            $0.conflictResolver = Processing(place: place)
        }
        place.queue.withLock { $0 = queue }
        try await queue.enqueue(.post("/1", lane: "a"))
        try await queue.enqueue(.post("/2", lane: "a"))
        try await queue.enqueue(.post("/3", lane: "b"))
        await queue.attach(sender)
        #expect(await isProcessed(queue))
        #expect(await queue.entries.isEmpty)
        #expect(sender.paths.count == 4)
        await queue.close(within: .zero)
    }

    /// Each attempt waits for the others, but none for one that waits itself.
    @Test(arguments: [1, 2, 4])
    func everyAttemptMayProcessTheQueue(parallelLanes: Int) async throws {
        let place = Place()
        let sender = ScriptedSender { _ in
            await place.processQueue()
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(nil) { $0.parallelLanes = parallelLanes }
        place.queue.withLock { $0 = queue }
        for number in 0..<4 { try await queue.enqueue(.post("/\(number)", lane: "\(number % 3)")) }
        await queue.attach(sender)
        #expect(await isProcessed(queue))
        #expect(await queue.entries.isEmpty)
        #expect(sender.paths.count == 4)
        await queue.close(within: .zero)
    }

    @Test func anAttemptWithoutANetworkDoesNotWaitForOne() async throws {
        let (place, monitor) = (Place(), ManualNetworkMonitor())
        let sender = ScriptedSender { sent in
            if sent.path == "/1" {
                monitor.set(isConnected: false)
                await place.processQueue()
            }
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(nil, monitor: monitor) { $0.parallelLanes = 1 }
        place.queue.withLock { $0 = queue }
        try await queue.enqueue(.post("/1", lane: "a"))
        try await queue.enqueue(.post("/2", lane: "b"))
        await queue.attach(sender)
        #expect(await isProcessed(queue))
        #expect(sender.paths == ["/1"])
        await queue.close(within: .zero)
    }

    @Test func theOtherEntriesAreWaitedFor() async throws {
        let (place, finished, goOn) = (Place(), Notebook<String>(), Promise<Void>())
        let sender = ScriptedSender { sent in
            if sent.path == "/1" {
                goOn.resolve(.success(()))
                await place.processQueue()
            } else {
                try await goOn.value()
                for _ in 0..<10 { await Task.yield() }
            }
            finished.add(sent.path)
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(nil)
        place.queue.withLock { $0 = queue }
        try await queue.enqueue(.post("/1", lane: "a"))
        try await queue.enqueue(.post("/2", lane: "b"))
        await queue.attach(sender)
        #expect(await isProcessed(queue))
        #expect(finished.entries == ["/2", "/1"])
        #expect(await queue.entries.isEmpty)
        await queue.close(within: .zero)
    }
}
