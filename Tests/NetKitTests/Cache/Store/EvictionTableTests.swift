import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct EvictionTableTests {
    private let secret = CacheHashKey(bytes: (0..<16).map { UInt8($0) }) ?? CacheHashKey()

    private func key(_ number: Int) -> CacheKey { CacheKey(["\(number)"], secret: secret) }

    @Test func staysWithinItsBounds() {
        var table = EvictionTable<Int>(maxCost: 100_000, maxEntries: 300)
        for number in 0..<5000 {
            _ = table.insert(key(number), number, cost: 100 + number % 700)
            #expect(table.cost <= 100_000 && table.count <= 300)
        }
        #expect(table.count > 50 && table.evictions > 4000)
    }

    @Test func usedEntriesSurviveAScan() {
        var table = EvictionTable<Int>(maxCost: .max / 8, maxEntries: 1000)
        for number in 0..<500 { _ = table.insert(key(number), number, cost: 1) }
        for _ in 0..<2 { for number in 0..<500 { _ = table.use(key(number)) } }
        for number in 10_000..<60_000 { _ = table.insert(key(number), number, cost: 1) }
        let kept = (0..<500).filter { table.peek(key($0)) != nil }.count
        #expect(kept > 450)
    }

    /// The reason for the table: evicting the least recently used entry finds 8 in 100 fewer on a Zipf trace.
    @Test func findsMoreOfAZipfTraceThanLeastRecentUse() {
        var random = RandomSource.seeded(1)
        var sums: [Double] = []
        for rank in 1...2000 { sums.append((sums.last ?? 0) + pow(Double(rank), -0.8)) }
        let total = sums.last ?? 0
        var table = EvictionTable<Int>(maxCost: .max / 8, maxEntries: 200)
        var recent = RecentTable<Int, Bool>(maxCount: 200)
        var (hits, recentHits) = (0, 0)
        for _ in 0..<20_000 {
            let point = Double.random(in: 0..<total, using: &random)
            let number = sums.partitioningIndex { $0 > point }
            if table.use(key(number)) != nil { hits += 1 } else { _ = table.insert(key(number), number, cost: 1) }
            recent.withValue(of: number, default: false) { isKnown in
                if isKnown { recentHits += 1 }
                isKnown = true
            }
        }
        #expect(hits > recentHits + 20_000 / 20)
    }

    @Test func aKeyThatComesBackIsKeptLonger() {
        var table = EvictionTable<Int>(maxCost: .max / 8, maxEntries: 100)
        for number in 0..<200 { _ = table.insert(key(number), number, cost: 1) }
        let gone = (0..<200).first { table.peek(key($0)) == nil } ?? 0
        _ = table.insert(key(gone), gone, cost: 1)
        for number in 1000..<1050 { _ = table.insert(key(number), number, cost: 1) }
        #expect(table.peek(key(gone)) == gone)
    }

    @Test func replacingCountsTheNewCost() {
        var table = EvictionTable<Int>(maxCost: 100_000, maxEntries: 10)
        _ = table.insert(key(1), 1, cost: 20_000)
        let before = table.cost
        #expect(table.insert(key(1), 2, cost: 10).map(\.value) == [1])
        #expect(table.cost == before - 19_990 && table.count == 1 && table.use(key(1)) == 2)
    }

    @Test func anEntryAboveTheBoundIsNotStored() {
        var table = EvictionTable<Int>(maxCost: 1000, maxEntries: 10)
        #expect(table.insert(key(1), 1, cost: 251).map(\.value) == [1])
        #expect(table.count == 0)
        #expect(table.insert(key(1), 1, cost: .max).map(\.value) == [1])
        var none = EvictionTable<Int>(maxCost: 1000, maxEntries: 0)
        #expect(none.insert(key(1), 1, cost: 1).count == 1)
    }

    /// Compares with a simple model: the table contains exactly the entries that were put there, and its sums are
    /// right.
    @Test func agreesWithAModel() {
        var random = RandomSource.seeded(7)
        var table = EvictionTable<Int>(maxCost: 60_000, maxEntries: 40)
        var model: [CacheKey: Int] = [:]
        for step in 0..<20_000 {
            let key = key(Int.random(in: 0..<120, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                for gone in table.insert(key, step, cost: Int.random(in: 0..<2000, using: &random)) {
                    model[gone.key] = nil
                }
                if table.peek(key) != nil { model[key] = step }
            case 5..<9: #expect(table.use(key) == model[key])
            default: #expect(table.remove(key) == model.removeValue(forKey: key))
            }
            #expect(table.count == model.count)
        }
        for (key, value) in model { #expect(table.remove(key) == value) }
        #expect(table.count == 0 && table.cost < 40 * GhostList.cost * 4)
    }
}

extension [Double] {
    /// The first index whose element fulfills a condition that all later ones fulfill as well.
    fileprivate func partitioningIndex(_ condition: (Double) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
