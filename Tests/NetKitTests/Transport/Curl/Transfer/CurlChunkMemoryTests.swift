import Foundation
import Testing

@testable import NetKit

struct CurlChunkMemoryTests {
    private static let size = 1000
    private let memory = CurlChunkMemory()

    private func chunk(of byte: UInt8, count: Int = size) -> Data {
        let block = memory.take(Self.size)
        block.start.initializeMemory(as: UInt8.self, repeating: byte, count: count)
        return memory.chunk(block, count: count)
    }

    @Test func aBlockIsReusedAfterItsChunkIsReleased() {
        let place = memory.take(Self.size)
        let start = place.start
        memory.giveBack(place)
        var first: Data? = chunk(of: 1)
        #expect(memory.freeCount == 0)
        let second = chunk(of: 2)
        #expect(first == Data(repeating: 1, count: Self.size))
        #expect(second == Data(repeating: 2, count: Self.size))
        first = nil
        #expect(memory.freeCount == 1)
        #expect(memory.take(Self.size).start == start)
        #expect(second == Data(repeating: 2, count: Self.size))
    }

    /// A slice, and a copy that is changed, keep their bytes for as long as they live.
    @Test func aSliceOfAChunkKeepsItsBytes() {
        var slice = chunk(of: 1)[10..<20]
        var changed = chunk(of: 2)
        changed.append(contentsOf: [9, 9])
        changed[0] = 8
        for byte in UInt8(3)..<9 { #expect(chunk(of: byte).allSatisfy { $0 == byte }) }
        #expect(slice == Data(repeating: 1, count: 10))
        slice.append(7)
        #expect(Array(slice) == Array(repeating: 1, count: 10) + [7])
        #expect(Array(changed) == [8] + Array(repeating: 2, count: Self.size - 1) + [9, 9])
    }

    /// Otherwise, a reader that keeps a small chunk would keep a large block.
    @Test(arguments: [(Self.size, 0), (Self.size / 2 + 1, 0), (Self.size / 2, 1), (1, 1)])
    func fewBytesAreCopied(_ count: Int, _ free: Int) {
        let chunk = chunk(of: 5, count: count)
        #expect(memory.freeCount == free)
        #expect(chunk == Data(repeating: 5, count: count))
    }

    @Test func noMoreBlocksAreKeptThanAFewAndNoneOfAnotherSize() {
        let blocks = (0..<5).map { _ in memory.take(Self.size) }
        blocks.forEach(memory.giveBack)
        #expect(memory.freeCount == 3)
        let other = memory.take(2 * Self.size)
        #expect(other.size == 2 * Self.size)
        #expect(memory.freeCount == 0)
        blocks.forEach(memory.giveBack)
        #expect(memory.freeCount == 0)
    }
}
