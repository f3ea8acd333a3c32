import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Pauses of lanes over a shared store that is away, or that others change at the same time.
struct OfflinePauseTests {
    private let time = TestClock()
    private let shared: InMemorySharedOfflineStore
    private let replica: InMemorySharedOfflineStore.Replica

    init() {
        shared = InMemorySharedOfflineStore(clock: time.clock)
        replica = shared.replica()
    }

    private func storedPauses() async throws -> [String] { try await replica.listing().pauses.keys.sorted() }

    @Test func aLaneIsResumedAfterAnOutage() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(sender, time, store: replica)
        await queue.pause(lane: "a")
        replica.cutOff()
        await queue.resume(lane: "a")
        replica.cutOff(false)
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.processQueue()
        #expect(sender.paths == ["/1"])
        #expect(try await storedPauses() == [])
        await queue.close()
    }

    @Test func aLaneIsPausedAfterAnOutage() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(sender, time, store: replica)
        replica.cutOff()
        await queue.pause(lane: "a")
        replica.cutOff(false)
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.processQueue()
        #expect(sender.paths == [])
        #expect(await queue.pausedLanes == ["a"])
        #expect(try await storedPauses() == ["a"])
        await queue.close()
    }

    @Test func lanesOfARefusedCredentialAreResumedAfterAnOutage() async throws {
        let sender = ScriptedSender(statuses: 401, 204)
        let queue = try await OfflineQueue.testing(sender, time, store: replica)
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.processQueue()
        #expect(try await storedPauses() == ["a"])
        replica.cutOff()
        await queue.resumeUnauthorizedLanes()
        replica.cutOff(false)
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/1"])
        #expect(try await storedPauses() == [])
        await queue.close()
    }

    /// The alarm of the queue brings the change into the store, without a call.
    @Test func aPauseIsStoredWithinTheRefreshInterval() async throws {
        let queue = try await OfflineQueue.testing(nil, time, store: replica)
        replica.cutOff()
        await queue.pause(lane: "a")
        replica.cutOff(false)
        while try await storedPauses() != ["a"] {
            time.advance(by: .seconds(1))
            await Task.yield()
        }
        await queue.close()
    }

    @Test(arguments: [false, true])
    func aRefusedCredentialDoesNotReplaceThePauseOfAPerson(isHere: Bool) async throws {
        let (sender, other) = (ScriptedSender(statuses: 401), shared.replica())
        let store = InterruptedStore(replica)
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        let pause = Locked<Task<Void, Never>?>(nil)
        store.before(.pause) {
            guard isHere else { return try await other.pause("a", for: nil) }
            pause.withLock { $0 = Task { await queue.pause(lane: "a") } }
            for _ in 0..<1000 { await Task.yield() }
        }
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.attach(sender)
        await queue.processQueue()
        await pause.withLock { $0 }?.value
        await queue.resumeUnauthorizedLanes()
        await queue.processQueue()
        #expect(sender.paths == ["/1"])
        #expect(await queue.pausedLanes == ["a"])
        #expect(try await storedPauses() == ["a"])
        await queue.close()
    }

    @Test func aLoginEndsAPauseThatIsBeingStored() async throws {
        let sender = ScriptedSender(statuses: 401, 204)
        let store = InterruptedStore(replica)
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        let login = Locked<Task<Void, Never>?>(nil)
        store.before(.pause) {
            login.withLock { $0 = Task { await queue.resumeUnauthorizedLanes() } }
            for _ in 0..<1000 { await Task.yield() }
        }
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.attach(sender)
        await queue.processQueue()
        await login.withLock { $0 }?.value
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/1"])
        #expect(try await storedPauses() == [])
        await queue.close()
    }
}
