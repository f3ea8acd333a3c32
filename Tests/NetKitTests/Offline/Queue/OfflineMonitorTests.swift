import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a queue whose monitor is wrong or late.
@Suite(.timeLimit(.minutes(5)))
struct OfflineMonitorTests {
    /// A monitor that reports the network once, and is wrong when it is asked until it is mended.
    private struct DoubtfulMonitor: NetworkMonitor {
        let changes = AsyncStream.makeStream(of: Bool.self)
        let isMended = Flag()
        var isConnected: Bool { isMended.isSet }
        var connectionType: ConnectionType { .none }

        func connectionStream() -> AsyncStream<Bool> { changes.stream }
    }

    @Test func aReportThatTheNetworkIsBackCounts() async throws {
        let (sender, monitor) = (ScriptedSender(), DoubtfulMonitor())
        let queue = try await OfflineQueue.testing(sender, monitor: monitor)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        await queue.processQueue()
        #expect(sender.paths == [])
        monitor.changes.continuation.yield(true)
        _ = await events.first(.delivered)
        #expect(sender.paths == ["/1"])
        await queue.close()
    }

    /// It has reported the network, and does not repeat that.
    @Test func aMonitorThatIsWrongOnceIsAskedAgain() async throws {
        let (time, sender, monitor) = (TestClock(), ScriptedSender(), DoubtfulMonitor())
        let queue = try await OfflineQueue.testing(sender, time, monitor: monitor)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        monitor.changes.continuation.yield(true)
        _ = await events.first(.delivered)
        await queue.processQueue()
        try await queue.enqueue(.post("/2"))
        await time.waitForAlarms(1)
        #expect(sender.paths == ["/1"])
        monitor.isMended.set()
        time.advance(by: queue.configuration.refreshInterval)
        _ = await events.first(.delivered)
        #expect(sender.paths == ["/1", "/2"])
        await queue.close()
    }

    /// A monitor without a network, which takes its time to say so once it is slow.
    private struct SlowMonitor: NetworkMonitor {
        let changes = AsyncStream.makeStream(of: Bool.self)
        let isSlow = Flag()
        let asked = Promise<Void>()
        let goOn = Promise<Void>()

        var isConnected: Bool {
            get async {
                guard isSlow.isSet else { return false }
                asked.resolve(.success(()))
                try? await goOn.value()
                return false
            }
        }

        var connectionType: ConnectionType { .none }

        func connectionStream() -> AsyncStream<Bool> { changes.stream }
    }

    @Test func aReportIsNewerThanAnAnswerThatItOvertakes() async throws {
        let (sender, monitor) = (ScriptedSender(), SlowMonitor())
        let queue = try await OfflineQueue.testing(sender, monitor: monitor)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        monitor.isSlow.set()
        async let processed: Void = queue.processQueue()
        try await monitor.asked.value()
        monitor.changes.continuation.yield(true)
        _ = await events.first(.delivered)
        monitor.goOn.resolve(.success(()))
        await processed
        #expect(await queue.network.isConnected)
        await queue.close()
    }

    /// The network is lost and returns.
    private static func interrupt(_ queue: OfflineQueue) async {
        await queue.handleReport(false, isStillOut: true)
        await queue.handleReport(true, isStillOut: false)
    }

    /// The entry is busy until its postponement is stored. The clock stands still, so no wait ends by itself.
    @Test(arguments: [false, true])
    func anEntryThatIsBusyWhenTheNetworkReturnsDoesNotWait(isBeingStored: Bool) async throws {
        let (time, store) = (TestClock(), InterruptedStore())
        let box = Locked<OfflineQueue?>(nil)
        let sender = ScriptedSender { _, number in
            guard number == 1 else { return HTTPResponse(status: 204) }
            if !isBeingStored, let queue = box.withLock({ $0 }) { await Self.interrupt(queue) }
            throw NetKitError(.offline, "There is no network.")
        }
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        box.withLock { $0 = queue }
        if isBeingStored { store.before(.release) { await Self.interrupt(queue) } }
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        await queue.attach(sender)
        let postponed = await events.first(.postponed)
        #expect(postponed?.date == time.date)
        #expect(postponed?.entry?.notBefore == nil)
        _ = await events.first(.delivered)
        #expect(sender.paths == ["/1", "/1"])
        await queue.close()
    }

    /// One lane at a time is sent, and the store still has the wait of the other.
    @Test func aListingDoesNotBringBackTheWaitForTheNetwork() async throws {
        let time = TestClock()
        let (isBack, began, goOn) = (Flag(), Promise<Void>(), Promise<Void>())
        let sender = ScriptedSender { _ in
            guard isBack.isSet else { throw NetKitError(.offline, "There is no network.") }
            began.resolve(.success(()))
            try await goOn.value()
            return HTTPResponse(status: 204)
        }
        let store = InMemorySharedOfflineStore(clock: time.clock).replica()
        let queue = try await OfflineQueue.testing(sender, time, store: store) {
            $0.parallelLanes = 1
            $0.policy.backoffStrategy = .fixed(interval: .seconds(3600))
        }
        let events = queue.events
        for lane in ["a", "b"] { try await queue.enqueue(.post("/\(lane)", lane: lane)) }
        await events.wait(2, .postponed)
        isBack.set()
        await Self.interrupt(queue)
        try await began.value()
        await queue.list(nil, hasRemoteChanges: true)
        goOn.resolve(.success(()))
        await events.wait(2, .delivered)
        #expect(sender.paths == ["/a", "/b", "/a", "/b"])
        await queue.close()
    }

    @Test func anOutageThatIsOverWhenAnAttemptFailsCostsNoAttempt() async throws {
        let box = Locked<OfflineQueue?>(nil)
        let sender = ScriptedSender { _ in
            let queue = box.withLock { queue in
                defer { queue = nil }
                return queue
            }
            if let queue { await Self.interrupt(queue) }
            throw NetKitError(.connect, "No route.")
        }
        let queue = try await OfflineQueue.testing(nil)
        box.withLock { $0 = queue }
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        await queue.attach(sender)
        var retryCounts: [Int] = []
        for await event in events where event.kind == .postponed {
            retryCounts.append(event.retryCount)
            if retryCounts.count == 2 { break }
        }
        #expect(retryCounts == [0, 1])
        await queue.close()
    }

    /// The response to the first attempt is lost, and the server has not finished it when the network returns.
    @Test(arguments: [false, true])
    func theReturnOfTheNetworkDoesNotEndTheWaitForABusyServer(isDuringAttempt: Bool) async throws {
        let time = TestClock()
        let box = Locked<OfflineQueue?>(nil)
        let sender = ScriptedSender { _, number in
            switch number {
            case 1: throw NetKitError(.connectionLost, "The response was lost.", outcome: .unknown)
            case 2:
                if isDuringAttempt, let queue = box.withLock({ $0 }) { await Self.interrupt(queue) }
                return HTTPResponse(status: 409)
            default: return HTTPResponse(status: 201)
            }
        }
        let queue = try await OfflineQueue.testing(nil, time)
        box.withLock { $0 = queue }
        try await queue.enqueue(.post("/1"))
        await queue.attach(sender)
        await queue.processQueue()
        time.advance(by: .seconds(1))
        await queue.processQueue()
        if !isDuringAttempt { await Self.interrupt(queue) }
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/1"])
        time.advance(by: .seconds(60))
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/1", "/1"])
        await queue.close()
    }
}
