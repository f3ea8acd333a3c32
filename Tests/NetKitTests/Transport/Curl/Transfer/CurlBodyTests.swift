#if canImport(Glibc) || canImport(Musl)
    import Foundation
    import NetKitTestSupport
    import Testing

    @testable import NetKit

    @Suite(.computes(for: .seconds(300)))
    struct CurlBodyTests {
        /// Pieces whose sum is below, at and above the bound for small bodies; each has bytes of its own.
        @Test(arguments: [
            [], [0], [1], [16_383, 1], [16_384], [16_384, 1], [16_385], [16_383, 2], [1, 16_384], [7000, 7000, 7000],
            [50_000, 1, 0, 7],
        ])
        func thePiecesComeTogetherInOrder(_ sizes: [Int]) {
            var room = CurlRoom()
            for expectedSize in [0, 10, 16_384, 16_385, 100_000, .max] {
                var body = CurlBody()
                body.take(&room)
                defer { body.giveBack(&room) }
                body.expect(expectedSize)
                var expected: [UInt8] = []
                for (index, size) in sizes.enumerated() {
                    let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
                    #expect(piece.withUnsafeBytes { body.append($0) })
                    expected += piece
                    #expect(body.count == expected.count)
                }
                #expect(body.data == Data(expected))
            }
            #expect(room.body.isEmpty)
        }

        /// The block moves as it grows, and asks for huge pages on the way.
        @Test(arguments: [0, 5 << 20, 9 << 20, 100 << 20]) func aLargeBodyIsComplete(expectedSize: Int) {
            var body = CurlBody()
            body.expect(expectedSize)
            let piece = (0..<(1 << 16)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            var (data, expected) = (Data(), Data())
            do {
                for _ in 0..<144 {
                    #expect(piece.withUnsafeBytes { body.append($0) })
                    expected += piece
                }
                data = body.data
                body = CurlBody()
            }
            // The data keeps the block, and may be changed.
            #expect(data.count == 9 << 20)
            let isWhole = data == expected
            #expect(isWhole)
            data.append(1)
            #expect(data.last == 1)
        }

        @Test func noBytesOfAResponseReachTheNextOne() {
            var room = CurlRoom()
            var (head, body) = (CurlHead(), CurlBody())
            for text in ["one", "two", "six"] {
                head.take(&room)
                body.take(&room)
                for line in ["HTTP/1.1 200 OK\r\n", "A: \(text)\r\n", "\r\n"] {
                    _ = Array(line.utf8).withUnsafeBytes { head.add($0) }
                }
                #expect(Array(text.utf8).withUnsafeBytes { body.append($0) })
                #expect(head.fields().fields.map(\.value) == [text])
                #expect(body.data == Data(text.utf8))
                head.giveBack(&room)
                body.giveBack(&room)
                (head, body) = (CurlHead(), CurlBody())
            }
        }
    }
#endif
