import Foundation

/// The time of the server's version, by the clock of this machine.
struct ServerVersionTime {
    /// The time of day here.
    let here: Date
    /// The field of the server's JSON that says it; `Last-Modified` where there is none.
    let field: String?

    /// Reads the time from a response; `nil` if it states none that can be read.
    ///
    /// The difference between the answer's own `Date` and the time here is taken for the difference of the clocks.
    func read(_ answer: NetKitError.Answer) -> Date? {
        let served = answer.headers["Date"].flatMap { HTTPDate.parse($0, now: here) }
        let skew = served.map { here.timeIntervalSince($0) } ?? 0
        // Less than two seconds is the time on the way and the whole seconds of `Date`, not a clock that is wrong.
        return time(answer)?.addingTimeInterval(abs(skew) < 2 ? 0 : skew)
    }

    private func time(_ answer: NetKitError.Answer) -> Date? {
        guard let field else { return answer.headers["Last-Modified"].flatMap { HTTPDate.parse($0, now: here) } }
        guard let object = try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any] else { return nil }
        switch object[field] {
        case let text as String: return Self.date(text)
        case let number as NSNumber:
            let value = number.doubleValue
            // Seconds of this age have ten digits, milliseconds thirteen.
            return Date(timeIntervalSince1970: value > 100_000_000_000 ? value / 1000 : value)
        default: return nil
        }
    }

    private static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
