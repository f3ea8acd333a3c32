#if os(Linux)
    import Foundation
    import Testing

    @testable import NetKit
    @testable import NetKitTesting

    struct ContentDecoderBoundTests {
        private static let zeros = Array(Gzip.zeros(10_000_000))

        /// Ten million zeros each, or nothing at all with 20 million bytes on the wire.
        private static let bombs = CodedBody.decodable([
            CodedBody("gzip", "gzip", zeros, []),
            CodedBody("raw deflate", "deflate", Array(zeros.dropFirst(10).dropLast(8)), []),
            CodedBody("brotli", "br", CodedBodies.brZeros, []),
            CodedBody("zstd", "zstd", CodedBodies.zstdZeros, []),
            CodedBody("gzip in gzip", "gzip, gzip", CodedBodies.gzipTwiceZeros, []),
            CodedBody("what is large only on the way", "gzip, br", CodedBodies.brOverEmptyMembers, []),
        ])

        @Test(arguments: bombs, [1, 1000, .max])
        func aBombIsRefusedBeforeItIsLarge(bomb: CodedBody, size: Int) throws {
            let decoder = try #require(
                try ContentCodings.available.decoder(for: bomb.contentEncoding, maxRatio: 100)
            )
            var (received, decoded) = (0, 0)
            let error = try #require(throws: NetKitError.self) {
                for start in stride(from: 0, to: bomb.coded.count, by: min(size, bomb.coded.count)) {
                    let piece = Array(bomb.coded[start...].prefix(size))
                    received += piece.count
                    try decoder.decodeWhole(piece) { decoded += $0.count }
                }
                try decoder.finish()
            }
            #expect(error.code == .bodyTooLarge)
            #expect(error.outcome == .answered)
            #expect(decoded <= max(1 << 20, 100 * received))
        }

        @Test(arguments: bombs)
        func theUsualRatioIsAThousand(bomb: CodedBody) throws {
            let error = try #require(throws: NetKitError.self) {
                try CodedBody.decode(bomb.coded, bomb.contentEncoding)
            }
            #expect(error.code == .bodyTooLarge)
        }

        @Test(.needs(.gzip))
        func theRatioCanBeSet() throws {
            // The best ratio of deflate is 1032.
            let content = try CodedBody.decode(Self.zeros, "gzip", maxRatio: 1100)
            #expect(content == [UInt8](repeating: 0, count: 10_000_000))
        }

        @Test(.needs(.gzip), arguments: [(1_048_576, true), (1_048_577, false)])
        func aMebibyteIsNeverTooMuch(size: Int, isAllowed: Bool) throws {
            for ratio in [.min, 0, 1] {
                let coded = Array(Gzip.zeros(size))
                if isAllowed {
                    #expect(try CodedBody.decode(coded, "gzip", maxRatio: ratio).count == size)
                } else {
                    #expect(throws: NetKitError.self) { try CodedBody.decode(coded, "gzip", maxRatio: ratio) }
                }
            }
        }

        @Test(.needs(.gzip))
        func aRatioBeyondAllNumbersIsNoBound() throws {
            let content = try CodedBody.decode(Self.zeros, "gzip", maxRatio: .max)
            #expect(content.count == 10_000_000)
        }
    }
#endif
