import Foundation
import NetKit
import NetKitTesting
import Testing

@testable import NetKitPostgres

@Suite(.timeLimit(.minutes(5)))
struct OutboxNoticeTests {
    @Test(arguments: [
        ("orders 7", OutboxNotice.work([7])),
        ("orders 7,8,300", .work([7, 8, 300])),
        ("orders free abc", .free(replica: "abc")),
        ("orders", nil), ("orders ", nil), ("orders x", nil), ("ordersx 7", nil), ("mails 7", nil), ("", nil),
        ("orders 7 8", nil),
    ])
    func readsPayloads(payload: String, notice: OutboxNotice?) {
        #expect(OutboxNotice(payload, queue: "orders") == notice)
    }

    @Test func writesPayloadsOfBoundedLength() {
        let payloads = OutboxNotice.payloads(queue: "two words", work: Set(0..<4096))
        #expect(payloads.allSatisfy { $0.utf8.count < 7900 })
        var shards: Set<Int> = []
        for payload in payloads {
            if case .work(let part)? = OutboxNotice(payload, queue: "two words") { shards.formUnion(part) }
        }
        #expect(shards == Set(0..<4096))
    }

    @Test func tellsAtOnceAndThenGathers() async throws {
        let clock = TestClock()
        let (stream, continuation) = AsyncStream.makeStream(of: Set<Int>.self)
        let throttle = NoticeThrottle(interval: .milliseconds(50), clock: clock.clock) { continuation.yield($0) }
        var told = stream.makeAsyncIterator()
        throttle.announce([])
        throttle.announce([1])
        #expect(await told.next() == [1])
        throttle.announce([2])
        throttle.announce([3, 2])
        await clock.waitForAlarms(1)
        clock.advance(by: .milliseconds(50))
        #expect(await told.next() == [2, 3])
    }

    @Test func countsOnlyNearTheBounds() {
        let estimate = OutboxEstimate()
        #expect(estimate.isOutdated(NetKitClock.Instant(nanoseconds: 0)))
        var tally = OfflineTally()
        tally.pendingCount = 80_000
        estimate.set(tally, at: NetKitClock.Instant(nanoseconds: 0))
        #expect(!estimate.isOutdated(NetKitClock.Instant(nanoseconds: 4_000_000_000)))
        #expect(estimate.isOutdated(NetKitClock.Instant(nanoseconds: 5_000_000_000)))
        let bounds = OfflineBounds(maxEntries: 100_000)
        #expect(!estimate.isNear(bounds, count: 1, bytes: 1))
        tally.pendingCount = 10_000
        estimate.add(tally)
        #expect(estimate.isNear(bounds, count: 1, bytes: 1))
        #expect(estimate.isNear(OfflineBounds(maxBytes: 10 << 20), count: 1, bytes: 1))
        let cases = [(0, 1, true), (0, 100, false), (89, 100, false), (90, 100, true), (90, 0, true)]
        for (count, most, isNear) in cases {
            tally.deadLetterCount = count
            estimate.set(tally, at: NetKitClock.Instant(nanoseconds: 0))
            let bounds = OfflineBounds(maxDeadLetters: most)
            #expect(estimate.isNear(bounds, count: 1, bytes: 1) == isNear, "\(count) of \(most)")
        }
        #expect(OfflineBounds().isUnbounded)
    }

    /// An outage that follows lets the spill folder take as many entries as this leaves.
    @Test func countsOnlyEntriesThatWereAdded() async throws {
        let (form, date) = (OutboxForm(seal: nil), Date(timeIntervalSince1970: 1_800_000_000))
        let request = QueuedRequest(HTTPRequest(.post, "/"))
        var items: [OutboxItem] = []
        for size in [10, 20, 30, 40] {
            let addition = OfflineAddition(request: request, byteCount: size)
            items.append(try await OutboxItem(addition, within: OfflineBounds(), form, at: date))
        }
        let waiting = OfflineEntry(request, position: 1, byteCount: 7)
        var dead = waiting
        dead.state = .deadLetter
        let outcomes: [OutboxItem.Outcome] = [
            .added(position: 5, replaced: [waiting], dropped: [dead]), .kept(waiting.id), .full,
            .added(position: 6, replaced: [], dropped: []),
        ]
        let difference = OutboxItem.difference(of: items, outcomes)
        #expect(difference.pendingCount == 1)
        #expect(difference.deadLetterCount == -1)
        #expect(difference.byteCount == 10 + 40 - 7 - 7)
    }
}
