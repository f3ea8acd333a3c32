#if os(Linux)
    import Foundation
    import Testing

    @testable import NetKit

    /// One coded body, and its content.
    struct CodedBody: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let contentEncoding: String
        let coded: [UInt8]
        let content: [UInt8]

        init(_ name: String, _ contentEncoding: String, _ coded: [UInt8], _ content: [UInt8]) {
            testDescription = name
            self.contentEncoding = contentEncoding
            self.coded = coded
            self.content = content
        }

        /// Whether each byte of the content is under a checksum; brotli and raw deflate have none.
        var hasChecksum: Bool { contentEncoding != "br" && !testDescription.hasPrefix("raw") }

        /// Every whole body whose library is present.
        static let whole = decodable([
            CodedBody("gzip", "gzip", CodedBodies.gzipText, CodedBodies.text),
            CodedBody("gzip with a name", "x-gzip", CodedBodies.namedGzipText, CodedBodies.text),
            CodedBody("wrapped deflate", "deflate", CodedBodies.deflateText, CodedBodies.text),
            CodedBody("raw deflate", "deflate", CodedBodies.rawDeflateText, CodedBodies.text),
            CodedBody("brotli", "br", CodedBodies.brText, CodedBodies.text),
            CodedBody("zstd", "zstd", CodedBodies.zstdText, CodedBodies.text),
            CodedBody("zstd without its size", "zstd", CodedBodies.unsizedZstdText, CodedBodies.text),
            CodedBody("gzip, br", "gzip, br", CodedBodies.brOverGzipText, CodedBodies.text),
            CodedBody("empty gzip", "gzip", CodedBodies.gzipEmpty, []),
            CodedBody("empty wrapped deflate", "deflate", CodedBodies.deflateEmpty, []),
            CodedBody("raw deflate of nothing", "deflate", CodedBodies.rawDeflateEmpty, []),
            CodedBody("empty brotli", "br", CodedBodies.brEmpty, []),
            CodedBody("empty zstd", "zstd", CodedBodies.zstdEmpty, []),
        ])

        /// Bodies that become larger than the buffer.
        static let long = decodable([
            CodedBody("gzip", "gzip", CodedBodies.gzipLong, CodedBodies.long),
            CodedBody("wrapped deflate", "deflate", CodedBodies.deflateLong, CodedBodies.long),
            CodedBody("raw deflate", "deflate", CodedBodies.rawDeflateLong, CodedBodies.long),
            CodedBody("brotli", "br", CodedBodies.brLong, CodedBodies.long),
            CodedBody("zstd", "zstd", CodedBodies.zstdLong, CodedBodies.long),
        ])

        /// Leaves out the codings that this machine has no library for; `ContentCodingsTests` reports them.
        static func decodable(_ bodies: [CodedBody]) -> [CodedBody] {
            bodies.filter { body in
                let codings = ContentCoding.list(body.contentEncoding) ?? []
                return codings.allSatisfy { ContentCodings().missingReason($0) == nil }
            }
        }

        /// Decodes a body that comes in pieces of a size.
        static func decode(
            _ coded: [UInt8],
            _ contentEncoding: String,
            pieces size: Int = .max,
            maxRatio: Int = ContentDecoder.defaultMaximumRatio,
            bufferSize: Int = ContentDecoder.defaultBufferSize
        ) throws -> [UInt8] {
            let decoder = try #require(
                try ContentCodings.available.decoder(
                    for: contentEncoding,
                    maxRatio: maxRatio,
                    bufferSize: bufferSize
                )
            )
            var content: [UInt8] = []
            var rest = coded[...]
            while !rest.isEmpty {
                try decoder.decodeWhole(rest.prefix(size)) { content.append(contentsOf: $0) }
                rest = rest.dropFirst(size)
            }
            try decoder.finish()
            return content
        }
    }

    extension ContentDecoder {
        /// Decodes a piece at once.
        func decodeWhole(_ piece: some Sequence<UInt8>, into output: (UnsafeRawBufferPointer) throws -> Void) throws {
            let isWhole = try Array(piece).withUnsafeBytes { bytes in
                try decode(bytes) { decoded in
                    try output(decoded)
                    return true
                }
            }
            #expect(isWhole)
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Skips, with the reason, if there is no library for a coding.
        static func needs(_ coding: ContentCoding) -> ConditionTrait {
            let reason = ContentCodings().missingReason(coding)
            return .enabled(if: reason == nil, "nothing decodes \(coding.rawValue) here: \(reason ?? "")")
        }
    }
#endif
