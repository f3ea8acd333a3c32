import Testing

@testable import NetKit

struct PauseStateTests {
    private let now = NetKitClock.Instant(nanoseconds: 1_000_000_000)
    private var end: NetKitClock.Instant { now.advanced(by: .seconds(60)) }

    /// A person's pause or resumption while the entry of a refusal is settled is a later decision.
    @Test(arguments: [false, true])
    func aPersonsChangeOutlivesARefusal(isPause: Bool) {
        var pauses = PauseState()
        let refusal = pauses.refuse("a", under: nil, until: end)
        #expect(pauses.isLatest(refusal) && pauses.unstored["a"]?.isReady == false)
        if isPause { pauses.pause("a") } else { pauses.resume("a") }
        #expect(pauses.isLatest(refusal) == false)
        let change = isPause ? PauseState.Change(end: .distantFuture) : PauseState.Change.resumption
        #expect(pauses.unstored["a"] == change)
    }

    @Test(arguments: [false, true])
    func aRefusalIsTakenBackWithTheChangeThatItReplaced(isResumed: Bool) {
        var pauses = PauseState()
        if isResumed { pauses.resume("a") }
        let previous = pauses.unstored["a"]
        let refusal = pauses.refuse("a", under: nil, until: end)
        #expect(pauses.unstored["a"]?.resumesFirst == isResumed)
        #expect(pauses.refusals.count == 1)
        pauses.takeBack(refusal)
        #expect(pauses.unstored["a"] == previous)
        #expect(pauses.refusals.isEmpty)
    }

    @Test func aChangeThatFollowsAWriteStays() {
        var pauses = PauseState()
        pauses.pause("a")
        let written = pauses.unstored["a"]
        pauses.resume("a")
        if let written { pauses.replace(written, of: "a", with: nil) }
        #expect(pauses.unstored["a"] == .resumption)
        pauses.replace(.resumption, of: "a", with: nil)
        #expect(pauses.hasUnstored == false)
    }

    @Test func unstoredChangesTakePrecedenceOverAListing() {
        var pauses = PauseState()
        pauses.pause("a")
        pauses.resume("b")
        _ = pauses.refuse("c", under: nil, until: end)
        _ = pauses.refuse("d", under: nil, until: now)
        let listed: [String: Duration?] = ["a": .seconds(1), "b": .seconds(2), "d": .seconds(3), "e": .seconds(4)]
        let expected: [String: Duration?] = ["a": nil, "c": .seconds(60), "e": .seconds(4)]
        #expect(pauses.merged(into: listed, at: now) == expected)
    }

    @Test func aNewCredentialCountsForRefusedLanesInOrder() {
        var pauses = PauseState()
        for lane in ["b", "a"] { _ = pauses.refuse(lane, under: nil, until: end) }
        #expect(pauses.noteNewCredential() == ["a", "b"])
        #expect(pauses.newCredentialCount == 1)
        #expect(pauses.takeResumption() == true)
        #expect(pauses.takeResumption() == false)
        pauses.noteFailedResumption()
        #expect(pauses.takeResumption() == true)
    }
}
