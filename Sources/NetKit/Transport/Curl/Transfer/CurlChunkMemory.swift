import Foundation

/// Memory for the chunks of one streamed body, which is reused once their reader has released them.
///
/// Chunks are large. The kernel would have to clear new memory for each of them page by page, and another thread than
/// the one that allocates it would free it.
final class CurlChunkMemory: Sendable {
    /// The memory of one chunk.
    ///
    /// `@unchecked Sendable` without a lock: it has one owner at a time, which is a `CurlChunkBuffer`, the list of free
    /// blocks, or the chunk that was made from it.
    final class Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let size: Int

        fileprivate init(size: Int) {
            start = .allocate(byteCount: size, alignment: 16)
            self.size = size
        }

        deinit { start.deallocate() }
    }

    private struct State: ~Copyable {
        /// The size that was requested last.
        var size = 0
        var free: [Block] = []
    }

    /// The maximum number of blocks that are kept for the next chunks.
    private static let maxFree = 3

    private let state = Locked(State())

    /// The number of free blocks.
    var freeCount: Int { state.withLock { $0.free.count } }

    /// Returns a block of a size, and reuses a free one if possible.
    func take(_ size: Int) -> Block {
        let block = state.withLock { state in
            if state.size != size { state = State(size: size) }
            return state.free.popLast()
        }
        return block ?? Block(size: size)
    }

    /// Keeps a block, unless there are enough or another size is requested by now.
    func giveBack(_ block: Block) {
        state.withLock { state in
            if block.size == state.size, state.free.count < Self.maxFree { state.free.append(block) }
        }
    }

    /// Returns the first bytes of a block as a chunk; the block is given back with the last reference to the chunk.
    ///
    /// A small number of bytes is copied, so that a chunk that a reader keeps does not keep a whole block.
    func chunk(_ block: Block, count: Int) -> Data {
        guard count > block.size / 2 else {
            defer { giveBack(block) }
            return Data(bytes: block.start, count: count)
        }
        return Data(bytesNoCopy: block.start, count: count, deallocator: .custom { [self] _, _ in giveBack(block) })
    }
}
