import Foundation
import Testing

@testable import NetKit

struct EntryWorkTests {
    private let id = UUID()
    private let other = UUID()
    private let task = Task<Void, any Error> {}

    /// A removal that a person requested is carried out even if the entry was lost, and the loss follows it.
    @Test func aRemovalComesBeforeALoss() {
        var work = EntryWork()
        #expect(work.followUp(of: id) == .nothing && work.remains(id))
        work.markLost(id)
        work.removeLater(id)
        #expect(work.followUp(of: id) == .removal && !work.remains(id))
        work.noteRemoved(id)
        #expect(work.followUp(of: id) == .loss && !work.remains(id))
        work.forgetFollowUp(of: id)
        #expect(work.followUp(of: id) == .nothing && work.remains(id))
    }

    @Test func onlyADecisionOutlivesTheLossOfItsShard() {
        let purposes: [EntryWork.Purpose] = [.sending, .expiring, .deciding]
        for purpose in purposes {
            var work = EntryWork()
            work.begin(id, as: purpose, task)
            #expect((work.markShardLost(of: id) == nil) == (purpose == .deciding))
            #expect(work.isLost(id) && work.hasTask(id))
        }
    }

    @Test func expiriesAreCountedApart() {
        var work = EntryWork()
        work.begin(id, as: .expiring, task)
        work.begin(other, as: .sending, task)
        #expect(work.expiringCount == 1 && work.sendingCount == 1)
        work.end(other)
        work.end(other)
        work.end(id)
        #expect(work.expiringCount == 0 && work.sendingCount == 0)
        work.begin(id, as: .expiring, task)
        work.begin(id, as: .sending, task)
        #expect(work.expiringCount == 0 && work.sendingCount == 1)
    }

    @Test func tasksGoOnUnlessAllOfThemStall() {
        var work = EntryWork()
        #expect(work.canProgress(without: []) == nil)
        work.note(id, isStalled: true)
        #expect(work.canProgress(without: []) == nil)
        work.begin(id, as: .sending, task)
        work.note(id, isStalled: true)
        #expect(work.canProgress(without: []) == false)
        #expect(work.canProgress(without: [id]) == nil)
        work.begin(other, as: .sending, task)
        #expect(work.canProgress(without: []) == true)
        #expect(work.stalledTasks.count == 1)
    }

    /// Another queue may have the store when code outside the queue ends, so nothing follows from it then but the loss.
    @Test func abandonedEntriesAreLostAndTheirRemovalsAreDue() {
        var work = EntryWork()
        for id in [id, other] {
            work.begin(id, as: .sending, task)
            work.removeLater(id)
        }
        work.note(id, isOutsideQueue: true)
        #expect(work.abandonOutsideCode() == [id])
        #expect(!work.hasTask(id) && work.followUp(of: id) == .loss)
        // A removal that follows has forgotten the entry when the code ends.
        work.forgetFollowUp(of: id)
        #expect(work.isLost(id) && !work.remains(id))
        #expect(work.hasTask(other) && work.followUp(of: other) == .removal)
    }

    /// Several calls may add the same request to a shared store, and one of them may fail.
    @Test func anEntryIsReportedOnceByTheCallsThatAddIt() {
        var work = EntryWork()
        var reported: [String?] = []
        for _ in 0..<3 { work.beginAdding(QueuedRequest(HTTPRequest(.post, "/1"), id: id)) }
        for _ in 0..<3 {
            work.endAdding(id)
            reported.append(work.takeUnreported(id)?.endpoint)
        }
        #expect(reported == ["/1", nil, nil])
        let isBeingAdded = work.isBeingAdded(id)
        #expect(!isBeingAdded)
    }

    @Test func onlyAnEntryThatIsBeingAddedIsKnownToHaveLeft() {
        var work = EntryWork()
        var hasLeft: [Bool] = []
        work.forgetFollowUp(of: id)
        hasLeft.append(work.hasLeft(id))
        work.beginAdding(QueuedRequest(HTTPRequest(.post, "/1"), id: id))
        work.forgetFollowUp(of: id)
        hasLeft.append(work.hasLeft(id))
        work.endAdding(id)
        hasLeft.append(work.hasLeft(id))
        #expect(hasLeft == [false, true, false])
    }
}
