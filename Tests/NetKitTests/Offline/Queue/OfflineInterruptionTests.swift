import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Entries that leave, or are to leave, while another change of them is under way.
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
}
