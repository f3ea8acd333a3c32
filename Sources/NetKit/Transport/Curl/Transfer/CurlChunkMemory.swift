import Foundation

/// Memory for the chunks of one streamed body, which is used again once their reader has let go of them.
///
/// Chunks are large: new memory for each has to be cleared by the kernel page by page, and is given back
/// by another thread than the one that takes it.
final class CurlChunkMemory: Sendable {
    /// The memory of one chunk.
    ///
    /// `@unchecked Sendable` without a lock: it has one owner at a time, which is a gathering, the list of what is free, or
    /// the chunk that was made of it.
    final class Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let size: Int

        fileprivate init(size: Int) {
            start = .allocate(byteCount: size, alignment: 16)
            self.size = size
        }

        deinit { start.deallocate() }
    }

    private struct State {
        /// The size that was asked for last.
        var size = 0
        var free: [Block] = []
    }

    /// The number of blocks that are kept for the next chunks.
    private static let mostFree = 3

    private let state = Locked(State())

    /// The number of free blocks.
    var freeCount: Int { state.withLock { $0.free.count } }

    /// A block of that size, which is used again if there is one.
    func take(_ size: Int) -> Block {
        let block = state.withLock { state in
            if state.size != size { state = State(size: size) }
            return state.free.popLast()
        }
        return block ?? Block(size: size)
    }

    /// Keeps a block, unless there are enough or others are asked for by now.
    func giveBack(_ block: Block) {
        state.withLock { state in
            if block.size == state.size, state.free.count < Self.mostFree { state.free.append(block) }
        }
    }

    /// The first bytes of a block as a chunk; the block comes back with the last reference to the chunk.
    ///
    /// Few of them are copied, so that a chunk that somebody keeps does not keep a whole block.
    func chunk(_ block: Block, count: Int) -> Data {
        guard count > block.size / 2 else {
            defer { giveBack(block) }
            return Data(bytes: block.start, count: count)
        }
        return Data(bytesNoCopy: block.start, count: count, deallocator: .custom { [self] _, _ in giveBack(block) })
    }
}
