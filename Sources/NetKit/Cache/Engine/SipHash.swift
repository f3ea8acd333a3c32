/// SipHash-2-4 with 128 bits: a keyed hash that cannot be predicted or reversed without the key.
///
/// After Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012).
struct SipHash {
    private var v0, v1, v2, v3: UInt64

    private init(_ key: CacheHashKey) {
        v0 = key.first ^ 0x736f_6d65_7073_6575
        v1 = key.second ^ 0x646f_7261_6e64_6f6d ^ 0xee
        v2 = key.first ^ 0x6c79_6765_6e65_7261
        v3 = key.second ^ 0x7465_6462_7974_6573
    }

    /// Returns the hash of bytes.
    static func hash(_ bytes: UnsafeRawBufferPointer, key: CacheHashKey) -> (UInt64, UInt64) {
        var state = SipHash(key)
        let wholeWords = bytes.count & ~7
        var position = 0
        while position < wholeWords {
            state.absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        var shift: UInt64 = 0
        while position < bytes.count {
            last |= UInt64(bytes[position]) << shift
            position += 1
            shift += 8
        }
        state.absorb(last)
        return state.finish()
    }

    private mutating func absorb(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    private mutating func finish() -> (UInt64, UInt64) {
        v2 ^= 0xee
        for _ in 0..<4 { round() }
        let first = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<4 { round() }
        return (first, v0 ^ v1 ^ v2 ^ v3)
    }

    private mutating func round() {
        v0 &+= v1
        v1 = Self.rotated(v1, 13) ^ v0
        v0 = Self.rotated(v0, 32)
        v2 &+= v3
        v3 = Self.rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = Self.rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = Self.rotated(v1, 17) ^ v2
        v2 = Self.rotated(v2, 32)
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word << count | word >> (64 - count)
    }
}
