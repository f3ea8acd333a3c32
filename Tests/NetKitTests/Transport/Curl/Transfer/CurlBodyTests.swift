#if canImport(Glibc) || canImport(Musl)
    import Foundation
    import Testing

    @testable import NetKit

    struct CurlBodyTests {
        /// Pieces whose sum lies below, at and above what counts as small; each has bytes of its own.
        @Test(arguments: [
            [], [0], [1], [16_383, 1], [16_384], [16_384, 1], [16_385], [16_383, 2], [1, 16_384], [7000, 7000, 7000],
            [50_000, 1, 0, 7],
        ])
        func thePiecesComeTogetherInOrder(_ sizes: [Int]) {
            var room = CurlRoom()
            for reserved in [0, 10, 16_384, 16_385, 100_000] {
                var body = CurlBody()
                body.take(&room)
                defer { body.giveBack(&room) }
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
            #expect(room.body.isEmpty)
        }

        @Test func oneResponseLeavesNothingInTheNext() {
            var room = CurlRoom()
            var (head, body) = (CurlHead(), CurlBody())
            for text in ["one", "two", "six"] {
                head.take(&room)
                body.take(&room)
                for line in ["HTTP/1.1 200 OK\r\n", "A: \(text)\r\n", "\r\n"] {
                    _ = Array(line.utf8).withUnsafeBytes { head.add($0) }
                }
                Array(text.utf8).withUnsafeBytes { body.append($0) }
                #expect(head.fields().fields.map(\.value) == [text])
                #expect(body.data == Data(text.utf8))
                head.giveBack(&room)
                body.giveBack(&room)
                (head, body) = (CurlHead(), CurlBody())
            }
        }
    }
#endif
