#if canImport(Glibc) || canImport(Musl)
    import Foundation
    import Testing

    @testable import NetKitCore

    struct CurlBodyTests {
        /// Pieces whose sum lies below, at and above what counts as small; each has bytes of its own.
        @Test(arguments: [
            [], [0], [1], [959, 1], [960], [960, 1], [961], [959, 2], [1, 960], [500, 500, 500], [5000, 1, 0, 7],
        ])
        func thePiecesComeTogetherInOrder(_ sizes: [Int]) {
            for reserved in [0, 10, 960, 961, 10_000] {
                var body = CurlBody()
                body.prepare()
                body.reserveCapacity(reserved)
                var expected: [UInt8] = []
                for (index, size) in sizes.enumerated() {
                    let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
                    piece.withUnsafeBytes { body.append($0) }
                    expected += piece
                    #expect(body.count == expected.count)
                }
                #expect(body.data == Data(expected))
            }
        }
    }
#endif
