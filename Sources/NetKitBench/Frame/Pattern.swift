import Foundation

/// Bytes of which no two stretches are alike, and a checksum that tells whether they came, each at its place.
enum Pattern {
    /// The first bytes of the pattern.
    static func data(_ count: Int) -> Data {
        var data = Data(capacity: count + 8)
        var word: UInt64 = 0
        while data.count < count {
            word &+= 0x9E37_79B9_7F4A_7C15
            let mixed = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            withUnsafeBytes(of: mixed.littleEndian) { data.append(contentsOf: $0) }
        }
        return data.prefix(count)
    }

    /// FNV-1a: the order of the bytes counts, and how they are cut into chunks does not.
    struct Checksum: Sendable {
        private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ bytes: Data) {
            bytes.withUnsafeBytes { bytes in
                for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            }
        }
    }
}
