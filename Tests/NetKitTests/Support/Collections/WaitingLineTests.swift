import Testing

@testable import NetKit

/// Tests of a line of waiting calls: its order, and the removal of calls that leave it.
struct WaitingLineTests {
    @Test func firstComeFirstServed() {
        var line = WaitingLine<String>()
        line.append(1, "a")
        line.append(2, "b")

        #expect(line.popFirst()?.member == "a")
        line.append(3, "c")
        #expect(line.popFirst()?.member == "b")
        #expect(line.popFirst()?.number == 3)
        #expect(line.popFirst() == nil)
    }

    @Test func aCallThatLeftIsNotServed() {
        var line = WaitingLine<String>()
        for number in 1...3 { line.append(number, "\(number)") }
        line.remove(1)
        line.remove(3)
        line.remove(9)

        #expect(line.count == 1)
        #expect(line.popFirst()?.number == 2)
        #expect(line.isEmpty)
    }

    @Test func cancelledWaitsAmongManyLeaveTheOrderOfTheOthers() {
        var line = WaitingLine<Int>()
        line.append(0, 0)
        for number in 1...1000 {
            line.append(number, number)
            if number % 100 != 0 { line.remove(number) }
        }

        var served: [Int] = []
        while let (number, _) = line.popFirst() { served.append(number) }
        #expect(served == [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000])
    }
}
