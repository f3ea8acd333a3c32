import Foundation
import Testing

@testable import NetKitCore

struct CurlGatheringTests {
    private static let piece = CurlGathering.pieceSize

    @Test(arguments: [
        ([], []), ([0], [false]), ([1], [false]), ([piece], [false]), ([piece, piece, piece], [false, false, false]),
        ([piece, piece, piece, 1], [false, false, false, true]), ([4 * piece], [true]), ([10 * piece], [true]),
        ([3 * piece, 1], [false, true]), ([1, piece, 7], [false, false, false]),
    ])
    func piecesComeTogetherInOrderAndFullOnesAreTold(_ sizes: [Int], _ full: [Bool]) {
        var gathering = CurlGathering()
        for _ in 0..<2 {
            var expected = Data()
            var told: [Bool] = []
            for (index, size) in sizes.enumerated() {
                let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ index) }
                told.append(piece.withUnsafeBytes { gathering.add($0) })
                expected += piece
            }
            #expect(told == full)
            #expect(gathering.isEmpty == expected.isEmpty)
            #expect(gathering.take() == (expected.isEmpty ? nil : expected))
            #expect(gathering.take() == nil)
        }
    }
}
