import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of changes to many entries that a full disk interrupts.
@Suite(.timeLimit(.minutes(5)))
final class OfflineFailedWriteTests: Sendable {
    /// A monitor that answers, and reports nothing: a late report would begin attempts while the disk fails.
    private final class SilentMonitor: NetworkMonitor {
        private let state = Locked(true)

        var isConnected: Bool { state.withLock { $0 } }
        var connectionType: ConnectionType { isConnected ? .ethernet : .none }

        func connectionStream() -> AsyncStream<Bool> { AsyncStream { _ in } }

        func set(isConnected: Bool) { state.withLock { $0 = isConnected } }
    }

    private static let count = 600

    private let folder: TemporaryFolder
    private let disk = FaultyDisk()
    private let monitor = SilentMonitor()
    private let isAccepting = Locked(false)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Returns a queue with dead letters, each of which blocks its own lane.
    private func queue() async throws -> (OfflineQueue, ScriptedSender) {
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        let sender = ScriptedSender { [self] _ in
            HTTPResponse(status: isAccepting.withLock { $0 } ? 204 : 422)
        }
        let queue = try await OfflineQueue.testing(sender, monitor: monitor, store: store) { configuration in
            configuration.parallelLanes = 64
            configuration.maxBufferedEvents = 10_000
            for number in 0..<Self.count {
                configuration.lanes["\(number)"] = LaneOptions(deadLettersBlock: true)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.count {
                group.addTask { try await queue.enqueue(.post("/\(number)", lane: "\(number)")) }
            }
            try await group.waitForAll()
        }
        for _ in 0..<1000 where await queue.deadLetterCount < Self.count { await queue.processQueue() }
        try #require(await queue.deadLetterCount == Self.count)
        return (queue, sender)
    }

    /// Makes the disk fail one call later each time until a change succeeds, and returns the number of failures.
    private func untilItSucceeds(
        _ change: () async throws -> Void,
        afterwards: () async -> Void = {}
    ) async -> Int {
        for step in 1...200 {
            disk.fail(step, with: .noSpace, stays: true)
            let isDone = (try? await change()) != nil
            disk.mend()
            await afterwards()
            if isDone { return step - 1 }
        }
        return 0
    }

    @Test func everyEntryThatIsGoneHasAnEventAndBlocksNothing() async throws {
        let (queue, _) = try await queue()
        let events = queue.events
        let filter = OfflineFilter(states: [.deadLetter])
        let failures = await untilItSucceeds { try await queue.remove(where: filter) }
        #expect(failures > 3)
        #expect(await queue.entries.isEmpty)
        isAccepting.withLock { $0 = true }
        for number in 0..<Self.count { try await queue.enqueue(.post("/next", lane: "\(number)")) }
        for _ in 0..<3 { await queue.processQueue() }
        #expect(await queue.pendingCount == 0)
        await queue.close()
        var removed: [UUID] = []
        for await event in events where event.kind == .removed { if let id = event.id { removed.append(id) } }
        #expect(removed.count == Self.count)
        #expect(Set(removed).count == Self.count)
    }

    @Test func everyEntryThatWaitsAgainIsSent() async throws {
        let (queue, sender) = try await queue()
        isAccepting.withLock { $0 = true }
        monitor.set(isConnected: false)
        await queue.processQueue()
        let filter = OfflineFilter(states: [.deadLetter])
        let failures = await untilItSucceeds {
            try await queue.retry(where: filter)
        } afterwards: {
            monitor.set(isConnected: true)
            await queue.processQueue()
            #expect(await queue.pendingCount == 0)
            monitor.set(isConnected: false)
            await queue.processQueue()
        }
        #expect(failures > 3)
        #expect(await queue.entries.isEmpty)
        #expect(sender.paths.count == 2 * Self.count)
        await queue.close()
    }
}
