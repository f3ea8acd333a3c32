/// A reader for the three date forms of HTTP, byte by byte; case and spacing have to match the grammar exactly.
struct HTTPDateReader {
    struct Parts {
        var year = 0
        var month = 0
        var day = 0
        var hour = 0
        var minute = 0
        var second = 0
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func read(yearNow: Int) -> Parts? {
        guard let parts = readForm(yearNow: yearNow), position == bytes.count, isInRange(parts) else { return nil }
        return parts
    }

    private mutating func readForm(yearNow: Int) -> Parts? {
        if name(HTTPDate.longWeekdays) != nil {
            return literal(", ") ? obsolete(yearNow: yearNow) : nil
        }
        guard name(HTTPDate.weekdays) != nil else { return nil }
        return literal(", ") ? preferred() : asctime()
    }

    private mutating func preferred() -> Parts? {
        var parts = Parts()
        guard let day = number(digits: 2), literal(" "), let month = name(HTTPDate.months), literal(" "),
            let year = number(digits: 4), literal(" "), time(into: &parts), literal(" GMT")
        else { return nil }
        (parts.year, parts.month, parts.day) = (year, month + 1, day)
        return parts
    }

    private mutating func obsolete(yearNow: Int) -> Parts? {
        var parts = Parts()
        guard let day = number(digits: 2), literal("-"), let month = name(HTTPDate.months), literal("-"),
            let short = number(digits: 2), literal(" "), time(into: &parts), literal(" GMT")
        else { return nil }
        let sameCentury = yearNow - yearNow.modulo(100) + short
        let year = sameCentury > yearNow + 50 ? sameCentury - 100 : sameCentury
        (parts.year, parts.month, parts.day) = (year, month + 1, day)
        return parts
    }

    private mutating func asctime() -> Parts? {
        var parts = Parts()
        guard literal(" "), let month = name(HTTPDate.months), literal(" ") else { return nil }
        guard let day = literal(" ") ? number(digits: 1) : number(digits: 2) else { return nil }
        guard literal(" "), time(into: &parts), literal(" "), let year = number(digits: 4) else { return nil }
        (parts.year, parts.month, parts.day) = (year, month + 1, day)
        return parts
    }

    private mutating func time(into parts: inout Parts) -> Bool {
        guard let hour = number(digits: 2), literal(":"), let minute = number(digits: 2), literal(":"),
            let second = number(digits: 2)
        else { return false }
        (parts.hour, parts.minute, parts.second) = (hour, minute, second)
        return true
    }

    /// Returns whether the parts are in range; second 60 is a leap second, which the grammar allows.
    private func isInRange(_ parts: Parts) -> Bool {
        parts.hour < 24 && parts.minute < 60 && parts.second <= 60
            && (1...CalendarDay.daysIn(month: parts.month, year: parts.year)).contains(parts.day)
    }

    private mutating func literal(_ text: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func name(_ names: [String]) -> Int? {
        guard let index = names.firstIndex(where: { bytes[position...].starts(with: $0.utf8) }) else { return nil }
        position += names[index].utf8.count
        return index
    }

    private mutating func number(digits: Int) -> Int? {
        let end = position + digits
        guard end <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<end] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position = end
        return value
    }
}
