import NetKitTesting
import Testing

@testable import NetKit

struct FlightTableTests {
    private typealias Table = FlightTable<Key, String, Int>

    /// A key whose group is the tens of its number.
    private struct Key: GroupedKey, ExpressibleByIntegerLiteral {
        let number: Int

        init(integerLiteral number: Int) { self.number = number }

        var group: Int { number / 10 }
    }

    @Test func onlyTheExchangesOfAGroupAreClosed() {
        var table = Table()
        let first = table.join(1, 10, starting: "a").ticket
        let second = table.join(2, 11, starting: "b").ticket
        _ = table.join(11, 12, starting: "c")
        table.close(0)
        #expect(table.join(1, 13, starting: "d").isFirst)
        #expect(table.join(2, 14, starting: "e").isFirst)
        #expect(!table.join(11, 15, starting: "f").isFirst)
        // The end of a closed exchange leaves the one that has begun since.
        #expect(table.land(first) == [10])
        #expect(!table.join(1, 16, starting: "g").isFirst)
        #expect(table.leave(second).member == 11)
        #expect(!table.join(2, 17, starting: "h").isFirst)
    }

    @Test func theFirstStartsAndTheOthersJoin() {
        var table = Table()
        let first = table.join(1, 10, starting: "a")
        let second = table.join(1, 11, starting: "b")
        #expect(first.isFirst && !second.isFirst)
        #expect(first.exchange == "a" && second.exchange == "a")
        #expect(table.join(2, 12, starting: "c").isFirst)
        #expect(table.count == 2)
        #expect(table.memberCount == 3)
        for member in 14..<40 { _ = table.join(1, member, starting: "a") }
        #expect(table.land(first.ticket) == [10, 11] + Array(14..<40))
        #expect(table.join(1, 13, starting: "d").isFirst)
    }

    @Test func onlyTheLastToLeaveEndsTheExchange() {
        var table = Table()
        let first = table.join(1, 10, starting: "a").ticket
        let second = table.join(1, 11, starting: "a").ticket
        #expect(table.attach(first, Task {}) == true)
        let left = table.leave(first)
        #expect(left.member == 10 && left.task == nil)
        #expect(table.leave(first).member == nil)
        let last = table.leave(second)
        #expect(last.member == 11 && last.task != nil)
        #expect(table.count == 0)
        #expect(table.land(first) == [])
    }

    @Test func anAbandonedExchangeKeepsNoTask() {
        var table = Table()
        let first = table.join(1, 10, starting: "a").ticket
        _ = table.leave(first)
        let next = table.join(1, 11, starting: "b")
        #expect(next.isFirst)
        #expect(table.attach(first, Task {}) == false)
        #expect(table.land(first) == [])
        #expect(table.leave(first).member == nil)
        #expect(table.land(next.ticket) == [11])
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func everyMemberIsResumedExactlyOnce(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        var table = Table()
        var waiting: [(member: Int, ticket: Table.Ticket)] = []
        var flights: [Table.Ticket] = []
        var resumed: [Int: Int] = [:]
        for member in 0..<3000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let number = Int.random(in: 0..<4, using: &random)
                let joined = table.join(Key(integerLiteral: number), member, starting: "x")
                waiting.append((member, joined.ticket))
                if joined.isFirst { flights.append(joined.ticket) }
            case 2:
                guard let index = waiting.indices.randomElement(using: &random) else { continue }
                let (member, ticket) = waiting[index]
                if let left = table.leave(ticket).member {
                    #expect(left == member)
                    resumed[left, default: 0] += 1
                }
            default:
                guard let index = flights.indices.randomElement(using: &random) else { continue }
                let ticket = flights.remove(at: index)
                for member in table.land(ticket) { resumed[member, default: 0] += 1 }
            }
        }
        for ticket in flights { for member in table.land(ticket) { resumed[member, default: 0] += 1 } }
        #expect(table.count == 0)
        #expect(resumed.count == waiting.count)
        #expect(resumed.values.allSatisfy { $0 == 1 })
    }
}
