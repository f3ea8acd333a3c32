import Foundation

/// Dates as RFC 3339 writes them: `2023-11-14T22:13:20Z`, with a fraction of a second or without.
///
/// Foundation's format style takes several times as long to read a date, and refuses the lower-case letters and
/// the space that RFC 3339 allows.
enum ISO8601Date {
    /// Returns a date in UTC as text, limited to the years 0 to 9999; with a fraction, it includes milliseconds.
    static func format(_ date: Date, fraction: Bool = false) -> String {
        // A `Double` that is slightly below a millisecond must not become the millisecond before.
        let milliseconds = Int((date.secondsInWrittenYears * 1000).rounded(fraction ? .toNearestOrEven : .down))
        let seconds = milliseconds.flooredDivision(by: 1000)
        let days = seconds.flooredDivision(by: 86_400)
        let time = seconds - days * 86_400
        let day = CalendarDay(daysSinceEpoch: days)
        var text = "\((day.year / 100).twoDigits)\((day.year % 100).twoDigits)-"
        text += "\(day.month.twoDigits)-\(day.day.twoDigits)"
        text += "T\((time / 3600).twoDigits):\((time / 60 % 60).twoDigits):\((time % 60).twoDigits)"
        guard fraction else { return text + "Z" }
        let thousandths = milliseconds.modulo(1000)
        return "\(text).\(thousandths / 100)\((thousandths % 100).twoDigits)Z"
    }

    /// Reads a date with or without a fraction, in UTC or with an offset; `nil` for any other text.
    ///
    /// A leap second becomes the second after it, and a fraction counts up to nine digits.
    static func parse(_ text: String) -> Date? {
        var cursor = DateCursor(text)
        var parts = DateCursor.Parts()
        guard let year = cursor.number(4), cursor.skip("-"), let month = cursor.number(2), cursor.skip("-"),
            let day = cursor.number(2), cursor.skip("T") || cursor.skip("t") || cursor.skip(" "),
            cursor.time(into: &parts), let fraction = cursor.fraction(), let offset = cursor.offset(), cursor.isAtEnd
        else { return nil }
        (parts.year, parts.month, parts.day) = (year, month, day)
        guard parts.areInRange else { return nil }
        return Date(timeIntervalSince1970: Double(parts.secondsSinceEpoch - offset) + fraction)
    }
}

extension DateCursor {
    /// Reads the fraction of a second; 0 if there is none.
    fileprivate mutating func fraction() -> Double? {
        guard skip(".") || skip(",") else { return 0 }
        var (value, scale, count) = (0, 1, 0)
        while let digit = number(1) {
            count += 1
            guard count <= 9 else { continue }
            value = value * 10 + digit
            scale *= 10
        }
        return count == 0 ? nil : Double(value) / Double(scale)
    }

    /// Reads the offset in seconds east of UTC.
    fileprivate mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2), hours < 24 else { return nil }
        guard skip(":") || !isAtEnd else { return sign * hours * 3600 }
        guard let minutes = number(2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
