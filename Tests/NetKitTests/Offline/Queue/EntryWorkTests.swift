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
        #expect(work.sequel(of: id) == .nothing && work.isKept(id))
        work.lose(id)
        work.removeLater(id)
        #expect(work.sequel(of: id) == .removal && !work.isKept(id))
        work.noteRemoved(id)
        #expect(work.sequel(of: id) == .loss && !work.isKept(id))
        work.forgetSequel(of: id)
        #expect(work.sequel(of: id) == .nothing && work.isKept(id))
    }

    @Test func onlyADecisionOutlivesTheLossOfItsShard() {
        let purposes: [EntryWork.Purpose] = [.sending, .expiring, .deciding]
        for purpose in purposes {
            var work = EntryWork()
            work.begin(id, as: purpose, task)
            #expect((work.loseShard(of: id) == nil) == (purpose == .deciding))
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
        #expect(work.goesOn(without: []) == nil)
        work.note(id, isStalled: true)
        #expect(work.goesOn(without: []) == nil)
        work.begin(id, as: .sending, task)
        work.note(id, isStalled: true)
        #expect(work.goesOn(without: []) == false)
        #expect(work.goesOn(without: [id]) == nil)
        work.begin(other, as: .sending, task)
        #expect(work.goesOn(without: []) == true)
        #expect(work.stalledTasks.count == 1)
    }

    /// Another queue may have the store when foreign code ends, so nothing follows from it then but the loss.
    @Test func abandonedEntriesAreLostAndTheirRemovalsAreDue() {
        var work = EntryWork()
        for id in [id, other] {
            work.begin(id, as: .sending, task)
            work.removeLater(id)
        }
        work.note(id, isForeign: true)
        #expect(work.abandonForeignCode() == [id])
        #expect(!work.hasTask(id) && work.sequel(of: id) == .loss)
        // A removal that follows has forgotten the entry when the code ends.
        work.forgetSequel(of: id)
        #expect(work.isLost(id) && !work.isKept(id))
        #expect(work.hasTask(other) && work.sequel(of: other) == .removal)
    }
}
