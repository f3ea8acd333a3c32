/// A checksum that is as fast as memory: it finds what a disk, a crash or another program did to bytes, not what somebody
/// forges.
///
/// Eight lanes take two words each in turn, and multiply one by the other and by all that came before.
struct FastChecksum: Sendable {
    private static let first: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let second: UInt64 = 0xD1B5_4A32_D192_ED03
    private static let blockSize = 128

    private var lanes: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4, 5, 6, 7, 8)
    /// What does not fill a block yet.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    /// The checksum of bytes.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum = FastChecksum()
        sum.add(bytes)
        return sum.value
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = bytes
        if !rest.isEmpty {
            let missing = min(Self.blockSize - rest.count, bytes.count)
            rest.append(contentsOf: bytes.prefix(missing))
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(missing))
            guard rest.count == Self.blockSize else { return }
            let block = rest
            rest.removeAll(keepingCapacity: true)
            block.withUnsafeBytes { absorb($0) }
        }
        let whole = bytes.count & ~(Self.blockSize - 1)
        absorb(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
        rest.append(contentsOf: bytes[whole...])
    }

    /// The checksum of all bytes so far.
    var value: UInt64 {
        var sum = self
        var result = count
        let padded = rest + [UInt8](repeating: 0, count: (Self.blockSize - rest.count) % Self.blockSize)
        padded.withUnsafeBytes { sum.absorb($0) }
        let lanes = sum.lanes
        for lane in [lanes.0, lanes.1, lanes.2, lanes.3, lanes.4, lanes.5, lanes.6, lanes.7] {
            result = Self.step(result, lane, Self.second)
            result ^= result >> 32
        }
        return result
    }

    /// Takes whole blocks.
    private mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
        var (a, b, c, d, e, f, g, h) = lanes
        var position = 0
        while position < bytes.count {
            a = Self.step(a, bytes, position)
            b = Self.step(b, bytes, position &+ 16)
            c = Self.step(c, bytes, position &+ 32)
            d = Self.step(d, bytes, position &+ 48)
            e = Self.step(e, bytes, position &+ 64)
            f = Self.step(f, bytes, position &+ 80)
            g = Self.step(g, bytes, position &+ 96)
            h = Self.step(h, bytes, position &+ 112)
            position &+= 128
        }
        lanes = (a, b, c, d, e, f, g, h)
    }

    @inline(__always)
    private static func step(_ lane: UInt64, _ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
        step(
            lane,
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)),
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position &+ 8, as: UInt64.self))
        )
    }

    @inline(__always)
    private static func step(_ lane: UInt64, _ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = (one ^ first).multipliedFullWidth(by: other ^ second ^ lane)
        // Adding keeps the lane's own past where the product is nothing.
        return (product.high ^ product.low) &+ lane
    }
}
