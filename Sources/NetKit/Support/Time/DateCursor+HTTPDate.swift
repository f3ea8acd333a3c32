import Foundation

extension DateCursor {
    /// The parts of a date in UTC.
    struct Parts {
        var year = 0
        var month = 0
        var day = 0
        var hour = 0
        var minute = 0
        var second = 0

        /// Whether the parts are in range; second 60 is a leap second, which the grammars allow.
        var areInRange: Bool {
            hour < 24 && minute < 60 && second <= 60 && (1...12).contains(month)
                && (1...CalendarDay.daysIn(month: month, year: year)).contains(day)
        }

        var secondsSinceEpoch: Int {
            CalendarDay(year: year, month: month, day: day).daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second
        }
    }

    /// Reads any of the three date forms of HTTP; case and spacing have to match the grammar exactly.
    mutating func httpDate(now: Date) -> Parts? {
        guard let parts = readForm(now: now), isAtEnd, parts.areInRange else { return nil }
        return parts
    }

    private mutating func readForm(now: Date) -> Parts? {
        if skip(oneOf: HTTPDate.longWeekdays) != nil {
            guard skip(", "), var parts = dayFirst(separator: "-", yearWidth: 2) else { return nil }
            let (yearNow, lastDigits) = (CalendarDay(date: now).year, parts.year)
            // The date in this year is later than now if the date in 50 years is more than 50 years after it.
            parts.year = yearNow
            let isLater = Double(parts.secondsSinceEpoch) > now.timeIntervalSince1970
            let lastYear = yearNow + (isLater ? 49 : 50)
            parts.year = lastYear - (lastYear - lastDigits).modulo(100)
            return parts
        }
        guard skip(oneOf: HTTPDate.weekdays) != nil else { return nil }
        return skip(", ") ? dayFirst(separator: " ", yearWidth: 4) : asctime()
    }

    /// Reads a date that begins with the day, without its weekday.
    private mutating func dayFirst(separator: StaticString, yearWidth: Int) -> Parts? {
        var parts = Parts()
        guard let day = number(2), skip(separator), let month = skip(oneOf: HTTPDate.months), skip(separator),
            let year = number(yearWidth), skip(" "), time(into: &parts), skip(" GMT")
        else { return nil }
        (parts.year, parts.month, parts.day) = (year, month + 1, day)
        return parts
    }

    private mutating func asctime() -> Parts? {
        var parts = Parts()
        guard skip(" "), let month = skip(oneOf: HTTPDate.months), skip(" ") else { return nil }
        guard let day = skip(" ") ? number(1) : number(2) else { return nil }
        guard skip(" "), time(into: &parts), skip(" "), let year = number(4) else { return nil }
        (parts.year, parts.month, parts.day) = (year, month + 1, day)
        return parts
    }

    /// Reads the time of day; returns `false` if it has another form.
    mutating func time(into parts: inout Parts) -> Bool {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2) else {
            return false
        }
        (parts.hour, parts.minute, parts.second) = (hour, minute, second)
        return true
    }
}
