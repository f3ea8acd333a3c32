#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// A decoder for brotli (RFC 7932), whose window is at most 16 MiB.
    ///
    /// Brotli has no checksum: a damaged byte is noticed only if it breaks the structure of the data.
    final class BrotliDecoder: CodingDecoder {
        private let api: nk_brotli_api
        private let decoder: OpaquePointer

        init(_ api: nk_brotli_api) throws {
            guard let decoder = api.create(nil, nil, nil) else { throw ContentCoding.br.cannotStart() }
            self.api = api
            self.decoder = decoder
        }

        deinit { api.destroy(decoder) }

        func decode(_ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) throws -> CodingStep {
            // The decoder reads nothing after the end of the data.
            guard api.is_finished(decoder) == 0 else { throw ContentCoding.br.isDamaged("more bytes after its end") }
            var nextIn = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            var inputLeft = bytes.count
            var nextOut = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
            var room = buffer.count
            let result = api.decompress(decoder, &inputLeft, &nextIn, &room, &nextOut, nil)
            guard result != Int32(NK_BROTLI_ERROR) else { throw ContentCoding.br.isDamaged("it cannot be decoded") }
            return CodingStep(
                read: bytes.count - inputLeft,
                written: buffer.count - room,
                hasMore: result == Int32(NK_BROTLI_NEEDS_MORE_OUTPUT)
            )
        }

        func finish() throws {
            guard api.is_finished(decoder) != 0 else { throw ContentCoding.br.endsEarly() }
        }
    }
#endif
