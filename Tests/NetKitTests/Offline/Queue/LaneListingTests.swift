import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Listings of a store that overlap, of which the one that began later counts.
struct LaneListingTests {
    private let now = NetKitClock.Instant(nanoseconds: 1_000_000_000)
    private let line = OfflineListedEntry(entry: OfflineEntry(.post("/1", lane: "a"), position: 1, byteCount: 10))

    /// Merges the lines and pauses of a listing of some shards, or of all.
    private func merge(
        _ lines: [OfflineListedEntry],
        _ pauses: [String: Duration?] = [:],
        of shards: Set<Int>? = nil,
        into book: inout LaneScheduler,
        since change: Int
    ) {
        book.merge(lines, of: shards, since: change, now: now)
        book.merge(pauses: pauses, of: shards, since: change, now: now)
        book.endListing()
    }

    /// Returns a scheduler after two listings that overlap, of which either ends first.
    private func book(
        _ first: [OfflineListedEntry] = [],
        early: [OfflineListedEntry],
        _ earlyPauses: [String: Duration?] = [:],
        late: [OfflineListedEntry],
        _ latePauses: [String: Duration?] = [:],
        of lateShards: Set<Int>? = nil,
        isLateFirst: Bool
    ) -> LaneScheduler {
        var book = LaneScheduler()
        book.merge(first, now: now)
        let (earlyChange, lateChange) = (book.beginListing(), book.beginListing())
        if isLateFirst { merge(late, latePauses, of: lateShards, into: &book, since: lateChange) }
        merge(early, earlyPauses, into: &book, since: earlyChange)
        if !isLateFirst { merge(late, latePauses, of: lateShards, into: &book, since: lateChange) }
        return book
    }

    /// Otherwise, a dead letter that was removed could hold up its lane.
    @Test(arguments: [false, true]) func anEntryThatALaterListingLacksIsGone(isLateFirst: Bool) {
        for first in [[], [line]] {
            for shards in [nil, [0] as Set] {
                let book = book(first, early: [line], late: [], of: shards, isLateFirst: isLateFirst)
                #expect(book.count == 0)
            }
        }
    }

    /// The later listing says nothing about the shard of the entry.
    @Test func aListingOfOtherShardsRemovesNothing() {
        let book = book(early: [line], late: [], of: [1], isLateFirst: true)
        #expect(book.count == 1)
    }

    /// If it fails, that says nothing about the store of now.
    @Test(
        arguments: [
            ([0], [nil], true), ([0], [[0]], true), ([0], [[1]], false), ([0, 1], [[1], [0]], true),
            ([0, 1], [[1]], false), (nil, [nil], true), (nil, [[0]], false),
        ] as [(Set<Int>?, [Set<Int>?], Bool)]
    )
    func aListingIsObsoleteOnceLaterOnesHaveItsShards(early: Set<Int>?, later: [Set<Int>?], isObsolete: Bool) {
        var book = LaneScheduler()
        let change = book.beginListing()
        for shards in later {
            let next = book.beginListing()
            merge([], of: shards, into: &book, since: next)
        }
        #expect(book.listingOrder.isObsolete(change, of: early) == isObsolete)
    }

    /// A listing that ends first already has the entry that is being added, but another lacks it.
    @Test func anEntryThatIsAddedStaysAfterListingsThatBeganBefore() {
        var book = LaneScheduler()
        let (early, late) = (book.beginListing(), book.beginListing())
        merge([line], into: &book, since: early)
        book.add(line.entry, now: now)
        merge([], into: &book, since: late)
        #expect(book.next(now: now, isSending: true) == .send(line.entry.id))
    }

    /// A store lists no dead letter that holds up no lane, but lists it again after it was retried.
    @Test(arguments: [false, true]) func anEntryThatAnEarlierListingLacksIsThere(isLateFirst: Bool) {
        var letter = line
        letter.entry.state = .deadLetter
        var book = book([letter], early: [], late: [line], isLateFirst: isLateFirst)
        #expect(book.next(now: now, isSending: true) == .send(line.entry.id))
    }

    /// Another process has made it due meanwhile.
    @Test(arguments: [false, true]) func aWaitIsThatOfTheLaterListing(isLateFirst: Bool) {
        var waiting = line
        waiting.wait = .seconds(60)
        for first in [[], [waiting]] {
            var book = book(first, early: [waiting], late: [line], isLateFirst: isLateFirst)
            #expect(book.next(now: now, isSending: true) == .send(line.entry.id))
        }
    }

    @Test(arguments: [false, true]) func aPauseIsThatOfTheLaterListing(isLateFirst: Bool) {
        let pauses: [[String: Duration?]] = [[:], ["a": .seconds(5)], ["a": nil]]
        // A lane can be paused without an entry.
        let contents: [([OfflineListedEntry], of: Set<Int>?)] = [([line], nil), ([line], [0]), ([], nil)]
        for (lines, shards) in contents {
            for early in pauses {
                for late in pauses {
                    let book = book(
                        lines,
                        early: lines,
                        early,
                        late: lines,
                        late,
                        of: shards,
                        isLateFirst: isLateFirst
                    )
                    let end = late["a"].map { $0.map { now.advanced(by: $0) } ?? .distantFuture }
                    #expect(book.pauseEnd(of: "a") == end, "\(lines.count) \(early) \(late)")
                }
            }
        }
    }

    /// A person has paused or resumed the lane here after the listing began.
    @Test(arguments: [false, true]) func aChangeCountsMoreThanTheListingsThatBeganBefore(isPaused: Bool) {
        var book = LaneScheduler()
        book.merge([line], now: now)
        let (early, late) = (book.beginListing(), book.beginListing())
        if isPaused { book.pause("a", until: nil) } else { book.resume("a") }
        for change in [early, late] { merge([line], isPaused ? [:] : ["a": nil], into: &book, since: change) }
        #expect(book.isPaused("a", at: now) == isPaused)
    }
}
