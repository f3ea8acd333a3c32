import Foundation

/// The checksum of gzip (RFC 1952, section 8).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
    }

    static func of(_ data: Data) -> UInt32 {
        ~data.reduce(~0) { crc, byte in table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
    }

    /// The checksum of that many zero bytes, without walking over them.
    ///
    /// A zero byte changes the checksum by a linear map over its 32 bits, so many zero bytes are a power of that map.
    static func ofZeros(_ count: Int) -> UInt32 {
        var power = (0..<32).map { bit in
            let crc = UInt32(1) << UInt32(bit)
            return table[Int(crc & 0xFF)] ^ (crc >> 8)
        }
        var crc = ~UInt32(0)
        var left = count
        while left > 0 {
            if left & 1 == 1 { crc = apply(power, to: crc) }
            power = power.map { apply(power, to: $0) }
            left >>= 1
        }
        return ~crc
    }

    private static func apply(_ map: [UInt32], to crc: UInt32) -> UInt32 {
        (0..<32).reduce(0) { sum, bit in (crc >> UInt32(bit)) & 1 == 1 ? sum ^ map[bit] : sum }
    }
}
