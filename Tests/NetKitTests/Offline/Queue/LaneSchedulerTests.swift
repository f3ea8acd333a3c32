import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct LaneSchedulerTests {
    private static let now = at(1000)

    private static func at(_ seconds: Double) -> NetKitClock.Instant {
        NetKitClock.Instant(nanoseconds: Int64(seconds * 1e9))
    }

    private func entry(
        _ position: Int64,
        lane: String = "a",
        priority: Int = 0,
        notBefore: Double? = nil,
        expiresAt: Double? = nil
    ) -> OfflineListedEntry {
        let request = QueuedRequest.post("/\(position)", lane: lane)
        var entry = OfflineEntry(request, position: position, byteCount: 10)
        entry.priority = priority
        return OfflineListedEntry(
            entry: entry,
            wait: notBefore.map { Self.now.duration(to: Self.at($0)) },
            timeLeft: expiresAt.map { Self.now.duration(to: Self.at($0)) }
        )
    }

    private func book(_ lines: [OfflineListedEntry], _ options: [String: LaneOptions] = [:]) -> LaneScheduler {
        var book = LaneScheduler(options: options)
        book.merge(lines, now: Self.now)
        return book
    }

    /// Sends every entry that may be sent, each to its end, and returns the places in the order in which they were
    /// sent.
    private func drain(_ book: inout LaneScheduler, at now: NetKitClock.Instant = now) -> [Int64] {
        var order: [Int64] = []
        while case .send(let id) = book.next(now: now, isSending: true) {
            order.append(book[id]?.entry.position ?? -1)
            book.forget(id)
        }
        return order
    }

    @Test func aLaneIsInOrder() {
        var book = book([entry(3), entry(1), entry(2)])
        #expect(drain(&book) == [1, 2, 3])
        #expect(book.count == 0)
    }

    /// Its expiry may have to wait for those of others.
    @Test func anEntryThatIsToExpireIsNotSent() {
        let lines = [entry(1, expiresAt: 1001), entry(2), entry(3, lane: "b")]
        var book = book(lines)
        let (now, ids) = (Self.at(1001), lines.map(\.entry.id))
        #expect(book.next(now: now, isSending: true, isExpiring: false) == .send(ids[2]))
        #expect(book.next(now: now, isSending: true, isExpiring: false) == .wait(until: nil))
        #expect(book.next(now: now, isSending: true) == .expire(ids[0]))
        book.forget(ids[0])
        #expect(drain(&book, at: now) == [2])
    }

    @Test(arguments: [nil, CredentialIdentity("ada", isLasting: false)])
    func anEntryThatWasListedBeforeItIsAddedIsThereOnce(identity: CredentialIdentity?) {
        let line = entry(1)
        var book = book([line, entry(2)])
        book.add(line.entry, under: identity, now: Self.now)
        #expect(book.identities.temporaryCount == (identity == nil ? 0 : 1))
        #expect(drain(&book) == [1, 2])
        #expect(book.identities.isEmpty == true)
    }

    /// Its identifier may be used again, for an entry of no identity.
    @Test(arguments: [false, true])
    func theTemporaryNameOfAnIdentityIsForgottenWithItsEntry(isGone: Bool) {
        let entry = entry(1).entry
        var book = LaneScheduler()
        book.add(entry, under: CredentialIdentity("ada", isLasting: false), now: Self.now)
        #expect(book.identity(of: entry)?.name == "ada")
        if isGone {
            let change = book.beginListing()
            book.merge([OfflineListedEntry](), since: change, now: Self.now)
            book.endListing()
        } else {
            book.forget(entry.id)
        }
        book.add(entry, now: Self.now)
        #expect(book.identity(of: entry) == nil)
        #expect(book.identities.isEmpty == true)
    }

    @Test func noEntryOvertakesTheOneBeingSent() {
        var book = book([entry(1), entry(2), entry(3, lane: "b")])
        guard case .send(let first) = book.next(now: Self.now, isSending: true) else {
            Issue.record("no entry is sent")
            return
        }
        book.set(first, isBusy: true)
        guard case .send(let second) = book.next(now: Self.now, isSending: true) else {
            Issue.record("no second entry is sent")
            return
        }
        #expect(book[second]?.entry.lane == "b")
        book.set(second, isBusy: true)
        #expect(book.next(now: Self.now, isSending: true) == .wait(until: nil))
        book.forget(first)
        #expect(drain(&book) == [2])
    }

    /// A dead letter that is retried is the first of its lane again.
    @Test(arguments: [false, true])
    func anEarlierEntryThatComesBackWaitsForTheOneBeingSent(isDelivered: Bool) {
        var letter = entry(1)
        letter.entry.state = .deadLetter
        var book = book([letter, entry(2), entry(3)])
        guard case .send(let second) = book.next(now: Self.now, isSending: true) else {
            Issue.record("nothing is sent")
            return
        }
        book.set(second, isBusy: true)
        letter.entry.state = .waiting
        book.set(letter.entry.id, letter.entry, LaneScheduler.Times())
        #expect(book.next(now: Self.now, isSending: true) == .wait(until: nil))
        if isDelivered { book.forget(second) } else { book.set(second, isBusy: false) }
        #expect(drain(&book) == (isDelivered ? [1, 3] : [1, 2, 3]))
    }

    @Test func thePriorityOfItsFirstEntryIsTheLanes() {
        var book = book([
            entry(1, lane: "low"), entry(2, lane: "high", priority: 5), entry(3, lane: "low", priority: 9),
            entry(4, lane: "high"),
        ])
        #expect(drain(&book) == [2, 1, 3, 4])
    }

    @Test func aPostponedEntryHoldsItsLaneUpAndNoOther() {
        var book = book([entry(1, notBefore: 1010), entry(2), entry(3, lane: "b")])
        #expect(drain(&book) == [3])
        #expect(book.next(now: Self.now, isSending: true) == .wait(until: Self.at(1010)))
        #expect(drain(&book, at: Self.at(1010)) == [1, 2])
    }

    /// The store has the wait until another one is stored.
    @Test func aWaitThatEndedEarlyDoesNotReturnWithAListing() throws {
        let line = entry(1, notBefore: 1010)
        let id = line.entry.id
        var book = book([line])
        func list(at now: NetKitClock.Instant) {
            let change = book.beginListing()
            book.merge([line], since: change, now: now)
            book.endListing()
        }
        #expect(book.next(now: Self.now, isSending: true) == .wait(until: Self.at(1010)))
        book.forgetWait(id)
        // It is put back without an attempt, for a time that is not stored.
        var times = try #require(book[id]).times
        times.wait(until: Self.at(1005))
        book.set(id, line.entry, times)
        list(at: Self.now)
        #expect(book.next(now: Self.now, isSending: true) == .wait(until: Self.at(1005)))
        #expect(book.next(now: Self.at(1005), isSending: true) == .send(id))
        times.nextAttempt = Self.at(1020)
        book.set(id, line.entry, times)
        list(at: Self.at(1005))
        #expect(book.next(now: Self.at(1005), isSending: true) == .wait(until: Self.at(1015)))
    }

    /// A random strategy makes the next wait from it, and a database does not return it.
    @Test(arguments: [false, true]) func aListingKeepsTheLastWaitUnlessTheEntryBeginsAgain(begins: Bool) {
        var line = entry(1)
        line.entry.failingFor = begins ? nil : .zero
        let id = line.entry.id
        var book = book([line])
        var postponed = line.entry
        postponed.postponedFor = .seconds(9)
        book.set(id, postponed, LaneScheduler.Times())
        let change = book.beginListing()
        book.merge([line], since: change, now: Self.now)
        book.endListing()
        #expect(book[id]?.entry.postponedFor == (begins ? nil : .seconds(9)))
    }

    /// The wait of an update before it was shorter.
    @Test func aTimeThatIsSetReplacesTheLastWait() {
        let date = Date(timeIntervalSince1970: 1000)
        var update = OfflineUpdate(entry(1).entry)
        update.wait = .seconds(5)
        var entry = entry(1).entry.updated(by: update, at: date)
        entry.notBefore = date.addingTimeInterval(60)
        #expect(OfflineListedEntry(entry, at: date).wait == .seconds(60))
    }

    /// The store has more entries of a lane than are listed, and all listed ones wait for an identity.
    @Test func aLaneHidesEntriesWhileAllThatAreListedAreHeld() {
        var lines = [entry(1), entry(2), entry(3, lane: "b")]
        for index in 0..<2 { lines[index].entry.identity = "ada" }
        var book = LaneScheduler()
        book.merge(lines, depth: 2, now: Self.now)
        #expect(book.hasLaneWithOnlyHeldEntries == false)
        book.compareIdentities(with: [], at: Self.now)
        #expect(book.hasLaneWithOnlyHeldEntries == true)
        book.compareIdentities(with: [ExactText("ada")], at: Self.now)
        #expect(book.hasLaneWithOnlyHeldEntries == false)
        book.compareIdentities(with: [], at: Self.now)
        // One more entry of its lane, without an identity, can be sent.
        book.add(entry(4).entry, now: Self.now)
        #expect(book.hasLaneWithOnlyHeldEntries == false)
        #expect(drain(&book) == [3, 4])
        #expect(book.hasLaneWithOnlyHeldEntries == true)
        for line in lines.prefix(2) {
            book.set(line.entry.id, line.entry.updated(to: .deadLetter), LaneScheduler.Times())
        }
        #expect(book.hasLaneWithOnlyHeldEntries == false)
        // A listing that is complete hides nothing.
        book.merge(lines, depth: 3, now: Self.now)
        #expect(book.hasLaneWithOnlyHeldEntries == false)
    }

    @Test func entriesOfSeveralIdentitiesBeginToWaitInTheirOrder() {
        var lines = (1...6).map { entry($0) }
        for index in lines.indices { lines[index].entry.identity = index.isMultiple(of: 2) ? "ada" : "bob" }
        var book = book(lines)
        book.compareIdentities(with: [], at: Self.now)
        #expect(book.takeNewlyHeld() == lines.map(\.entry.id))
        #expect(drain(&book).isEmpty)
        book.compareIdentities(with: [ExactText("bob")], at: Self.now)
        #expect(book.takeNewlyHeld().isEmpty)
        #expect(drain(&book) == [2, 4, 6])
    }

    /// Entries leave because of an event or a listing, and their identities do not come back.
    @Test(arguments: [false, true])
    func anIdentityThatIsMissingIsForgottenWithItsLastEntry(isListed: Bool) {
        var lines = (1...3).map { entry($0) }
        for index in lines.indices { lines[index].entry.identity = index < 2 ? "ada" : "bob" }
        var book = book(lines)
        book.compareIdentities(with: [], at: Self.now)
        #expect(book.identities.held.count == 2)
        for (number, count) in [(1, 2), (2, 1), (3, 0)] {
            if isListed {
                let change = book.beginListing()
                book.merge(lines[number...], since: change, now: Self.now)
                book.endListing()
            } else {
                book.forget(lines[number - 1].entry.id)
            }
            #expect(book.identities.held.count == count)
        }
        book.add(lines[0].entry, now: Self.now)
        book.compareIdentities(with: [], at: Self.now)
        #expect(book.identities.heldCount == 1)
        #expect(drain(&book).isEmpty)
    }

    @Test func aPausedLaneWaits() {
        var book = book([entry(1), entry(2, lane: "b")])
        book.pause("a", until: nil)
        #expect(drain(&book) == [2])
        #expect(book.isPaused("a", at: Self.now) == true)
        #expect(book.pausedLanes(at: Self.now) == ["a"])
        book.resume("a")
        #expect(drain(&book) == [1])
    }

    @Test func aPauseWithAnEndEnds() {
        var book = book([entry(1)])
        book.pause("a", until: Self.at(1005))
        #expect(book.next(now: Self.now, isSending: true) == .wait(until: Self.at(1005)))
        #expect(drain(&book, at: Self.at(1006)) == [1])
        #expect(book.pauseEnd(of: "a") == nil)
    }

    /// Its last entry is removed during the pause.
    @Test func aLaneWithoutEntriesIsForgottenAtTheEndOfItsPause() {
        let line = entry(1)
        var book = book([line])
        book.pause("a", until: Self.at(1005))
        book.forget(line.entry.id)
        #expect(book.next(now: Self.now, isSending: true) == .wait(until: Self.at(1005)))
        #expect(book.isPaused("a", at: Self.now) == true)
        #expect(book.next(now: Self.at(1005), isSending: true) == .wait(until: nil))
        #expect(book.lanes.isEmpty)
    }

    @Test(arguments: [false, true])
    func aDeadLetterBlocksItsLaneOnlyIfTheLaneIsConfiguredSo(blocks: Bool) {
        var dead = entry(1)
        dead.entry.state = .deadLetter
        var book = book([dead, entry(2)], ["a": LaneOptions(deadLettersBlock: blocks)])
        #expect(drain(&book) == (blocks ? [] : [2]))
        book.forget(dead.entry.id)
        #expect(drain(&book) == (blocks ? [2] : []))
    }

    @Test(arguments: [false, true])
    func noEntryOvertakesADeadLetterThatStopsItsLane(blocks: Bool) {
        var dead = entry(1)
        dead.entry.state = .deadLetter
        dead.entry.identity = "ada"
        let book = book([dead], ["a": LaneOptions(deadLettersBlock: blocks)])
        for identity in [nil, CredentialIdentity("ada"), CredentialIdentity("bob")] {
            #expect(book.hasPending(in: "a", for: identity) == blocks)
        }
    }

    /// The login of its identity has ended, and another entry of it waits.
    @Test(arguments: [false, true])
    func aDeadLetterStopsItsLaneForAllIdentities(isListed: Bool) {
        var lines = (1...3).map { entry($0) }
        for index in lines.indices { lines[index].entry.identity = index < 2 ? "ada" : "bob" }
        let dead = lines[0].entry.updated(to: .deadLetter)
        if isListed { lines[0].entry = dead }
        var book = book(lines, ["a": LaneOptions(deadLettersBlock: true)])
        book.set(dead.id, dead, LaneScheduler.Times())
        book.compareIdentities(with: [ExactText("bob")], at: Self.now)
        #expect(book.hasPending(in: "a", for: CredentialIdentity("eve")) == true)
        #expect(drain(&book).isEmpty)
        book.set(dead.id, dead.updated(to: .waiting), LaneScheduler.Times())
        book.compareIdentities(with: [ExactText("bob")], at: Self.now)
        #expect(book.hasPending(in: "a", for: CredentialIdentity("eve")) == false)
        #expect(drain(&book) == [3])
    }

    @Test func anEntryExpiresAtAnyPlaceInItsLane() {
        let second = entry(2, expiresAt: 1020)
        var book = book([entry(1, notBefore: 5000), second])
        #expect(book.next(now: Self.now, isSending: true) == .wait(until: Self.at(1020)))
        #expect(book.next(now: Self.at(1021), isSending: false) == .expire(second.entry.id))
    }

    @Test func theNextWakeUpIsAnExpiryWhileSendingIsImpossible() {
        var book = book([entry(1, notBefore: 1005), entry(2, lane: "b", expiresAt: 1020)])
        #expect(book.next(now: Self.now, isSending: false) == .wait(until: Self.at(1020)))
    }

    /// Compares with a simple model: after any changes, each lane is in order and the counts are right.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func behavesLikeAPlainModel(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        var book = LaneScheduler()
        var model: [(id: UUID, lane: String, position: Int64)] = []
        for number in 0..<3000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let lane = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
                let entry = entry(Int64(number), lane: lane).entry
                book.add(entry, now: Self.now)
                model.append((entry.id, lane, entry.position))
            case 2:
                guard !model.isEmpty else { continue }
                let gone = model.remove(at: Int.random(in: 0..<model.count, using: &random))
                book.forget(gone.id)
            default:
                guard case .send(let id) = book.next(now: Self.now, isSending: true) else {
                    #expect(model.isEmpty)
                    continue
                }
                let index = model.firstIndex { $0.id == id } ?? -1
                #expect(index >= 0 && !model[..<index].contains { $0.lane == model[index].lane })
                model.remove(at: index)
                book.forget(id)
            }
            #expect(book.count == model.count)
        }
    }
}

extension OfflineEntry {
    /// Returns the entry in another state.
    fileprivate func updated(to state: State) -> OfflineEntry {
        var entry = self
        entry.state = state
        return entry
    }
}
