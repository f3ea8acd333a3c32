import Foundation
import NetKit
import Testing

@testable import NetKitPostgres

struct OutboxFloorsTests {
    private func line(_ position: Int64, shard: Int) -> OfflineLine {
        var entry = OfflineEntry(
            id: UUID(),
            position: position,
            lane: "lane",
            priority: 0,
            timestamp: Date(timeIntervalSince1970: 0),
            byteCount: 1
        )
        entry.shard = shard
        return OfflineLine(entry: entry)
    }

    private func at(_ oldest: Int64, _ next: Int64) -> OutboxFloors.Transactions {
        OutboxFloors.Transactions(oldest: oldest, next: next)
    }

    @Test func aFloorHoldsWhenTheTransactionsBeforeItAreOver() {
        var floors = OutboxFloors()
        floors.takeAll([line(50, shard: 1), line(60, shard: 1)], of: [1, 2], at: at(90, 100))
        #expect(floors.floor(of: 1) == 0)
        // One that ran at the first listing can still add an entry.
        floors.takeAll([line(60, shard: 1)], of: [1, 2], at: at(99, 110))
        #expect(floors.floor(of: 1) == 0)
        floors.takeAll([line(60, shard: 1)], of: [1, 2], at: at(100, 120))
        #expect(floors.floor(of: 1) == 50)
        // No position was known when the second shard was found to be empty.
        #expect(floors.floor(of: 2) == 0)
        floors.takeSome([line(80, shard: 1)])
        floors.takeAll([], of: [1, 2], at: at(120, 130))
        #expect(floors.floor(of: 1) == 60)
        #expect(floors.floor(of: 2) == 60)
        floors.takeAll([], of: [1, 2], at: at(130, 140))
        #expect(floors.floor(of: 1) == 80)
    }

    @Test func anEntryBelowTheFloorLowersIt() {
        var floors = OutboxFloors()
        floors.takeAll([line(50, shard: 1)], of: [1], at: at(10, 10))
        floors.takeAll([line(50, shard: 1)], of: [1], at: at(10, 10))
        #expect(floors.floor(of: 1) == 50)
        floors.takeAll([line(7, shard: 1), line(50, shard: 1)], of: [1], at: at(10, 20))
        #expect(floors.floor(of: 1) == 7)
        floors.takeAll([line(6, shard: 1)], of: [1], at: at(15, 21))
        #expect(floors.floor(of: 1) == 6)
    }

    @Test func forgetsShardsAndWhatAnEarlierServerSaid() {
        func known() -> OutboxFloors {
            var floors = OutboxFloors()
            for _ in 0..<2 {
                floors.takeAll([line(50, shard: 1), line(51, shard: 2)], of: [1, 2], at: at(10, 10))
            }
            return floors
        }
        var floors = known()
        floors.forget([1])
        #expect([1, 2].map(floors.floor) == [0, 51])
        // The listing began before the entry came back, so nothing follows from it.
        floors.takeAll([line(51, shard: 2)], of: [1, 2], at: at(10, 11))
        #expect([1, 2].map(floors.floor) == [0, 51])
        // A shard of another process.
        floors = known()
        floors.takeAll([line(51, shard: 2)], of: [2], at: at(10, 11))
        #expect([1, 2].map(floors.floor) == [0, 51])
        // A server with fewer transactions than before.
        floors = known()
        floors.takeAll([line(9, shard: 1)], of: [1, 2], at: at(8, 9))
        #expect([1, 2].map(floors.floor) == [0, 0])
    }

    @Test(arguments: [
        ("12:15:12,13", OutboxFloors.Transactions(oldest: 12, next: 15)), ("12:12:", .init(oldest: 12, next: 12)),
        ("12", nil), ("", nil), ("a:b:", nil),
    ])
    func readsSnapshots(text: String, transactions: OutboxFloors.Transactions?) {
        #expect(OutboxFloors.Transactions(text) == transactions)
    }
}
