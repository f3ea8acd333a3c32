import Foundation
import NetKit
import Testing

@testable import NetKitPostgres

struct OutboxFloorsTests {
    private func line(_ position: Int64, shard: Int) -> OfflineListedEntry {
        var entry = OfflineEntry(
            id: UUID(),
            position: position,
            lane: "lane",
            priority: 0,
            timestamp: Date(timeIntervalSince1970: 0),
            byteCount: 1
        )
        entry.shard = shard
        return OfflineListedEntry(entry: entry)
    }

    private func at(_ oldest: Int64, _ next: Int64) -> OutboxFloors.Transactions {
        OutboxFloors.Transactions(oldest: oldest, next: next)
    }

    @Test func aFloorHoldsWhenTheTransactionsBeforeItAreOver() {
        var floors = OutboxFloors()
        floors.merge([line(50, shard: 1), line(60, shard: 1)], of: [1, 2], at: at(90, 100), since: floors)
        #expect(floors.floor(of: 1) == 0)
        // One that ran at the first listing can still add an entry.
        floors.merge([line(60, shard: 1)], of: [1, 2], at: at(99, 110), since: floors)
        #expect(floors.floor(of: 1) == 0)
        floors.merge([line(60, shard: 1)], of: [1, 2], at: at(100, 120), since: floors)
        #expect(floors.floor(of: 1) == 50)
        // No position was known when the second shard was found to be empty.
        #expect(floors.floor(of: 2) == 0)
        floors.merge([line(80, shard: 1)], of: [1], at: at(120, 120), since: floors)
        #expect(floors.floor(of: 1) == 60)
        floors.merge([], of: [1, 2], at: at(120, 130), since: floors)
        #expect([1, 2].map(floors.floor) == [80, 60])
    }

    @Test func anEntryBelowTheFloorLowersIt() {
        var floors = OutboxFloors()
        for _ in 0..<2 { floors.merge([line(50, shard: 1)], of: [1], at: at(10, 10), since: floors) }
        #expect(floors.floor(of: 1) == 50)
        floors.merge([line(7, shard: 1), line(50, shard: 1)], of: [1], at: at(10, 20), since: floors)
        #expect(floors.floor(of: 1) == 7)
        floors.merge([line(6, shard: 1)], of: [1], at: at(15, 21), since: floors)
        #expect(floors.floor(of: 1) == 6)
    }

    @Test func forgetsTheFloorsOfAnEarlierServer() {
        var floors = OutboxFloors()
        for _ in 0..<2 { floors.merge([line(50, shard: 1)], of: [1], at: at(10, 10), since: floors) }
        // It has had fewer transactions than before.
        floors.merge([line(9, shard: 1)], of: [1], at: at(8, 9), since: floors)
        #expect(floors.floor(of: 1) == 0)
    }

    @Test func listsEachShardFromTheBeginningInItsTurn() {
        var floors = OutboxFloors()
        let shards = Array(0..<24)
        for _ in 0..<2 { floors.merge(shards.map { line(50, shard: $0) }, of: shards, at: at(10, 10), since: floors) }
        var counts = [Int](repeating: 0, count: 24)
        for _ in 0..<12 {
            let sight = floors.forAll()
            for shard in shards where sight.floor(of: shard) == 0 { counts[shard] += 1 }
            floors.merge(shards.map { line(50, shard: $0) }, of: shards, at: at(10, 10), since: sight)
        }
        #expect(counts == [Int](repeating: 1, count: 24))
        #expect(shards.allSatisfy { floors.floor(of: $0) == 50 })
    }

    @Test func nothingFollowsFromAListingThatOverlapsAChange() {
        var floors = OutboxFloors()
        floors.merge([line(50, shard: 1)], of: [1], at: at(10, 10), since: floors)
        let before = floors
        floors.reset()
        floors.merge([line(50, shard: 1)], of: [1], at: at(10, 10), since: before)
        #expect(floors.floor(of: 1) == 0)
        floors.merge([line(50, shard: 1)], of: [1], at: at(10, 10), since: floors)
        // Two listings at the same time.
        let (first, second) = (floors, floors)
        floors.merge([line(60, shard: 1)], of: [1], at: at(10, 11), since: first)
        floors.merge([line(70, shard: 1)], of: [1], at: at(11, 12), since: second)
        #expect(floors.floor(of: 1) == 50)
        floors.reset()
        #expect(floors.floor(of: 1) == 0)
    }
}
