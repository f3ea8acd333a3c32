import Testing

@testable import NetKit

struct QueueNetworkTests {
    private let now = NetKitClock.Instant(nanoseconds: 1_000_000_000)
    private let later = NetKitClock.Instant(nanoseconds: 2_000_000_000)

    @Test func onlyAnOutageIsFollowedByAQuestionAndAReturn() {
        var network = QueueNetwork()
        #expect(network.note(isConnected: true, askAgainAt: now) == false)
        #expect(network.nextQuestion == nil)
        #expect(network.note(isConnected: false, askAgainAt: now) == false)
        #expect(network.note(isConnected: false, askAgainAt: later) == false)
        #expect(network.nextQuestion == later)
        #expect(network.note(isConnected: true, askAgainAt: now) == true)
        #expect(network.nextQuestion == nil)
        #expect(network.returnCount == 1)
    }

    @Test func aQuestionIsAskedOnceAndNotEarly() {
        var network = QueueNetwork()
        _ = network.note(isConnected: false, askAgainAt: later)
        #expect(network.takeQuestion(at: now) == false)
        #expect(network.takeQuestion(at: later) == true)
        #expect(network.takeQuestion(at: later) == false)
    }

    /// An outage that is reported late may be over, but the network may have come back without another report.
    @Test(arguments: [false, true])
    func aLaterNoteCountsInsteadOfAnOutage(isConnected: Bool) {
        var network = QueueNetwork()
        let count = network.noteCount
        #expect(network.counts(answer: isConnected, askedAfter: count) == true)
        _ = network.note(isConnected: true, askAgainAt: now)
        #expect(network.counts(answer: isConnected, askedAfter: count) == isConnected)
    }
}
