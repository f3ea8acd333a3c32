#if os(Linux)
    import Testing

    @testable import NetKit

    struct ContentDecoderTests {
        @Test(arguments: CodedBody.whole, [1, 2, 3, 7, 61, .max])
        func decodesPiecesOfAnySize(body: CodedBody, size: Int) throws {
            #expect(try CodedBody.decode(body.coded, body.contentEncoding, pieces: size) == body.content)
            #expect(try CodedBody.decode(body.coded, body.contentEncoding, pieces: size, bufferSize: 1) == body.content)
        }

        @Test(arguments: CodedBody.long, [1, 100, .max])
        func decodesBodiesLargerThanTheBuffer(body: CodedBody, size: Int) throws {
            for bufferSize in [0, 1000, ContentDecoder.defaultBufferSize, 95_000, 1 << 20] {
                let content = try CodedBody.decode(
                    body.coded,
                    body.contentEncoding,
                    pieces: size,
                    maxRatio: 100_000,
                    bufferSize: bufferSize
                )
                #expect(content == body.content)
            }
        }

        @Test(arguments: CodedBody.long)
        func handsOnNoMoreThanTheBufferAtOnce(body: CodedBody) throws {
            let decoder = try #require(
                try ContentCodings.available.decoder(for: body.contentEncoding, bufferSize: 4096)
            )
            var sizes: [Int] = []
            try decoder.decodeWhole(body.coded) { sizes.append($0.count) }
            try decoder.finish()
            #expect(sizes.allSatisfy { (1...4096).contains($0) })
            #expect(sizes.reduce(0, +) == 95_000)
        }

        @Test(arguments: CodedBody.whole)
        func aBodyWithoutAByteIsEmpty(body: CodedBody) throws {
            #expect(try CodedBody.decode([], body.contentEncoding) == [])
            let decoder = try #require(try ContentCodings.available.decoder(for: body.contentEncoding))
            let isWhole = try decoder.decode(UnsafeRawBufferPointer(start: nil, count: 0)) { _ in
                Issue.record("there is nothing")
                return false
            }
            #expect(isWhole)
            try decoder.finish()
            try decoder.finish()
        }

        @Test(.needs(.gzip), arguments: [1, 2, 5, .max])
        func gzipMembersAreOneBody(size: Int) throws {
            let members = CodedBodies.gzipText + CodedBodies.gzipEmpty + CodedBodies.namedGzipText
            let content = try CodedBody.decode(members, "gzip", pieces: size)
            #expect(content == CodedBodies.text + CodedBodies.text)
        }

        @Test(
            .needs(.gzip),
            arguments: [[0], [0, 0, 0, 0], [0x1F, 0], [0x20, 0x1F, 0x8B, 8], Array(repeating: 0xFF, count: 100)]
                as [[UInt8]]
        )
        func paddingAfterGzipIsIgnored(padding: [UInt8]) throws {
            for size in [1, 3, .max] {
                let content = try CodedBody.decode(CodedBodies.gzipText + padding, "gzip", pieces: size)
                #expect(content == CodedBodies.text)
            }
        }

        @Test(.needs(.zstd), arguments: [1, 3, .max])
        func zstdFramesAreOneBody(size: Int) throws {
            // A frame that is to be skipped: its number, its length, two bytes.
            let skipped: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 0xFF, 0xFF]
            let frames = skipped + CodedBodies.zstdText + CodedBodies.zstdEmpty + skipped + CodedBodies.unsizedZstdText
            let content = try CodedBody.decode(frames, "zstd", pieces: size)
            #expect(content == CodedBodies.text + CodedBodies.text)
        }

        @Test(.needs(.gzip), arguments: [1, .max])
        func rawDeflateMayCarryTheChecksumOfItsWrapping(size: Int) throws {
            let unwrapped = Array(CodedBodies.deflateText.dropFirst(2))
            #expect(try CodedBody.decode(unwrapped, "deflate", pieces: size) == CodedBodies.text)
        }

        @Test(arguments: CodedBody.long)
        func anErrorOfTheReaderIsThrownAndStays(body: CodedBody) throws {
            struct Enough: Error, Equatable {}
            let decoder = try #require(
                try ContentCodings.available.decoder(for: body.contentEncoding, bufferSize: 1000)
            )
            var pieces = 0
            #expect(throws: Enough()) {
                try decoder.decodeWhole(body.coded) { _ in
                    pieces += 1
                    throw Enough()
                }
            }
            #expect(pieces == 1)
            #expect(throws: Enough()) { try decoder.finish() }
            #expect(throws: Enough()) { try decoder.decodeWhole(body.coded) { _ in pieces += 1 } }
            #expect(pieces == 1)
        }
    }
#endif
