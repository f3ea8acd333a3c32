/// A cursor over the bytes of a date.
struct DateCursor {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position == bytes.count }

    /// Skips a text; returns `false` if another one follows.
    mutating func skip(_ text: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    /// Skips the first name that follows, and returns its index.
    mutating func skip(oneOf names: [String]) -> Int? {
        guard let index = names.firstIndex(where: { bytes[position...].starts(with: $0.utf8) }) else { return nil }
        position += names[index].utf8.count
        return index
    }

    /// Reads a number with exactly `width` digits.
    mutating func number(_ width: Int) -> Int? {
        let end = position + width
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
