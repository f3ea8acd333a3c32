import Foundation

/// Writes bits as deflate wants them: from the lowest bit of each byte upwards.
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

    /// The bytes, with the last one filled up.
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
