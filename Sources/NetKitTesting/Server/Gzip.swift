import Foundation
import NetKit

/// A gzip encoder (RFC 1951 and 1952) that makes valid, damaged and oversized bodies without a library.
enum Gzip {
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// Returns bytes in stored blocks, at least two of them if there are two bytes.
    static func stored(_ data: Data, _ condition: ServerReply.GzipCondition) -> Data {
        var gzip = Data(header)
        let size = max(1, min(0xFFFF, (data.count + 1) / 2))
        var offset = 0
        repeat {
            let block = data.dropFirst(offset).prefix(size)
            offset += block.count
            let isLast = offset == data.count
            let length = UInt16(block.count)
            // A decoder checks the complement of the length before it accepts the block.
            let isDamaged = isLast && condition == .corrupt
            gzip.append(isLast ? 1 : 0)
            append(length, to: &gzip)
            append(isDamaged ? length : ~length, to: &gzip)
            if isLast, condition == .cutShort { return gzip + block.prefix(block.count / 2) }
            gzip.append(block)
        } while offset < data.count
        append(CRC32.of(data), to: &gzip)
        append(UInt32(truncatingIfNeeded: data.count), to: &gzip)
        return gzip
    }

    /// Returns a number of zero bytes as one block with a custom Huffman code, in which two bits stand for 258 bytes.
    static func zeros(_ count: Int) -> Data {
        var bits = BitWriter(Data(header))
        // The last block, with its own code: 286 literals and lengths, 1 distance, 18 code lengths.
        bits.write(0b101, 3)
        bits.write(29, 5)
        bits.write(0, 5)
        bits.write(14, 4)
        // Lengths of the code for code lengths, in the order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1.
        for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] { bits.write(length, 3) }
        // With it: literal 0 has 2 bits, end of block (256) 2, the match of 258 bytes (285) 1, distance 1 has 1.
        let (one, two, zeroRun) = ([1, 0], [1, 1], [0])
        bits.writeCode(two)
        bits.writeCode(zeroRun)
        bits.write(138 - 11, 7)
        bits.writeCode(zeroRun)
        bits.write(117 - 11, 7)
        bits.writeCode(two)
        bits.writeCode(zeroRun)
        bits.write(28 - 11, 7)
        bits.writeCode(one)
        bits.writeCode(one)
        // A literal to copy from, then matches, whose code and distance are two zero bits, then literals for the rest.
        if count > 0 {
            let matches = (count - 1) / 258
            bits.writeCode([1, 0])
            bits.writeZeros(2 * matches)
            for _ in 0..<(count - 1 - matches * 258) { bits.writeCode([1, 0]) }
        }
        bits.writeCode([1, 1])
        var gzip = bits.finish()
        append(CRC32.ofZeros(count), to: &gzip)
        append(UInt32(truncatingIfNeeded: count), to: &gzip)
        return gzip
    }

    private static func append(_ number: some FixedWidthInteger, to data: inout Data) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
}

/// A writer of bits in the order of deflate, from the lowest bit of each byte upwards.
struct BitWriter {
    private var bytes: Data
    private var pending: UInt8 = 0
    private var pendingCount = 0

    init(_ bytes: Data) {
        self.bytes = bytes
    }

    /// Writes a number, lowest bit first.
    mutating func write(_ value: Int, _ count: Int) {
        for index in 0..<count { append((value >> index) & 1) }
    }

    /// Writes the bits of a Huffman code, first bit first.
    mutating func writeCode(_ bits: [Int]) {
        for bit in bits { append(bit) }
    }

    mutating func writeZeros(_ count: Int) {
        var left = count
        while left > 0, pendingCount > 0 {
            append(0)
            left -= 1
        }
        bytes.append(contentsOf: repeatElement(0, count: left / 8))
        for _ in 0..<(left % 8) { append(0) }
    }

    /// Returns the bytes, with the last one padded.
    mutating func finish() -> Data {
        while pendingCount > 0 { append(0) }
        return bytes
    }

    private mutating func append(_ bit: Int) {
        pending |= UInt8(bit) << UInt8(pendingCount)
        pendingCount += 1
        guard pendingCount == 8 else { return }
        bytes.append(pending)
        (pending, pendingCount) = (0, 0)
    }
}

extension CRC32 {
    fileprivate static func of(_ data: Data) -> UInt32 {
        var checksum = CRC32()
        data.withUnsafeBytes { checksum.add($0) }
        return checksum.value
    }

    /// Returns the checksum of a number of zero bytes, without iterating over them.
    ///
    /// A zero byte changes the checksum by a linear map over its 32 bits, so several zero bytes are a power of that
    /// map.
    fileprivate static func ofZeros(_ count: Int) -> UInt32 {
        var power = (0..<32).map { bit in
            (0..<8).reduce(UInt32(1) << UInt32(bit)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
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
