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

        deinit {
            api.destroy(decoder)
        }

        func decode(
            _ bytes: UnsafeRawBufferPointer,
            buffer: UnsafeMutableRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Void
        ) throws {
            var nextIn = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            var inputLeft = bytes.count
            while true {
                var nextOut = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
                var room = buffer.count
                let result = api.decompress(decoder, &inputLeft, &nextIn, &room, &nextOut, nil)
                let written = buffer.count - room
                guard result != Int32(NK_BROTLI_ERROR) else { throw ContentCoding.br.isDamaged("it cannot be decoded") }
                if written > 0 { try output(UnsafeRawBufferPointer(rebasing: buffer[..<written])) }
                if result == Int32(NK_BROTLI_NEEDS_MORE_OUTPUT) {
                    guard written > 0 else { throw ContentCoding.br.isDamaged("no progress") }
                    continue
                }
                // The decoder reads nothing after the end of the data.
                guard inputLeft == 0 else { throw ContentCoding.br.isDamaged("more bytes after its end") }
                return
            }
        }

        func finish() throws {
            guard api.is_finished(decoder) != 0 else { throw ContentCoding.br.endsEarly() }
        }
    }
#endif
