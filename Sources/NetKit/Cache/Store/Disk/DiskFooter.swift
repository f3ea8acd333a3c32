/// The last bytes of an entry's file, which say where everything is and what it has to sum up to.
///
/// A file is the body, then the head, then this. A newer head is added behind with a footer of its own, and the last one
/// counts: the body stays where it is. What does not sum up was cut short or damaged, and is no entry.
struct DiskFooter: Equatable {
    static let size = 72
    private static let magic: UInt64 = 0x3248_4341_434B_4E2E

    var headLength: UInt64
    var bodyLength: UInt64
    var bodySum: UInt64
    var headSum: UInt64
    var key: CacheKey
    /// The generation of the URL's entries when the exchange for this one began.
    var generation: UInt64

    var bytes: [UInt8] {
        let words = [Self.magic, headLength, bodyLength, bodySum, headSum, key.high, key.low, generation]
        let bytes = words.flatMap(Self.bytes)
        return bytes + Self.bytes(bytes.withUnsafeBytes(FastChecksum.of))
    }

    init(headLength: UInt64, bodyLength: UInt64, bodySum: UInt64, headSum: UInt64, key: CacheKey, generation: UInt64) {
        self.headLength = headLength
        self.bodyLength = bodyLength
        self.bodySum = bodySum
        self.headSum = headSum
        self.key = key
        self.generation = generation
    }

    /// Reads the last bytes of a file of a size; nil where they are none of an entry of the key.
    init?(_ bytes: UnsafeRawBufferPointer, key: CacheKey, fileSize: Int64) {
        guard bytes.count == Self.size, fileSize >= Int64(Self.size) else { return nil }
        let words = (0..<9).map {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[..<(Self.size - 8)])
        guard words[0] == Self.magic, words[8] == FastChecksum.of(content), words[5] == key.high, words[6] == key.low
        else {
            return nil
        }
        let (room, overflow) = words[1].addingReportingOverflow(words[2])
        guard !overflow, room <= UInt64(fileSize) - UInt64(Self.size) else { return nil }
        self.init(
            headLength: words[1],
            bodyLength: words[2],
            bodySum: words[3],
            headSum: words[4],
            key: key,
            generation: words[7]
        )
    }

    private static func bytes(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
}
