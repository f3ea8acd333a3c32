import NetKitTesting
import Testing

@testable import NetKit

struct RankedHeapTests {
    @Test func theLowestRankComesFirst() {
        var heap = RankedHeap<String, Int, Int>()
        for (name, rank) in [("c", 3), ("a", 1), ("d", 4), ("b", 2)] { heap.insert(name, rank: rank, rank * 10) }
        #expect(heap.firstRank == 1)
        #expect(heap.count == 4)
        #expect((0..<4).map { _ in heap.popFirst()?.member } == [10, 20, 30, 40])
        #expect(heap.popFirst() == nil)
        #expect(heap.isEmpty)
    }

    @Test func anyMemberCanLeave() {
        var heap = RankedHeap<Int, Int, Int>()
        for name in 0..<10 { heap.insert(name, rank: name, name) }
        #expect(heap.remove(0) == 0)
        #expect(heap.remove(9) == 9)
        #expect(heap.remove(5) == 5)
        #expect(heap.remove(5) == nil)
        #expect((0..<7).compactMap { _ in heap.popFirst()?.name } == [1, 2, 3, 4, 6, 7, 8])
    }

    @Test func returnsTheRankOfAMember() {
        var heap = RankedHeap<String, Int, Void>()
        for (name, rank) in [("c", 3), ("a", 1), ("d", 4), ("b", 2)] { heap.insert(name, rank: rank, ()) }
        #expect(heap.rank(of: "c") == 3)
        #expect(heap.count { $0 < 3 } == 2)
        heap.remove("a")
        #expect(heap.rank(of: "a") == nil)
        #expect(heap.rank(of: "d") == 4)
        #expect(heap.count { $0 < 3 } == 1)
    }

    @Test func namesComeWithTheNumberOfMembersBeforeThem() {
        var heap = RankedHeap<String, Int, Bool>()
        for (name, rank, isMatching) in [("c", 3, true), ("a", 1, false), ("d", 4, false), ("b", 2, true)] {
            heap.insert(name, rank: rank, isMatching)
        }
        let positions = heap.positions { $0 }
        #expect(positions.map(\.name) == ["b", "c"])
        #expect(positions.map(\.index) == [1, 2])
        #expect(heap.positions { _ in false }.isEmpty)
    }

    @Test func aSecondOfTheSameNameTakesThePlaceOfTheFirst() {
        var heap = RankedHeap<Int, Int, String>()
        heap.insert(1, rank: 5, "old")
        heap.insert(2, rank: 3, "other")
        heap.insert(1, rank: 1, "new")
        #expect(heap.count == 2)
        #expect(heap.popFirst()?.member == "new")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func behavesAsASortedListDoes(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        var heap = RankedHeap<Int, Int, Int>()
        var list: [Int: Int] = [:]
        for _ in 0..<3000 {
            let name = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: #expect((heap.remove(name) != nil) == (list.removeValue(forKey: name) != nil))
            case 1:
                let first = heap.popFirst()
                #expect(first.map(\.member) == list.values.min())
                if let name = first?.name { list.removeValue(forKey: name) }
            default:
                // Ranks are never equal, so that one of them is first.
                let rank = Int.random(in: 0..<1000, using: &random) * 100 + name
                heap.insert(name, rank: rank, rank)
                list[name] = rank
            }
            #expect(heap.count == list.count)
            #expect(heap.firstRank == list.values.min())
        }
    }
}
