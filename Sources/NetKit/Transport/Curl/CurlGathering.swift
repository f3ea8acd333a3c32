import Foundation

/// Pieces of a streamed body on their way to a chunk.
struct CurlGathering: Sendable {
    /// As much as libcurl hands over at once.
    static let pieceSize = 16 << 10
    private static let chunkSize = 4 * pieceSize

    private var bytes = Data()

    var isEmpty: Bool { bytes.isEmpty }

    /// Adds a piece; true where there is no room for another one of full size.
    mutating func add(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard let base = piece.baseAddress else { return false }
        // Where a piece is small, what comes behind it is not there yet.
        if bytes.isEmpty { bytes.reserveCapacity(piece.count < Self.pieceSize ? piece.count : Self.chunkSize) }
        bytes.append(base.assumingMemoryBound(to: UInt8.self), count: piece.count)
        return bytes.count > Self.chunkSize - Self.pieceSize
    }

    /// What has come together; nil where nothing has.
    mutating func take() -> Data? {
        guard !bytes.isEmpty else { return nil }
        defer { bytes = Data() }
        return bytes
    }
}
