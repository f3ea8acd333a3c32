import Foundation
import Testing

@testable import NetKit

struct EntryHistoryTests {
    private let id = UUID()

    @Test func eachNoteStaysUntilItEnds() {
        var history = EntryHistory()
        let problem = NetKitError(.decoding, "It cannot be read.")
        history[id].failedReads = 2
        history.note(problem, of: id)
        history[id].startAgain()
        #expect(history[id].failedReads == 0)
        #expect(history.problem?.code == .decoding)
        let ends: [(inout EntryHistory) -> Void] = [
            { $0.end(id) }, { $0.note(nil, of: id) }, { $0.forget(id) }, { $0.forget { $0 == id } },
        ]
        for end in ends {
            history.note(problem, of: id)
            history.forget { $0 != id }
            #expect(history.problem?.code == .decoding)
            end(&history)
            #expect(history.problem == nil)
        }
    }

    @Test func anEntryIsTriedAtOnceThreeTimesInARow() {
        var history = EntryHistory()
        for _ in 0..<3 {
            #expect(history[id].mayTryAtOnce)
            history[id].instantRefusals += 1
        }
        #expect(!history[id].mayTryAtOnce)
    }

    @Test(arguments: [nil, 502, 504] as [HTTPStatus?])
    func anAttemptWithoutAResponseOfTheServerMayBeInProgress(status: HTTPStatus?) {
        var record = EntryHistory.Record()
        record.noteResponse(409)
        #expect(!record.mayBeInProgress)
        record.noteResponse(status)
        for _ in 0..<5 {
            record.noteResponse(503)
            #expect(record.mayBeInProgress)
            record.noteResponse(409)
        }
        #expect(!record.mayBeInProgress)
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
        #expect(history.waitingForNetwork == [id])
        history[id].isBusyResponse = true
        #expect(history.waitingForNetwork.isEmpty)
        history[id].isBusyResponse = false
        #expect(history.waitingForNetwork == [id])
        history[id].deferrals = 0
        #expect(history.waitingForNetwork.isEmpty)
    }
}
