import Foundation
import Testing

@testable import NetKit

struct ChunkQueueTests {
    private func queue(_ chunks: String...) -> ChunkQueue {
        var queue = ChunkQueue()
        for chunk in chunks { queue.append(Data(chunk.utf8)) }
        return queue
    }

    /// The pieces that buffers of a size take out until nothing is left.
    private func parts(_ queue: inout ChunkQueue, size: Int) -> [String] {
        var parts: [String] = []
        while !queue.isEmpty {
            let part = withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
                let count = queue.moveFirst(into: buffer)
                return String(decoding: buffer.prefix(count), as: UTF8.self)
            }
            parts.append(part)
        }
        return parts
    }

    @Test func givesChunksInTheirOrder() {
        var queue = queue("one", "two")
        #expect(queue.byteCount == 6)
        #expect(queue.popFirst() == Data("one".utf8))
        #expect(queue.byteCount == 3)
        #expect(queue.popFirst() == Data("two".utf8))
        #expect(queue.popFirst() == nil)
        #expect(queue.isEmpty)
        #expect(queue.byteCount == 0)
    }

    @Test func movesThemInParts() {
        var queue = queue("one", "three")
        #expect(parts(&queue, size: 2) == ["on", "e", "th", "re", "e"])
        #expect(queue.byteCount == 0)
        #expect(parts(&queue, size: 2).isEmpty)
    }

    @Test func removeAllLeavesNoBytes() {
        var queue = queue("one", "three")
        _ = queue.popFirst()
        queue.removeAll()
        #expect(queue.isEmpty)
        #expect(queue.byteCount == 0)
    }

    @Test(arguments: [true, false])
    func doesNotGrowWhileTheWriterStaysAhead(_ isMoved: Bool) {
        var queue = queue("0")
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { buffer in
            for _ in 0..<10_000 {
                queue.append(Data("1".utf8))
                if isMoved { _ = queue.moveFirst(into: buffer) } else { _ = queue.popFirst() }
            }
        }
        #expect(queue.byteCount == 1)
        #expect(queue.placeCount <= 130)
    }
}
