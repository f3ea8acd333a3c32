/// Where NetKit takes its randomness from: jitter, boundaries, generated keys.
///
/// `.system` is unpredictable; tests pass a seeded one, and then assert equality instead of ranges.
public struct RandomSource: RandomNumberGenerator, Sendable {
    /// The system's own random numbers.
    public static let system = RandomSource { UInt64.random(in: .min ... .max) }

    private let generate: @Sendable () -> UInt64

    /// Makes a source from a function that gives 64 random bits a call.
    public init(_ generate: @escaping @Sendable () -> UInt64) {
        self.generate = generate
    }

    /// The next 64 random bits.
    public func next() -> UInt64 { generate() }

    /// A number from 0 up to but without 1.
    public func unitInterval() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A version 4 UUID made from this source.
    public func uuidText() -> String {
        let high = next() & ~0xF000 | 0x4000
        let low = next() & ~(0b11 << 62) | 0b10 << 62
        let digits = Array((Self.hex(high) + Self.hex(low)).utf8)
        var text: [UInt8] = []
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hex(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}
