import Testing

@testable import NetKit

struct StoreStateTests {
    private let now = NetKitClock.Instant(nanoseconds: 1_000_000_000)
    private let problem = NetKitError(.storeUnavailable, "The store is away.")

    private func state(isShared: Bool) -> StoreState { StoreState(isShared: isShared, interval: .seconds(5)) }

    @Test func aShardThatIsGainedAgainIsNotHandedOver() {
        var state = state(isShared: true)
        state.leave([1, 2])
        #expect(state.freeLeaving(where: { $0 == 1 }) == [1])
        state.gain([1])
        #expect(state.takeFree() == [])
        #expect(state.takeStale()?.shards == [1])
        #expect(state.freeLeaving(where: { _ in true }) == [2])
        #expect(state.takeFree() == [2])
        #expect(state.hasWork == false)
    }

    /// A shard that leaves during its listing stays closed.
    @Test func noEntryBeginsInALeavingShard() {
        var state = state(isShared: true)
        state.gain([1, 2])
        let uncertain = state.beginListing([1, 2, 3], at: now)
        #expect(uncertain == [1, 2])
        state.leave([2])
        #expect(state.noteCertain(uncertain) == [1])
        #expect(state.beginListing(nil, at: now) == [])
    }

    /// A store of this queue alone changes only when it says so, but can recover at any time.
    @Test func onlyASharedOrFailedStoreIsListedFromTimeToTime() {
        for isShared in [false, true] {
            var state = state(isShared: isShared)
            _ = state.beginListing(nil, at: now)
            #expect((state.nextListing != nil) == isShared)
            state.lookAgain()
            #expect(state.isBehind == isShared)
            state.noteFailedRead(problem, at: now)
            #expect(state.nextListing == now.advanced(by: .seconds(5)))
            state.lookAgain(ifDueAt: now.advanced(by: .seconds(5)))
            #expect(state.isBehind == true)
        }
    }

    @Test func aDeeperListingIsDemandedOnce() {
        var state = state(isShared: true)
        let depth = state.depth
        state.deepen()
        state.deepen()
        #expect(state.depth == 4 * depth)
        let stale = state.takeStale()
        #expect(stale != nil && stale?.shards == nil)
        #expect(state.isBehind == false)
    }

    @Test(arguments: [(nil, false), ([1], true)] as [(Set<Int>?, Bool)])
    func aStoreOfOneQueueHasRemoteChangesOnlyInShardsThatItNames(shards: Set<Int>?, areThere: Bool) {
        var state = state(isShared: false)
        state.noteStale(shards)
        #expect(state.takeStale()?.hasRemoteChanges == areThere)
    }

    /// The next listing after a failed one is of all shards.
    @Test func remoteChangesAreThereUntilAListingSucceeds() {
        var state = state(isShared: false)
        state.noteStale([1])
        _ = state.takeStale()
        let isNew = state.noteFailedListing(problem, at: now, isHeard: true)
        #expect(isNew)
        state.lookAgain()
        #expect(state.takeStale()?.hasRemoteChanges == true)
        state.note(OfflineListing(lines: []))
        state.noteStale(nil)
        #expect(state.takeStale()?.hasRemoteChanges == false)
    }
}
