import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Pauses of lanes over a shared store that is away, or that others change at the same time.
@Suite(.timeLimit(.minutes(5)))
struct OfflinePauseTests {
    private let time = TestClock()
    private let shared: InMemorySharedOfflineStore
    private let replica: InMemorySharedOfflineStore.Replica

    init() {
        shared = InMemorySharedOfflineStore(clock: time.clock)
        replica = shared.replica()
    }

    private func storedPauses() async throws -> [String] { try await replica.listing().pauses.keys.sorted() }

    /// The strings are equal, but their bytes are not, and a store compares bytes.
    @Test func twoUnicodeFormsOfANameAreOneLane() async throws {
        let (name, other) = ("caf\u{E9}", "cafe\u{301}")
        let queue = try await OfflineQueue.testing(nil, time, store: replica)
        for lane in [other, name] { try await queue.enqueue(.post("/1", lane: lane)) }
        #expect(await queue.entries.map { Array($0.lane.utf8) } == [Array(name.utf8), Array(name.utf8)])
        #expect(await queue.entries(where: OfflineFilter(lanes: [other])).count == 2)
        #expect(await queue.hasPending(in: other, for: nil))
        await queue.pause(lane: other)
        #expect(try await storedPauses() == [name])
        await queue.resume(lane: name)
        #expect(try await storedPauses() == [])
        await queue.pause(lane: name)
        await queue.resume(lane: other)
        #expect(try await storedPauses() == [])
        await queue.close()
    }

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
        let isStored = try await holdsSoon {
            time.advance(by: .seconds(1))
            return try await storedPauses() == ["a"]
        }
        #expect(isStored)
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

    /// A person resumes a lane while the store is away, and then its credential is refused and renewed.
    @Test func aResumptionOutlivesARefusalDuringAnOutage() async throws {
        let (began, goOn, isRenewed) = (Promise<Void>(), Promise<Void>(), Flag())
        let sender = ScriptedSender { _ in
            if isRenewed.isSet { return HTTPResponse(status: 204) }
            began.resolve(.success(()))
            try await goOn.value()
            return HTTPResponse(status: 401)
        }
        let store = InterruptedStore(replica)
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        let events = queue.events
        try await queue.enqueue(.post("/1", lane: "a"))
        try await began.value()
        await queue.pause(lane: "a")
        store.fail(.resume)
        store.fail(.pause)
        await queue.resume(lane: "a")
        goOn.resolve(.success(()))
        for await event in events where event.reason == "The credential was refused." { break }
        isRenewed.set()
        await queue.resumeUnauthorizedLanes()
        store.fail(.resume, false)
        store.fail(.pause, false)
        await queue.processQueue()
        #expect(try await storedPauses() == [])
        #expect(await queue.pausedLanes == [])
        await queue.close()
    }

    /// The pause for a refused credential would have no end either.
    @Test func anEndlessPauseForACredentialDoesNotReplaceThatOfAPerson() async throws {
        let queue = try await OfflineQueue.testing(nil, time) { $0.unauthorizedPause = .seconds(Int64.max) }
        let sender = ScriptedSender { _ in
            await queue.pause(lane: "a")
            return HTTPResponse(status: 401)
        }
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.attach(sender)
        await queue.processQueue()
        await queue.resumeUnauthorizedLanes()
        #expect(await queue.pausedLanes == ["a"])
        await queue.close()
    }

    @Test func aPauseThatIsOverIsNotListed() async throws {
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 401), time)
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.processQueue()
        #expect(await queue.pausedLanes == ["a"])
        try await queue.clear()
        time.advance(by: queue.configuration.unauthorizedPause)
        #expect(await queue.pausedLanes.isEmpty)
        await queue.close()
    }

    /// There may be a lane for each order.
    @Test(arguments: [false, true]) func aRefusalIsForgottenAtTheEndOfItsPause(isCleared: Bool) async throws {
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 401, 204), time)
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.processQueue()
        #expect(await queue.pauses.refusals.count == 1)
        if isCleared { try await queue.clear() }
        time.advance(by: queue.configuration.unauthorizedPause)
        await queue.processQueue()
        #expect(await queue.pendingCount == 0)
        #expect(await queue.pauses.refusals.isEmpty)
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

    /// A person has paused the lane in the store, and its resumption is not stored yet when a credential is refused.
    @Test(arguments: [false, true])
    func aResumptionOutlivesARefusedCredential(isRemoved: Bool) async throws {
        let store = InterruptedStore(replica)
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        await queue.pause(lane: "a")
        let id = try await queue.enqueue(.post("/1", lane: "a")).id
        await queue.processQueue()
        let sender = ScriptedSender { _, number in
            if number == 1, isRemoved { try await queue.remove(id) }
            return HTTPResponse(status: number == 1 ? 401 : 204)
        }
        await queue.attach(sender)
        let events = queue.events
        store.fail(.resume)
        await queue.resume(lane: "a")
        _ = await events.first(isRemoved ? .removed : .lanePaused)
        store.fail(.resume, false)
        await queue.processQueue()
        #expect(try await storedPauses() == (isRemoved ? [] : ["a"]))
        await queue.resumeUnauthorizedLanes()
        await queue.processQueue()
        #expect(sender.paths == (isRemoved ? ["/1"] : ["/1", "/1"]))
        #expect(try await storedPauses() == [])
        await queue.close()
    }

    /// The credential is refused after the queue has begun to close.
    @Test func aPauseIsStoredBeforeTheStoreIsClosed() async throws {
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        let sender = ScriptedSender(status: 401, began: began, goOn: goOn)
        let store = InterruptedStore(replica)
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        let events = queue.events
        let isStored = Locked(false)
        store.after(.pause) { isStored.withLock { $0 = true } }
        try await queue.enqueue(.post("/1", lane: "a"))
        try await began.value()
        async let isClosed = queue.close()
        await time.waitForAlarms(1)
        goOn.resolve(.success(()))
        #expect(await isClosed)
        #expect(await events.first(.lanePaused) != nil)
        #expect(isStored.withLock { $0 })
    }
}
