import Foundation
import Testing

@testable import NetKit

struct EntryHistoryTests {
    private let id = UUID()

    @Test func eachNoteStaysUntilItEnds() {
        var history = EntryHistory()
        history[id].failedReads = 2
        history[id].problem = NetKitError(.decoding, "It cannot be read.")
        history[id].startAgain()
        #expect(history[id].failedReads == 0)
        #expect(history.problem?.code == .decoding)
        history[id].end()
        #expect(history.problem == nil)
        history[id].problem = NetKitError(.decoding, "It cannot be read.")
        history.forget(id)
        #expect(history.problem == nil)
    }

    @Test func anEntryIsTriedAtOnceThreeTimesInARow() {
        var history = EntryHistory()
        for _ in 0..<3 {
            #expect(history[id].mayTryAtOnce)
            history[id].instantRefusals += 1
        }
        #expect(!history[id].mayTryAtOnce)
    }

    @Test func theWaitForAnIdentityIsReportedAgainAfterAnAttempt() {
        var history = EntryHistory()
        #expect(history.announce(id) == true)
        #expect(history.announce(id) == false)
        history.endAnnouncement(of: id)
        #expect(history.announce(id) == true)
        history.forget { $0 != id }
        #expect(history.announce(id) == false)
        history.forget { $0 == id }
        #expect(history.announce(id) == true)
    }

    @Test func onlyDeferredEntriesAreDueWhenTheNetworkReturns() {
        var history = EntryHistory()
        history[UUID()].instantRefusals += 1
        history[id].deferrals += 2
        #expect(history.deferred == [id])
        history[id].deferrals = 0
        #expect(history.deferred.isEmpty)
    }
}
