import Foundation
import Testing

@testable import NetKit

struct CalendarDayTests {
    @Test(arguments: [
        (0, 1970, 1, 1), (-1, 1969, 12, 31), (59, 1970, 3, 1), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1),
        (-25_509, 1900, 2, 28), (-25_508, 1900, 3, 1), (-719_468, 0, 3, 1), (-719_469, 0, 2, 29),
        (-719_528, 0, 1, 1), (-719_529, -1, 12, 31), (2_932_896, 9999, 12, 31),
    ])
    func namesKnownDays(_ number: Int, _ year: Int, _ month: Int, _ day: Int) {
        let expected = CalendarDay(year: year, month: month, day: day)
        #expect(CalendarDay(daysSinceEpoch: number) == expected)
        #expect(expected.daysSinceEpoch == number)
    }

    /// Every day of twelve centuries around the epoch: each is the one after the day before, and gives its number back.
    @Test func walksFromDayToDayWithoutAGap() {
        var previous = CalendarDay(daysSinceEpoch: -219_147)
        var broken: [Int] = []
        for number in -219_146...219_146 {
            let day = CalendarDay(daysSinceEpoch: number)
            if day.daysSinceEpoch != number || day != Self.dayAfter(previous) { broken.append(number) }
            previous = day
        }
        #expect(broken.isEmpty)
    }

    @Test(arguments: [
        (1970, 2, 28), (1972, 2, 29), (1900, 2, 28), (2000, 2, 29), (2100, 2, 28), (0, 2, 29), (2023, 1, 31),
        (2023, 4, 30), (2023, 6, 30), (2023, 9, 30), (2023, 11, 30), (2023, 12, 31),
    ])
    func knowsTheLengthOfAMonth(_ year: Int, _ month: Int, _ days: Int) {
        #expect(CalendarDay.daysIn(month: month, year: year) == days)
    }

    @Test(
        arguments: [
            (0, 1970), (-0.5, 1969), (86_399.9, 1970), (.nan, 1970), (.infinity, 2_739_877), (-.infinity, -2_735_938),
        ] as [(Double, Int)]
    )
    func takesAnyDate(_ seconds: Double, _ year: Int) {
        #expect(CalendarDay(date: Date(timeIntervalSince1970: seconds)).year == year)
    }

    @Test(arguments: [(7, 7, 1, 0), (6, 7, 0, 6), (0, 7, 0, 0), (-1, 7, -1, 6), (-7, 7, -1, 0), (-8, 7, -2, 6)])
    func dividesTowardMinusInfinity(_ number: Int, _ divisor: Int, _ quotient: Int, _ remainder: Int) {
        #expect(number.flooredDivision(by: divisor) == quotient)
        #expect(number.modulo(divisor) == remainder)
    }

    private static func dayAfter(_ day: CalendarDay) -> CalendarDay {
        if day.day < CalendarDay.daysIn(month: day.month, year: day.year) {
            return CalendarDay(year: day.year, month: day.month, day: day.day + 1)
        }
        return day.month < 12
            ? CalendarDay(year: day.year, month: day.month + 1, day: 1)
            : CalendarDay(year: day.year + 1, month: 1, day: 1)
    }
}
