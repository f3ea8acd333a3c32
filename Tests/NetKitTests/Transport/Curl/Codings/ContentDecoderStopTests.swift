#if os(Linux)
    import Foundation
    import Testing

    @testable import NetKit
    @testable import NetKitTesting

    /// Tests of a reader that stops a decoder in the middle of a piece, which is then passed again.
    struct ContentDecoderStopTests {
        /// The end of decoding a body.
        private struct Outcome: Equatable {
            var content: [UInt8] = []
            var message: String?
        }

        /// The pieces in which a body comes.
        private enum Pieces {
            /// Pieces of one size; a piece is passed again as it was.
            case even(Int)
            /// Pieces of random sizes; a piece is passed again longer or shorter.
            case random(RandomSource)

            func nextSize() -> Int {
                switch self {
                case .even(let size): size
                case .random(let random): 1 + Int(random.next() % 3 == 0 ? random.next() % 5 : random.next() % 500)
                }
            }
        }

        /// Two codings, of which one or both shrink the body.
        private static let stacked = CodedBody.decodable([
            CodedBody("gzip, gzip", "gzip, gzip", stored(CodedBodies.gzipLong), CodedBodies.long),
            CodedBody("deflate, gzip", "deflate, gzip", stored(CodedBodies.deflateLong), CodedBodies.long),
            CodedBody("raw deflate, gzip", "deflate, gzip", stored(CodedBodies.rawDeflateLong), CodedBodies.long),
            CodedBody("br, gzip", "br, gzip", stored(CodedBodies.brLong), CodedBodies.long),
            CodedBody("zstd, gzip", "zstd, gzip", stored(CodedBodies.zstdLong), CodedBodies.long),
            CodedBody("zeros", "gzip, gzip", CodedBodies.gzipTwiceZeros, [UInt8](repeating: 0, count: 10_000_000)),
        ])

        private static let members = CodedBody.decodable([
            CodedBody(
                "gzip members",
                "gzip",
                CodedBodies.gzipLong + CodedBodies.gzipEmpty + CodedBodies.gzipLong + [0, 0],
                CodedBodies.long + CodedBodies.long
            ),
            CodedBody(
                "zstd frames",
                "zstd",
                CodedBodies.zstdLong + CodedBodies.zstdEmpty + CodedBodies.zstdLong,
                CodedBodies.long + CodedBodies.long
            ),
        ])

        private static func stored(_ coded: [UInt8]) -> [UInt8] { Array(Gzip.stored(Data(coded), .whole)) }

        private static func decoder(_ contentEncoding: String, _ bufferSize: Int) throws -> ContentDecoder {
            try #require(
                try ContentCodings.available.decoder(for: contentEncoding, maxRatio: 100_000, bufferSize: bufferSize)
            )
        }

        /// Decodes a body for a reader that takes one chunk at a time.
        private static func decodeStopping(
            _ coded: [UInt8],
            _ contentEncoding: String,
            _ pieces: Pieces,
            bufferSize: Int
        ) throws -> Outcome {
            let decoder = try decoder(contentEncoding, bufferSize)
            var outcome = Outcome()
            var rest = coded[...]
            var isOneChunkAtATime = true
            do {
                while !rest.isEmpty {
                    let piece = Array(rest.prefix(pieces.nextSize()))
                    var chunks = 0
                    let isWhole = try piece.withUnsafeBytes { bytes in
                        try decoder.decode(bytes) { chunk in
                            chunks += 1
                            outcome.content.append(contentsOf: chunk)
                            return false
                        }
                    }
                    if chunks != (isWhole ? min(chunks, 1) : 1) { isOneChunkAtATime = false }
                    if isWhole { rest = rest.dropFirst(piece.count) }
                }
                try decoder.finish()
            } catch let error as NetKitError {
                outcome.message = error.message
            }
            #expect(isOneChunkAtATime)
            return outcome
        }

        /// Decodes a body at once, with the same buffer.
        private static func decodeWhole(
            _ coded: [UInt8],
            _ contentEncoding: String,
            bufferSize: Int
        ) throws -> Outcome {
            let decoder = try decoder(contentEncoding, bufferSize)
            var outcome = Outcome()
            do {
                try decoder.decodeWhole(coded) { outcome.content.append(contentsOf: $0) }
                try decoder.finish()
            } catch let error as NetKitError {
                outcome.message = error.message
            }
            return outcome
        }

        @Test(arguments: CodedBody.whole + CodedBody.long + stacked + members, 0..<4 as Range<UInt64>)
        func theContentIsTheSame(body: CodedBody, seed: UInt64) throws {
            let isLarge = body.content.count > 1_000_000
            // One round takes as long as all rounds of the others.
            if isLarge, seed > 0 { return }
            let random = RandomSource.seeded(seed)
            let bufferSizes = isLarge ? [ContentDecoder.defaultBufferSize] : [100, 4096, 1 << 20]
            for bufferSize in bufferSizes {
                for pieces in [.even(1), .even(100), .even(.max), .random(random)] as [Pieces] {
                    let outcome = try Self.decodeStopping(
                        body.coded,
                        body.contentEncoding,
                        pieces,
                        bufferSize: bufferSize
                    )
                    #expect(outcome.message == nil)
                    let isSame = outcome.content == body.content
                    #expect(isSame, "buffer \(bufferSize), pieces \(pieces)")
                }
            }
        }

        @Test(arguments: CodedBody.long + stacked.dropLast(), [1, 100, .max])
        func aBodyCutShortIsNoSuccess(body: CodedBody, size: Int) throws {
            for length in stride(from: 1, to: body.coded.count, by: 7) {
                let cut = Array(body.coded.prefix(length))
                let outcome = try Self.decodeStopping(cut, body.contentEncoding, .even(size), bufferSize: 4096)
                #expect(outcome.message?.contains("ends in the middle") == true, "\(length) bytes passed")
            }
        }

        /// Half of the bodies have changed bytes, and half have bytes after their end.
        @Test(arguments: 0..<10 as Range<UInt64>)
        func damageIsNoticedAsInABodyThatIsDecodedAtOnce(seed: UInt64) throws {
            let random = RandomSource.seeded(seed)
            func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
            let bodies = CodedBody.whole + CodedBody.long + Self.stacked.dropLast() + Self.members
            guard !bodies.isEmpty else { return }
            for _ in 0..<100 {
                let body = bodies[below(bodies.count)]
                var coded = body.coded
                if below(2) == 0 {
                    coded += [UInt8(below(256)), 0]
                } else {
                    coded[below(coded.count)] ^= 1 << below(8)
                }
                let whole = try Self.decodeWhole(coded, body.contentEncoding, bufferSize: 1000)
                let stopping = try Self.decodeStopping(coded, body.contentEncoding, .even(.max), bufferSize: 1000)
                #expect(whole == stopping)
            }
        }

        /// The bytes of a piece that is passed again are received once.
        @Test(arguments: stacked.suffix(1))
        func aBombIsRefused(bomb: CodedBody) throws {
            let decoder = try #require(
                try ContentCodings.available.decoder(for: bomb.contentEncoding, maxRatio: 10_000)
            )
            var size = 0
            let error = try #require(throws: NetKitError.self) {
                while true {
                    let isWhole = try bomb.coded.withUnsafeBytes { bytes in
                        try decoder.decode(bytes) { chunk in
                            size += chunk.count
                            return false
                        }
                    }
                    if isWhole { break }
                }
            }
            #expect(error.code == .bodyTooLarge)
            #expect(size <= max(1 << 20, 10_000 * bomb.coded.count))
        }

        @Test(arguments: CodedBody.long)
        func aBodyDoesNotEndBeforeItsBytesWereTaken(body: CodedBody) throws {
            let decoder = try Self.decoder(body.contentEncoding, 4096)
            let isWhole = try body.coded.withUnsafeBytes { try decoder.decode($0) { _ in false } }
            #expect(!isWhole)
            let error = try #require(throws: NetKitError.self) { try decoder.finish() }
            #expect(error.code == .invalidResponse)
        }
    }
#endif
