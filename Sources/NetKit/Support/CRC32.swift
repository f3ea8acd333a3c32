/// The checksum CRC-32 with the polynomial of Ethernet and gzip (RFC 1952, section 8).
///
/// It processes eight bytes at a time, because an offline queue checks every byte when it is opened.
package struct CRC32 {
    private var state: UInt32 = ~0

    package init() {}

    /// The checksum of the bytes so far.
    package var value: UInt32 { ~state }

    /// Adds bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        Self.tables.withUnsafeBufferPointer { tables in
            // The value of a table for one byte of a word.
            func value(_ table: Int, _ word: UInt32, _ shift: UInt32) -> UInt32 {
                let byte = Int(truncatingIfNeeded: word >> shift) & 255
                return tables[table << 8 | byte]
            }
            var index = 0
            let whole = bytes.count & ~7
            while index < whole {
                let low = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self).littleEndian ^ state
                let high = bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self).littleEndian
                state = value(7, low, 0) ^ value(6, low, 8) ^ value(5, low, 16) ^ value(4, low, 24)
                state ^= value(3, high, 0) ^ value(2, high, 8) ^ value(1, high, 16) ^ value(0, high, 24)
                index += 8
            }
            while index < bytes.count {
                state = tables[Int((state ^ UInt32(bytes[index])) & 255)] ^ state >> 8
                index += 1
            }
        }
        self.state = state
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    /// Returns a checksum as eight hexadecimal digits.
    static func text(_ value: UInt32) -> [UInt8] {
        (0..<8).map { UInt8.hexDigits[Int(value >> (28 - 4 * UInt32($0)) & 15)] }
    }

    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 << 8)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
            tables[byte] = value
        }
        for index in 256..<tables.count {
            let previous = tables[index - 256]
            tables[index] = tables[Int(previous & 255)] ^ previous >> 8
        }
        return tables
    }()
}
