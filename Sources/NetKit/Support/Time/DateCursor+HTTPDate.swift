extension DateCursor {
    /// The parts of an HTTP date.
    struct Parts {
        var year = 0
        var month = 0
        var day = 0
        var hour = 0
        var minute = 0
        var second = 0
    }

    /// Reads any of the three date forms of HTTP; case and spacing have to match the grammar exactly.
    mutating func httpDate(yearNow: Int) -> Parts? {
        guard let parts = readForm(yearNow: yearNow), isAtEnd, isInRange(parts) else { return nil }
        return parts
    }

    private mutating func readForm(yearNow: Int) -> Parts? {
        if skip(oneOf: HTTPDate.longWeekdays) != nil { return skip(", ") ? obsolete(yearNow: yearNow) : nil }
        guard skip(oneOf: HTTPDate.weekdays) != nil else { return nil }
        return skip(", ") ? preferred() : asctime()
    }

    private mutating func preferred() -> Parts? {
        var parts = Parts()
        guard let day = number(2), skip(" "), let month = skip(oneOf: HTTPDate.months), skip(" "),
            let year = number(4), skip(" "), time(into: &parts), skip(" GMT")
        else { return nil }
        (parts.year, parts.month, parts.day) = (year, month + 1, day)
        return parts
    }

    private mutating func obsolete(yearNow: Int) -> Parts? {
        var parts = Parts()
        guard let day = number(2), skip("-"), let month = skip(oneOf: HTTPDate.months), skip("-"),
            let short = number(2), skip(" "), time(into: &parts), skip(" GMT")
        else { return nil }
        let sameCentury = yearNow - yearNow.modulo(100) + short
        let year = sameCentury > yearNow + 50 ? sameCentury - 100 : sameCentury
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

    private mutating func time(into parts: inout Parts) -> Bool {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2) else {
            return false
        }
        (parts.hour, parts.minute, parts.second) = (hour, minute, second)
        return true
    }

    /// Returns whether the parts are in range; second 60 is a leap second, which the grammar allows.
    private func isInRange(_ parts: Parts) -> Bool {
        parts.hour < 24 && parts.minute < 60 && parts.second <= 60
            && (1...CalendarDay.daysIn(month: parts.month, year: parts.year)).contains(parts.day)
    }
}
