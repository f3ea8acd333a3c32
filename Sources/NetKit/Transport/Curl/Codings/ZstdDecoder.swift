#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// A decoder for zstd (RFC 8878): one or more frames.
    final class ZstdDecoder: CodingDecoder {
        /// The maximum window, 8 MiB as in RFC 9659 for HTTP, because a frame of a few bytes could ask for gigabytes.
        private static let maxWindowLog: Int32 = 23

        private let api: nk_zstd_api
        private let decoder: OpaquePointer
        private var isBetweenFrames = false

        init(_ api: nk_zstd_api) throws {
            guard let decoder = api.create() else { throw ContentCoding.zstd.cannotStart() }
            let result = api.set_parameter(decoder, Int32(NK_ZSTD_WINDOW_LOG_MAX), Self.maxWindowLog)
            guard api.is_error(result) == 0 else {
                _ = api.destroy(decoder)
                throw ContentCoding.zstd.cannotStart()
            }
            self.api = api
            self.decoder = decoder
        }

        deinit { _ = api.destroy(decoder) }

        func decode(_ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) throws -> CodingStep {
            var input = nk_zstd_input(bytes: bytes.baseAddress, size: bytes.count, position: 0)
            var room = nk_zstd_output(bytes: buffer.baseAddress, size: buffer.count, position: 0)
            let result = api.decompress(decoder, &room, &input)
            guard api.is_error(result) == 0 else {
                throw ContentCoding.zstd.isDamaged(String(cString: api.error_name(result)))
            }
            // A complete frame has no more output: its end is reported only after all of it was written.
            isBetweenFrames = result == 0
            return CodingStep(
                read: input.position,
                written: room.position,
                hasMore: room.position == room.size && !isBetweenFrames
            )
        }

        func finish() throws {
            guard isBetweenFrames else { throw ContentCoding.zstd.endsEarly() }
        }
    }
#endif
