import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of the faults of the stores in memory that several processes share.
@Suite(.timeLimit(.minutes(5)))
struct SharedStoreFaultTests {
    private let time = TestClock()

    @Test func aReplicaThatIsCutOffGetsNoEventsUntilItIsBack() async throws {
        let shared = InMemorySharedOfflineStore(clock: time.clock)
        let (owner, other) = (shared.replica(), shared.replica())
        let heard = Notebook<Set<Int>>()
        try await owner.open(clock: time.clock) { notice in
            if case .work(let shards) = notice { heard.add(shards) }
        }
        owner.cutOff()
        try await other.append(.post("/1"))
        #expect(heard.count == 0)
        owner.cutOff(false)
        #expect(heard.entries.first?.contains(shared.shard(of: "default")) == true)
        try await other.append(.post("/2"))
        #expect(heard.count == 2)
        await owner.close()
    }

    @Test func anEntryThatIsRetriedDuringItsAttemptIsNotReplaced() async throws {
        let shared = InMemorySharedOfflineStore(clock: time.clock)
        let (owner, other) = (shared.replica(), shared.replica())
        try await owner.open(clock: time.clock) { _ in }
        var request = QueuedRequest.post("/1")
        request.coalescingKey = "key"
        try await owner.append(request)
        #expect(try await owner.begin(request.id))
        #expect(try await other.revive([request.id]).count == 1)
        var next = request
        next.id = UUID()
        try await other.append(next)
        #expect(try await owner.load([request.id]).count == 1)
        await owner.close()
    }

    @Test func aSaveWhoseResponseIsLostMayHaveTakenEffect() async throws {
        let vault = InMemoryTokenVault(clock: time.clock)
        let replica = vault.replica()
        replica.loseSaves(1)
        let error = await #expect(throws: NetKitError.self) {
            try await replica.save(AccessToken("a"), for: nil, over: nil)
        }
        #expect(error?.outcome == .unknown)
        #expect(vault.stored.token?.value == "a")
    }

    @Test func aTokenIsSavedOverTheLastVersionThereIs() async throws {
        let vault = InMemoryTokenVault(clock: time.clock)
        vault.restore(SharedToken(version: .max, token: AccessToken("a")))
        #expect(try await vault.replica().save(AccessToken("b"), for: nil, over: .max) == .max)
        #expect(vault.stored.token?.value == "b")
    }

    /// A process that waits for the right asks again after each wait, so a wait without time would be an endless loop.
    @Test func aWaitForAVaultThatWasRestoredTakesTime() async throws {
        let simulation = Simulation(seed: 1)
        let vault = InMemoryTokenVault(clock: simulation.clock)
        let replica = vault.replica()
        try await simulation.run {
            let version = try await replica.save(AccessToken("a"), for: nil, over: nil) ?? 0
            vault.restore(SharedToken())
            _ = try await replica.lease(version, by: UUID(), for: .seconds(60))
            try await replica.waitForChange(of: version, upTo: .milliseconds(500), clock: simulation.clock)
        }
        #expect(simulation.now == .milliseconds(500))
    }

    /// The call reaches the vault after half of the delay, and its response is lost in the other half.
    @Test func aCallThatIsCutOffOnItsWayBackMayHaveTakenEffect() async throws {
        let vault = InMemoryTokenVault(clock: time.clock)
        let replica = vault.replica()
        replica.slowDown(to: .seconds(2))
        let save = Task { try await replica.save(AccessToken("a"), for: nil, over: nil) }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        await time.waitForSleepers(1)
        replica.cutOff()
        time.advance(by: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { try await save.value }
        #expect(error?.outcome == .unknown)
        #expect(vault.stored.token?.value == "a")
        replica.slowDown(to: .zero)
        let before = await #expect(throws: NetKitError.self) { try await replica.read() }
        #expect(before?.outcome == .notSent)
    }
}
