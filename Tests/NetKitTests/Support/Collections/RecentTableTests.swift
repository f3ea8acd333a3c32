import NetKitTesting
import Testing

@testable import NetKit

struct RecentTableTests {
    @Test func keepsAddedValues() {
        var table = RecentTable<String, Int>(maxCount: 4)
        let first = table.withValue(of: "a", default: 7) { $0 }
        table.withValue(of: "a", default: 0) { $0 += 1 }
        #expect(first == 7)
        #expect(table["a"] == 8)
        #expect(table["b"] == nil)
        #expect(table.count == 1)
    }

    @Test func theLeastRecentlyUsedMakesRoom() {
        var table = RecentTable<Int, Int>(maxCount: 3)
        for key in [1, 2, 3, 1, 4] { table.withValue(of: key, default: key) { _ in } }
        #expect(table.keys == [4, 1, 3])
        #expect(table[2] == nil)
    }

    @Test func lookingWithoutUsingChangesNoOrder() {
        var table = RecentTable<Int, Int>(maxCount: 2)
        for key in [1, 2] { table.withValue(of: key, default: key) { _ in } }
        #expect(table[1] == 1)
        #expect(table.withExistingValue(of: 1) { $0 += 10 } != nil)
        #expect(table.withExistingValue(of: 9) { $0 += 10 } == nil)
        #expect(table.keys == [2, 1])
        #expect(table[1] == 11)
    }

    @Test(arguments: [-5, 0, 1])
    func oneEntryIsTheLeast(maxCount: Int) {
        var table = RecentTable<Int, Int>(maxCount: maxCount)
        for key in 1...3 { table.withValue(of: key, default: key) { _ in } }
        #expect(table.keys == [3])
    }

    @Test func aRemovedEntryLeavesNoGap() {
        var table = RecentTable<Int, String>(maxCount: 3)
        for key in 1...3 { table.withValue(of: key, default: "\(key)") { _ in } }
        #expect(table.remove(1) == "1")
        #expect(table.remove(1) == nil)
        #expect(table.keys == [3, 2])
        for key in 4...5 { table.withValue(of: key, default: "\(key)") { _ in } }
        #expect(table.keys == [5, 4, 3])
        for key in 3...5 { #expect(table.remove(key) == "\(key)") }
        #expect(table.keys == [])
    }

    @Test(arguments: [1, 2, 3, 17] as [UInt64])
    func behavesAsASlowListDoes(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        let maxCount = Int.random(in: 1...9, using: &random)
        var table = RecentTable<Int, Int>(maxCount: maxCount)
        var list: [(key: Int, value: Int)] = []  // most recently used first
        for step in 0..<2000 {
            let key = Int.random(in: 0..<14, using: &random)
            let known = list.firstIndex { $0.key == key }
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                #expect(table.remove(key) == known.map { list.remove(at: $0).value })
            case 1:
                #expect(table[key] == known.map { list[$0].value })
            default:
                let value = known.map { list.remove(at: $0).value } ?? step
                if list.count == maxCount { list.removeLast() }
                list.insert((key, value + 1), at: 0)
                let seen = table.withValue(of: key, default: step) { value in
                    defer { value += 1 }
                    return value
                }
                #expect(seen == value)
            }
            #expect(table.count == list.count)
        }
        #expect(table.keys == list.map(\.key))
    }
}
