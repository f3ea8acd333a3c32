#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// A decoder for deflate: in zlib's format (RFC 1950), as in HTTP, or raw (RFC 1951), as some servers send it.
    final class DeflateDecoder: CodingDecoder {
        /// The number of bytes that may follow raw data: some servers omit zlib's header, but send its checksum.
        private static let maxTrailer = 4

        private let api: nk_zlib_api
        private var firstByte: UInt8?
        private var inflater: Inflater?
        private var trailerRoom = 0

        init(_ api: nk_zlib_api) { self.api = api }

        func decode(_ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) throws -> CodingStep {
            if let inflater { return try decode(bytes, with: inflater, into: buffer) }
            guard let next = bytes.first else { return CodingStep() }
            guard let first = firstByte else {
                firstByte = next
                return CodingStep(read: 1)
            }
            let isWrapped = Self.isHeader(first, next)
            let windowBits = isWrapped ? NK_Z_WINDOW_ZLIB : NK_Z_WINDOW_RAW
            let inflater = try Inflater(api, windowBits: windowBits, for: .deflate)
            self.inflater = inflater
            trailerRoom = isWrapped ? 0 : Self.maxTrailer
            // A single byte is too short for any output.
            _ = try withUnsafeBytes(of: first) { try inflater.inflate($0, into: buffer) }
            return try decode(bytes, with: inflater, into: buffer)
        }

        func finish() throws {
            guard inflater?.isComplete == true else { throw ContentCoding.deflate.endsEarly() }
        }

        /// Returns whether two bytes are zlib's header.
        ///
        /// Raw data does not begin this way: with that first byte, it would be a stored block whose padding is not
        /// zero.
        private static func isHeader(_ first: UInt8, _ second: UInt8) -> Bool {
            first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) << 8 | Int(second)) % 31 == 0
        }

        private func decode(
            _ bytes: UnsafeRawBufferPointer,
            with inflater: Inflater,
            into buffer: UnsafeMutableRawBufferPointer
        ) throws -> CodingStep {
            guard inflater.isComplete else { return try inflater.inflate(bytes, into: buffer) }
            trailerRoom -= bytes.count
            guard trailerRoom >= 0 else { throw ContentCoding.deflate.isDamaged("more bytes after its end") }
            return CodingStep(read: bytes.count)
        }
    }
#endif
