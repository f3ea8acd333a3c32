import Foundation

/// Gzip made by hand (RFC 1951 and 1952), so that no library is needed to serve good, damaged and monstrous bodies.
enum Gzip {
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// Bytes in stored blocks, at least two of them where there are two bytes.
    static func stored(_ data: Data, _ condition: ServerReply.GzipCondition) -> Data {
        var gzip = Data(header)
        let size = max(1, min(0xFFFF, (data.count + 1) / 2))
        var offset = 0
        repeat {
            let block = data.dropFirst(offset).prefix(size)
            offset += block.count
            let isLast = offset == data.count
            let length = UInt16(block.count)
            // The complement of the length is what a decoder checks before it takes the block.
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

    /// A number of zero bytes as one block with a Huffman code of its own: two bits stand for 258 of them.
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
