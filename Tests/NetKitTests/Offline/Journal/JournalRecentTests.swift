import Testing

@testable import NetKit

/// What a segment remembers of what was written to it.
struct JournalRecentTests {
    @Test func itGivesWhatIsWhollyInIt() {
        var recent = JournalRecent()
        recent.add([1, 2, 3], at: 10, limit: 100)
        recent.add([4, 5], at: 15, limit: 100)
        #expect(recent.bytes(10, 3) == [1, 2, 3])
        #expect(recent.bytes(12, 4) == [3, 0x20, 0x20, 4])
        #expect(recent.bytes(15, 2) == [4, 5])
        #expect(recent.bytes(16, 2) == nil)
        #expect(recent.bytes(9, 2) == nil)
        #expect(recent.bytes(17, 0) == [])
        #expect(recent.bytes(11, .max) == nil)
        #expect(recent.bytes(11, -1) == nil)
    }

    @Test(arguments: [0, 4, 12, 100_000])
    func itBeginsAnewWhereThePlaceDoesNotFollow(offset: Int) {
        var recent = JournalRecent()
        recent.add([1, 2, 3], at: 10, limit: 100)
        recent.add([7, 8], at: offset, limit: 100)
        #expect(recent.bytes(offset, 2) == [7, 8])
        #expect(recent.bytes(10, 3) == nil)
    }

    @Test func itForgetsTheOldest() {
        var recent = JournalRecent()
        for number in 0..<100 { recent.add([UInt8](repeating: UInt8(number), count: 10), at: number * 10, limit: 50) }
        #expect(recent.bytes(0, 10) == nil)
        #expect(recent.bytes(980, 20) == [UInt8](repeating: 98, count: 10) + [UInt8](repeating: 99, count: 10))
        let kept = (0..<1000).filter { recent.bytes($0, 1) != nil }.count
        #expect(kept >= 50 && kept <= 100)
    }
}
