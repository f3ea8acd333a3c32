import Foundation

/// The pieces of a streamed body that are collected for a chunk.
///
/// libcurl delivers small pieces, and each chunk that a reader waits for wakes a thread. So pieces are collected while
/// more of them can be read at once. Chunks grow while the reader is faster than the network. A small body takes little
/// memory, and so does a body with a slow reader.
struct CurlChunkBuffer: ~Copyable, Sendable {
    /// The number of bytes that libcurl delivers at once.
    static let pieceSize = 16 << 10
    private static let minChunk = 4 * pieceSize
    private static let maxChunk = 32 * pieceSize
    /// The number of wake-ups for which a chunk may grow: on a busy loop, a wake-up may take long.
    private static let maxWakeUps = 16

    /// The memory for blocks, created for the first piece of full size.
    private var memory: CurlChunkMemory?
    private var block: CurlChunkMemory.Block?
    /// A chunk that began with a small piece, which needs no block because the next piece has not arrived yet.
    private var small = Data()
    private var count = 0
    private var chunkSize = minChunk
    private var hasGrown = false
    private var wakeUps = 0

    private var isFull: Bool { count > (block?.size ?? chunkSize) - Self.pieceSize }

    /// Adds a piece; returns `true` if there is no room for another one of full size.
    mutating func add(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard let base = piece.baseAddress else { return false }
        if count == 0, piece.count >= Self.pieceSize { block = takeBlock(for: piece.count) }
        if let block, piece.count <= block.size - count {
            block.start.advanced(by: count).copyMemory(from: base, byteCount: piece.count)
        } else {
            leaveBlock()
            small.append(base.assumingMemoryBound(to: UInt8.self), count: piece.count)
        }
        count += piece.count
        hasGrown = true
        return isFull
    }

    /// Records the end of a wake-up; returns `true` if the chunk may still grow, because the wake-up added bytes.
    mutating func mayGrow() -> Bool {
        defer { hasGrown = false }
        guard hasGrown, count > 0, wakeUps < Self.maxWakeUps else { return false }
        wakeUps += 1
        return true
    }

    /// Returns the buffered chunk for a reader of a pace; `nil` if there is none.
    mutating func take(for pace: PipeState.Pace) -> Data? {
        guard count > 0 else { return nil }
        switch pace {
        case .waiting: if isFull { chunkSize = min(2 * chunkSize, Self.maxChunk) }
        case .reading: break
        case .behind: chunkSize = max(chunkSize / 2, Self.minChunk)
        }
        defer { (block, small, count, wakeUps) = (nil, Data(), 0, 0) }
        guard let memory, let block else { return small }
        return memory.chunk(block, count: count)
    }

    private mutating func takeBlock(for size: Int) -> CurlChunkMemory.Block {
        let memory = memory ?? CurlChunkMemory()
        self.memory = memory
        return memory.take(max(chunkSize, size))
    }

    /// Continues without a block if a piece does not fit, because it is larger than libcurl's pieces.
    private mutating func leaveBlock() {
        guard let memory, let block else { return }
        small = Data(bytes: block.start, count: count)
        memory.giveBack(block)
        self.block = nil
    }
}
