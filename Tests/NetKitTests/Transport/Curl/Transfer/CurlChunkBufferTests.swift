import Foundation
import Testing

@testable import NetKit

struct CurlChunkBufferTests {
    private static let piece = CurlChunkBuffer.pieceSize

    @Test(arguments: [
        ([], []), ([0], [false]), ([1], [false]), ([piece], [false]), ([piece, piece, piece], [false, false, false]),
        ([piece, piece, piece, 1], [false, false, false, true]), ([4 * piece], [true]), ([10 * piece], [true]),
        ([3 * piece, 1], [false, true]), ([1, piece, 7], [false, false, false]),
        ([piece, 4 * piece], [false, true]), ([1, 4 * piece, 1], [false, true, true]),
    ])
    func piecesComeTogetherInOrderAndFullOnesAreTold(_ sizes: [Int], _ full: [Bool]) {
        var buffer = CurlChunkBuffer()
        var expected = Data()
        var told: [Bool] = []
        for (index, size) in sizes.enumerated() {
            let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ index) }
            told.append(piece.withUnsafeBytes { buffer.add($0) })
            expected += piece
        }
        #expect(told == full)
        #expect(buffer.take(for: .waiting) == (expected.isEmpty ? nil : expected))
        #expect(buffer.take(for: .waiting) == nil)
    }

    /// A body that arrives quickly is delivered in chunks that double to half a megabyte, as long as its reader is
    /// faster. A slow body is not.
    @Test func chunksGrowWhileTheyAreFullAndAwaited() {
        var buffer = CurlChunkBuffer()
        let piece = [UInt8](repeating: 7, count: Self.piece)
        var sizes: [Int] = []
        let fast = [PipeState.Pace](repeating: .waiting, count: 6)
        for pace in fast + [.reading, .behind, .behind, .waiting, .behind, .behind, .behind, .behind] {
            while !piece.withUnsafeBytes({ buffer.add($0) }) {}
            sizes.append((buffer.take(for: pace)?.count ?? 0) / Self.piece)
        }
        #expect(sizes == [4, 8, 16, 32, 32, 32, 32, 32, 16, 8, 16, 8, 4, 4])

        var slow = CurlChunkBuffer()
        for _ in 0..<5 {
            _ = piece.withUnsafeBytes { slow.add($0) }
            #expect(slow.take(for: .waiting)?.count == Self.piece)
        }
        let told = (0..<4).map { index in piece.prefix(index < 3 ? Self.piece : 1).withUnsafeBytes { slow.add($0) } }
        #expect(told == [false, false, false, true])
    }

    @Test func aChunkIsLeftToGrowAsLongAsEachWakeUpBringsSomething() {
        var buffer = CurlChunkBuffer()
        var results = [buffer.mayGrow()]
        for byte in [UInt8(1), 2] {
            _ = [byte].withUnsafeBytes { buffer.add($0) }
            results.append(buffer.mayGrow())
        }
        results.append(buffer.mayGrow())
        #expect(results == [false, true, true, false])
        #expect(buffer.take(for: .waiting) == Data([1, 2]))
    }

    /// Otherwise, a slow body beside a busy loop would reach its reader late.
    @Test func aChunkIsNotLeftToGrowForever() {
        var buffer = CurlChunkBuffer()
        for _ in 0..<3 {
            var wakeUps = 0
            repeat {
                _ = [UInt8(1)].withUnsafeBytes { buffer.add($0) }
                wakeUps += 1
            } while buffer.mayGrow() && wakeUps < 1000
            #expect(wakeUps == 17)
            #expect(buffer.take(for: .waiting)?.count == wakeUps)
        }
    }
}
