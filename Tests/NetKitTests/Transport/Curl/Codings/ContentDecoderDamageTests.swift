#if os(Linux)
    import Foundation
    import Testing

    @testable import NetKit
    @testable import NetKitTesting

    struct ContentDecoderDamageTests {
        /// Returns the error of a body that cannot be decoded, or `nil` if it can.
        private func failure(_ coded: [UInt8], _ contentEncoding: String, pieces: Int = .max) throws -> NetKitError? {
            do {
                _ = try CodedBody.decode(coded, contentEncoding, pieces: pieces)
                return nil
            } catch let error as NetKitError {
                return error
            }
        }

        @Test(arguments: CodedBody.whole + CodedBody.long, [1, .max])
        func aBodyCutShortAtAnyPlaceIsNoSuccess(body: CodedBody, size: Int) throws {
            for length in 1..<body.coded.count {
                let cut = Array(body.coded.prefix(length))
                let error = try #require(try failure(cut, body.contentEncoding, pieces: size), "\(length) bytes passed")
                #expect(error.code == .invalidResponse)
                #expect(error.outcome == .answered)
                #expect(error.message.contains("ends in the middle"))
            }
        }

        @Test(.needs(.gzip))
        func aSecondGzipMemberCutShortIsNoSuccess() throws {
            for length in 1..<CodedBodies.gzipText.count {
                let cut = CodedBodies.gzipText + CodedBodies.gzipText.prefix(length)
                #expect(try failure(cut, "gzip")?.code == .invalidResponse, "\(length) bytes of the second")
            }
        }

        /// A flag, time or name in a gzip header can change without changing the content. No other change may pass.
        @Test(arguments: CodedBody.whole.filter(\.hasChecksum))
        func aDamagedByteNeverGivesOtherContent(body: CodedBody) throws {
            for position in body.coded.indices {
                for mask: UInt8 in [0x01, 0x10, 0x80, 0xFF] {
                    var damaged = body.coded
                    damaged[position] ^= mask
                    do {
                        let content = try CodedBody.decode(damaged, body.contentEncoding)
                        #expect(content == body.content, "byte \(position), mask \(mask)")
                    } catch let error as NetKitError {
                        #expect(error.code == .invalidResponse)
                        #expect(error.outcome == .answered)
                    }
                }
            }
        }

        /// Without a checksum, a change of a literal cannot be noticed, here or elsewhere. A change of the structure is
        /// noticed.
        @Test(arguments: CodedBody.whole.filter { !$0.hasChecksum })
        func withoutAChecksumDamageOfTheStructureIsNoticed(body: CodedBody) throws {
            var noticed = 0
            for position in body.coded.indices {
                for mask: UInt8 in [0x01, 0x10, 0x80, 0xFF] {
                    var damaged = body.coded
                    damaged[position] ^= mask
                    guard let error = try failure(damaged, body.contentEncoding) else { continue }
                    #expect(error.code == .invalidResponse)
                    noticed += 1
                }
            }
            #expect(noticed > 0)
        }

        @Test(
            arguments: CodedBody.decodable([
                CodedBody("the checksum of gzip", "gzip", changed(CodedBodies.gzipText, fromEnd: 8), []),
                CodedBody("the length of gzip", "gzip", changed(CodedBodies.gzipText, fromEnd: 1), []),
                CodedBody("the checksum of zlib", "deflate", changed(CodedBodies.deflateText, fromEnd: 1), []),
                CodedBody("the checksum of zstd", "zstd", changed(CodedBodies.zstdText, fromEnd: 1), []),
                CodedBody("no gzip at all", "gzip", CodedBodies.text, []),
                CodedBody("no deflate at all", "deflate", CodedBodies.text, []),
                CodedBody("no brotli at all", "br", [0x11] + CodedBodies.text, []),
                CodedBody("no zstd at all", "zstd", CodedBodies.text, []),
                CodedBody("another coding", "gzip", CodedBodies.deflateText, []),
                CodedBody("zlib that needs a dictionary", "deflate", [0x78, 0xBB, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1], []),
                CodedBody("bytes behind wrapped deflate", "deflate", CodedBodies.deflateText + [0], []),
                CodedBody(
                    "too many bytes behind raw deflate",
                    "deflate",
                    CodedBodies.rawDeflateText + [0, 0, 0, 0, 0],
                    []
                ),
                CodedBody("bytes behind brotli", "br", CodedBodies.brText + [0], []),
                CodedBody("bytes behind zstd", "zstd", CodedBodies.zstdText + [1, 2, 3, 4], []),
                CodedBody("a gzip member that is none", "gzip", CodedBodies.gzipText + [0x1F, 0x8B, 9, 0], []),
                CodedBody("the wrong order", "br, gzip", CodedBodies.brOverGzipText, []),
                CodedBody("damage below another coding", "gzip, gzip", gzipOfDamagedGzip, []),
            ]),
            [1, .max]
        )
        func isRefused(body: CodedBody, size: Int) throws {
            let error = try #require(try failure(body.coded, body.contentEncoding, pieces: size))
            #expect(error.code == .invalidResponse)
            #expect(error.outcome == .answered)
            #expect(error.message.contains("is not valid"))
        }

        @Test(.needs(.zstd))
        func aZstdWindowIsBounded() throws {
            // One empty block, last of its frame, with a window of 8 and of 16 MiB.
            let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00]
            #expect(try CodedBody.decode(head + [13 << 3, 1, 0, 0], "zstd") == [])
            #expect(try failure(head + [14 << 3, 1, 0, 0], "zstd")?.code == .invalidResponse)
        }

        /// 10,000 bodies from one seed: half of them noise, half of them good ones with changes.
        @Test(arguments: 0..<20 as Range<UInt64>)
        func garbageNeitherTrapsNorHangs(seed: UInt64) throws {
            let random = RandomSource.seeded(seed)
            func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
            let bodies = CodedBody.whole + CodedBody.long
            guard !bodies.isEmpty else { return }
            for _ in 0..<500 {
                let body = bodies[below(bodies.count)]
                var coded = body.coded
                if below(2) == 0 {
                    coded = coded.prefix(below(12)) + (0..<below(300)).map { _ in UInt8(below(256)) }
                } else {
                    for _ in 0...below(4) { coded[below(coded.count)] = UInt8(below(256)) }
                    coded += coded.prefix(below(3) * below(coded.count))
                }
                do {
                    let content = try CodedBody.decode(
                        coded,
                        body.contentEncoding,
                        pieces: 1 + below(400),
                        bufferSize: 1 + below(9000)
                    )
                    #expect(content.count <= 1 << 20)
                } catch let error as NetKitError {
                    #expect([.invalidResponse, .bodyTooLarge].contains(error.code))
                }
            }
        }

        private static func changed(_ coded: [UInt8], fromEnd distance: Int) -> [UInt8] {
            var coded = coded
            coded[coded.count - distance] ^= 1
            return coded
        }

        /// A gzip body in a stored block of another, which is whole; the inner checksum is wrong.
        private static let gzipOfDamagedGzip: [UInt8] = {
            let inner = changed(CodedBodies.gzipText, fromEnd: 8)
            let outer = Gzip.stored(Data(inner), .whole)
            return Array(outer)
        }()
    }
#endif
