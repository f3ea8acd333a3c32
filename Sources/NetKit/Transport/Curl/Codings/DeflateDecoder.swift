#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// A decoder for deflate: in zlib's format (RFC 1950), as in HTTP, or raw (RFC 1951), as some servers send it.
    final class DeflateDecoder: CodingDecoder {
        /// The number of bytes that may follow raw data: some servers omit zlib's header, but send its checksum.
        private static let maxTrailer = 4

        private let api: nk_zlib_api
        private var firstByte: UInt8?
        private var inflater: Inflater?
        private var isComplete = false
        private var trailerRoom = 0

        init(_ api: nk_zlib_api) {
            self.api = api
        }

        func decode(
            _ bytes: UnsafeRawBufferPointer,
            buffer: UnsafeMutableRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Void
        ) throws {
            guard let next = bytes.first else { return }
            if let inflater { return try decode(bytes, with: inflater, buffer: buffer, into: output) }
            guard let first = firstByte else {
                firstByte = next
                return try decode(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()), buffer: buffer, into: output)
            }
            let isWrapped = Self.isHeader(first, next)
            let inflater = try Inflater(api, isWrapped ? .zlib : .raw, for: .deflate)
            self.inflater = inflater
            trailerRoom = isWrapped ? 0 : Self.maxTrailer
            try withUnsafeBytes(of: first) { try decode($0, with: inflater, buffer: buffer, into: output) }
            try decode(bytes, with: inflater, buffer: buffer, into: output)
        }

        func finish() throws {
            guard isComplete else { throw ContentCoding.deflate.endsEarly() }
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
            buffer: UnsafeMutableRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Void
        ) throws {
            var count = 0
            if !isComplete { (count, isComplete) = try inflater.inflate(bytes, buffer: buffer, into: output) }
            trailerRoom -= bytes.count - count
            guard trailerRoom >= 0 else { throw ContentCoding.deflate.isDamaged("more bytes after its end") }
        }
    }
#endif
