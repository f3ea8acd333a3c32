public import Foundation

/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
///
/// All three forms are read: `Sun, 06 Nov 1994 08:49:37 GMT`, the obsolete `Sunday, 06-Nov-94 08:49:37 GMT` and
/// `Sun Nov  6 08:49:37 1994`. Only the first is written. Anything else is not a date.
///
/// ```swift
/// request.headers["If-Modified-Since"] = "\(HTTPDate(date))"
/// let served = response.headers["Date"].flatMap { HTTPDate($0) }?.date
/// ```
public struct HTTPDate: Sendable, Hashable, CustomStringConvertible {
    /// The point in time.
    public let date: Date

    /// Creates an HTTP date from a point in time.
    public init(_ date: Date) { self.date = date }

    /// Creates an HTTP date from a text in any of the three forms, or returns `nil`.
    public init?(_ text: String) {
        guard let date = Self.parse(text) else { return nil }
        self.date = date
    }

    /// The date in the preferred form.
    public var description: String { Self.format(date) }

    /// Reads a date in any of the three forms; `nil` for any other text.
    ///
    /// A two-digit year is the latest one for which the date is at most 50 years after `now`. The day name has to be
    /// valid, but need not match the date.
    public static func parse(_ text: String, now: Date = Date()) -> Date? {
        var cursor = DateCursor(text)
        guard let parts = cursor.httpDate(now: now) else { return nil }
        return Date(timeIntervalSince1970: Double(parts.secondsSinceEpoch))
    }

    /// Returns a date in the preferred form, limited to the years 0 to 9999, which the form can represent.
    public static func format(_ date: Date) -> String {
        let seconds = Int(date.secondsInWrittenYears.rounded(.down))
        let days = seconds.flooredDivision(by: 86_400)
        let time = seconds - days * 86_400
        let day = CalendarDay(daysSinceEpoch: days)
        let weekday = weekdays[(days + 4).modulo(7)]
        let clock = "\((time / 3600).twoDigits):\((time / 60 % 60).twoDigits):\((time % 60).twoDigits)"
        let year = "\((day.year / 100).twoDigits)\((day.year % 100).twoDigits)"
        return "\(weekday), \(day.day.twoDigits) \(months[day.month - 1]) \(year) \(clock) GMT"
    }

    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
