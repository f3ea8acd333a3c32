import Dispatch
import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct ReplicaLeaseTests {
    private actor Database {
        private(set) var beatCount = 0
        var isAway = false

        func leave() { isAway = true }

        func beat() throws -> ReplicaLease.Beat {
            if isAway { throw NetKitError(.storeUnavailable, "The database is away.") }
            beatCount += 1
            return ReplicaLease.Beat(shards: [1: 1, 2: 1])
        }
    }

    @Test func aHeartbeatThatEndsAfterStopChangesNothing() async throws {
        let (time, beats) = (TestClock(), Notebook<Void>())
        let (began, goOn) = (Promise<Void>(), Promise<Void>())
        let notices = Notebook<String>()
        let beat: @Sendable () async throws -> ReplicaLease.Beat = {
            beats.add(())
            began.resolve(.success(()))
            try await goOn.value()
            return ReplicaLease.Beat(shards: [1: 1])
        }
        let lease = ReplicaLease(clock: time.clock, notify: { notices.add("\($0)") }, beat: beat)
        async let start: Void = lease.start()
        try await began.value()
        lease.stop()
        goOn.resolve(.success(()))
        await start
        #expect(!lease.owns(1))
        #expect(notices.entries.isEmpty)
        #expect(time.alarmCount == 0)
        time.advance(by: .seconds(5))
        #expect(beats.count == 1)
        lease.stop()
    }

    /// It was sent before the lease was stopped and started again.
    @Test(arguments: [false, true])
    func aHeartbeatOfAnEarlierStartChangesNothing(isFailing: Bool) async throws {
        let (began, goOn) = ([Promise<Void>(), Promise<Void>()], [Promise<Void>(), Promise<Void>()])
        let (time, beats) = (TestClock(), Notebook<Void>())
        let notices = Notebook<String>()
        let beat: @Sendable () async throws -> ReplicaLease.Beat = {
            beats.add(())
            let number = min(beats.count, 2) - 1
            began[number].resolve(.success(()))
            try await goOn[number].value()
            if number == 0, isFailing { throw NetKitError(.storeUnavailable, "The database is away.") }
            return ReplicaLease.Beat(shards: [1: Int64(number + 1)])
        }
        let lease = ReplicaLease(clock: time.clock, notify: { notices.add("\($0)") }, beat: beat)
        async let first: Void = lease.start()
        try await began[0].value()
        lease.stop()
        async let second: Void = lease.start()
        try await began[1].value()
        goOn[0].resolve(.success(()))
        await first
        #expect(!lease.owns(1))
        #expect(notices.entries.isEmpty)
        goOn[1].resolve(.success(()))
        await second
        #expect(lease.fence(of: 1) == 2)
        // The end of the lease, and the next heartbeat of the second start.
        #expect(time.alarmCount == 2)
        lease.stop()
        time.advance(by: .seconds(5))
        #expect(beats.count == 2)
    }

    @Test func aSecondStartReplacesTheFirst() async throws {
        let (simulation, beats) = (Simulation(seed: 1), Notebook<Duration>())
        let beat: @Sendable () async throws -> ReplicaLease.Beat = {
            beats.add(simulation.now)
            return ReplicaLease.Beat(shards: [1: 1])
        }
        try await simulation.run {
            let lease = ReplicaLease(clock: simulation.clock, notify: { _ in }, beat: beat)
            defer { lease.stop() }
            await lease.start()
            await lease.start()
            try await simulation.sleep(for: .seconds(12))
        }
        #expect(beats.entries == [.zero, .zero, .seconds(5), .seconds(10)])
    }

    /// The heartbeat of the earlier start ends after the second start.
    @Test func anEarlierStartTakesNoWakeUp() async throws {
        let (simulation, beats, goOn) = (Simulation(seed: 1), Notebook<Duration>(), Promise<Void>())
        let beat: @Sendable () async throws -> ReplicaLease.Beat = {
            beats.add(simulation.now)
            if simulation.now == .seconds(5) { try await goOn.value() }
            return ReplicaLease.Beat(shards: [1: 1])
        }
        try await simulation.run {
            let lease = ReplicaLease(clock: simulation.clock, notify: { _ in }, beat: beat)
            defer { lease.stop() }
            await lease.start()
            try await simulation.sleep(for: .seconds(6))
            lease.stop()
            await lease.start()
            goOn.resolve(.success(()))
            try await simulation.sleep(for: .seconds(1))
            lease.wake()
            try await simulation.sleep(for: .seconds(1))
        }
        #expect(beats.entries == [.zero, .seconds(5), .seconds(6), .seconds(7)])
    }

    /// Two wake-ups end a pause, and two more come while a heartbeat is sent.
    @Test func aHeartbeatFollowsAWakeUpOnce() async throws {
        let (simulation, beats, goOn) = (Simulation(seed: 1), Notebook<Duration>(), Promise<Void>())
        let beat: @Sendable () async throws -> ReplicaLease.Beat = {
            beats.add(simulation.now)
            if simulation.now == .seconds(2) { try await goOn.value() }
            return ReplicaLease.Beat(shards: [1: 1])
        }
        try await simulation.run {
            let lease = ReplicaLease(clock: simulation.clock, notify: { _ in }, beat: beat)
            defer { lease.stop() }
            await lease.start()
            for _ in 0..<2 {
                try await simulation.sleep(for: .seconds(1))
                lease.wake()
            }
            try await simulation.sleep(for: .seconds(1))
            for _ in 0..<2 { lease.wake() }
            goOn.resolve(.success(()))
            try await simulation.sleep(for: .seconds(4))
        }
        #expect(beats.entries == [.zero, .seconds(1), .seconds(2), .seconds(3)])
    }

    /// The notice of the loss takes its time, and the next heartbeat succeeds meanwhile.
    @Test func aLossIsReportedBeforeLaterEvents() async throws {
        let (time, told, beats) = (TestClock(), Notebook<String>(), Notebook<Void>())
        let (isHeld, goOn) = (Promise<Void>(), Promise<Void>())
        let (isTelling, isTold, goOnTelling) = (Promise<Void>(), Promise<Void>(), DispatchSemaphore(value: 0))
        let beat: @Sendable () async throws -> ReplicaLease.Beat = {
            beats.add(())
            if beats.count == 2 {
                isHeld.resolve(.success(()))
                try await goOn.value()
            }
            return ReplicaLease.Beat(shards: [1: 1])
        }
        let notify: @Sendable (OfflineNotice) -> Void = { notice in
            switch notice {
            case .lost:
                isTelling.resolve(.success(()))
                goOnTelling.wait()
                told.add("lost")
            case .gained: told.add("gained")
            default: break
            }
        }
        let lease = ReplicaLease(clock: time.clock, notify: notify, beat: beat)
        await lease.start()
        time.advance(by: .seconds(5))
        try await isHeld.value()
        // The lease ends.
        let losing = Thread {
            time.advance(by: .seconds(8.5))
            isTold.resolve(.success(()))
        }
        losing.start()
        try await isTelling.value()
        await lease.start()
        goOnTelling.signal()
        try await isTold.value()
        #expect(told.entries == ["gained", "lost", "gained"])
        #expect(lease.owns(1))
        lease.stop()
        goOn.resolve(.success(()))
    }

    @Test(arguments: [Duration.zero, .seconds(-1), Duration(attoseconds: .min)])
    func heartbeatsAreAMillisecondApartAtLeast(_ interval: Duration) async throws {
        let (simulation, beats, goOn) = (Simulation(seed: 1), Notebook<Duration>(), Promise<Void>())
        let beat: @Sendable () async throws -> ReplicaLease.Beat = {
            beats.add(simulation.now)
            // Otherwise, heartbeats without a pause would hold up the simulation.
            if beats.count > 10 { try await goOn.value() }
            return ReplicaLease.Beat(shards: [1: 1])
        }
        try await simulation.run {
            let lease = ReplicaLease(clock: simulation.clock, interval: interval, notify: { _ in }, beat: beat)
            defer { lease.stop() }
            await lease.start()
            try await simulation.sleep(for: .microseconds(2500))
        }
        #expect(beats.entries == [.zero, .milliseconds(1), .milliseconds(2)])
        goOn.resolve(.success(()))
    }

    @Test func aLeaseMayBeAsLongAsADurationCanBe() async {
        let (time, database) = (TestClock(), Database())
        let longest = Duration(attoseconds: .max)
        let lease = ReplicaLease(
            clock: time.clock,
            lease: longest,
            notify: { _ in },
            beat: { try await database.beat() }
        )
        await lease.start()
        #expect(lease.timeLeft == .nanoseconds(Int64.max))
        lease.stop()
    }

    @Test func anotherLeaseMayBeAsLongAsADurationCanBe() async throws {
        let (simulation, beats) = (Simulation(seed: 1), Notebook<Duration>())
        let beat: @Sendable () async throws -> ReplicaLease.Beat = {
            beats.add(simulation.now)
            return ReplicaLease.Beat(shards: [1: 1], nextLapse: Duration(attoseconds: .max))
        }
        try await simulation.run {
            let lease = ReplicaLease(clock: simulation.clock, notify: { _ in }, beat: beat)
            defer { lease.stop() }
            await lease.start()
            try await simulation.sleep(for: .seconds(6))
        }
        #expect(beats.entries == [.zero, .seconds(5)])
    }

    @Test func tellsTheRestOfTheLeaseAndTheAgeOfTheHeartbeat() async {
        let (time, database) = (TestClock(), Database())
        let lease = ReplicaLease(clock: time.clock, notify: { _ in }, beat: { try await database.beat() })
        #expect(lease.timeLeft == nil)
        #expect(lease.timeSinceHeartbeat == nil)
        await lease.start()
        // A tenth less than the store grants.
        #expect(lease.timeLeft == .seconds(13.5))
        #expect(lease.timeSinceHeartbeat == .zero)
        time.advance(by: .seconds(4))
        #expect(lease.timeLeft == .seconds(9.5))
        #expect(lease.timeSinceHeartbeat == .seconds(4))
        await database.leave()
        time.advance(by: .seconds(9.5))
        #expect(lease.timeLeft == nil)
        #expect(lease.timeSinceHeartbeat == .seconds(13.5))
        #expect(lease.shards.isEmpty)
        lease.stop()
        #expect(lease.timeSinceHeartbeat == nil)
    }
}
