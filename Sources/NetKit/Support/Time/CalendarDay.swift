import Foundation

/// A day of the Gregorian calendar and its number, without a calendar object.
struct CalendarDay: Equatable {
    var year: Int
    var month: Int
    var day: Int

    init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

    init(date: Date) {
        let days = (date.timeIntervalSince1970 / 86_400).rounded(.down)
        // The limits are about the years ±2,700,000.
        self.init(daysSinceEpoch: days.isNaN ? 0 : Int(min(max(days, -1e9), 1e9)))
    }

    /// Creates a day from a number of days since 1970.
    ///
    /// The algorithm is Howard Hinnant's `civil_from_days`, with eras of 400 years that begin on March 1.
    init(daysSinceEpoch: Int) {
        let shifted = daysSinceEpoch + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSinceEpoch: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredDivision(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func daysIn(month: Int, year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Date {
    /// The seconds since 1970, limited to the years 0 to 9999, which a text with four digits can represent.
    var secondsInWrittenYears: Double {
        let seconds = timeIntervalSince1970
        return seconds.isNaN ? 0 : min(max(seconds, -62_167_219_200), 253_402_300_799)
    }
}

extension Int {
    /// The number with a zero before a single digit.
    var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }

    func flooredDivision(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    func modulo(_ divisor: Int) -> Int {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
