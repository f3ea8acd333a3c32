#if canImport(CNetKitSystem)
    import CNetKitSystem
#endif

/// The source of randomness for jitter, boundaries and generated keys.
///
/// `.system` is unpredictable. Tests pass a seeded source, and can then assert equality instead of ranges.
public struct RandomSource: RandomNumberGenerator, Sendable {
    /// The system's random numbers.
    public static let system = RandomSource(isSystem: true) { UInt64.random(in: .min ... .max) }

    let isSystem: Bool
    private let generate: @Sendable () -> UInt64

    /// Creates a source from a function that returns 64 random bits per call.
    public init(_ generate: @escaping @Sendable () -> UInt64) {
        self.init(isSystem: false, generate)
    }

    private init(isSystem: Bool, _ generate: @escaping @Sendable () -> UInt64) {
        self.isSystem = isSystem
        self.generate = generate
    }

    /// Returns the next 64 random bits.
    public func next() -> UInt64 { generate() }

    /// Returns 128 random bits; on Linux, those of the system take one call instead of two.
    func pair() -> (UInt64, UInt64) {
        #if os(Linux)
            var bits: (UInt64, UInt64) = (0, 0)
            if isSystem, withUnsafeMutableBytes(of: &bits, { nk_random($0.baseAddress, $0.count) }) == 1 { return bits }
        #endif
        return (next(), next())
    }

    /// Returns a number from 0 up to, but not including, 1.
    public func unitInterval() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a random UUID of version 4 as text.
    public func uuidText() -> String {
        let (first, second) = pair()
        let high = first & ~0xF000 | 0x4000
        let low = second & ~(0b11 << 62) | 0b10 << 62
        return String(unsafeUninitializedCapacity: 36) { text in
            let digits = UnsafeMutableRawBufferPointer(text)
            withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { digits.writeUUID($0, in: UInt8.hexDigits) }
            return 36
        }
    }
}
