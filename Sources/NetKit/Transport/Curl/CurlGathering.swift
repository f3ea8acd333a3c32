import Foundation

/// Pieces of a streamed body on their way to a chunk.
///
/// libcurl hands over small pieces, and each chunk that a reader waits for wakes a thread: so they come together while more
/// of them are there to be read. The first chunks are smaller, so that a small body takes little memory.
struct CurlGathering: Sendable {
    /// As much as libcurl hands over at once.
    static let pieceSize = 16 << 10
    private static let leastChunk = 4 * pieceSize
    private static let mostChunk = 16 * pieceSize
    /// How often a chunk may be left to grow: where the loop is busy, a wake-up may take long.
    private static let mostWakeUps = 16

    private var bytes = Data()
    private var chunkSize = leastChunk
    private var hasGrown = false
    private var wakeUps = 0

    private var isFull: Bool { bytes.count > chunkSize - Self.pieceSize }

    /// Adds a piece; true where there is no room for another one of full size.
    mutating func add(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard let base = piece.baseAddress else { return false }
        // Where a piece is small, what comes behind it is not there yet.
        if bytes.isEmpty { bytes.reserveCapacity(piece.count < Self.pieceSize ? piece.count : chunkSize) }
        bytes.append(base.assumingMemoryBound(to: UInt8.self), count: piece.count)
        hasGrown = true
        return isFull
    }

    /// Notes the end of a wake-up; true where it has brought something, so that more may be there already.
    mutating func mayGrow() -> Bool {
        defer { hasGrown = false }
        guard hasGrown, !bytes.isEmpty, wakeUps < Self.mostWakeUps else { return false }
        wakeUps += 1
        return true
    }

    /// What has come together; nil where nothing has.
    mutating func take() -> Data? {
        guard !bytes.isEmpty else { return nil }
        defer {
            bytes = Data()
            wakeUps = 0
        }
        if isFull { chunkSize = min(2 * chunkSize, Self.mostChunk) }
        return bytes
    }
}
