#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// A decoder for gzip (RFC 1952): one or more members, and any padding that a server adds.
    ///
    /// Bytes after a member that do not begin another one are ignored, as by gzip itself: all data before them has
    /// passed its checksum.
    final class GzipDecoder: CodingDecoder {
        private enum Place {
            case inMember, afterMember
            /// The first byte of another member follows a member.
            case afterFirstByte
            case inPadding
        }

        private static let magic: [UInt8] = [0x1F, 0x8B]

        private let inflater: Inflater
        private var place = Place.inMember

        init(_ api: nk_zlib_api) throws { inflater = try Inflater(api, windowBits: NK_Z_WINDOW_GZIP, for: .gzip) }

        func decode(_ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) throws -> CodingStep {
            switch place {
            case .inMember:
                let step = try inflater.inflate(bytes, into: buffer)
                if inflater.isComplete { place = .afterMember }
                return step
            case .afterMember:
                place = bytes.first == Self.magic[0] ? .afterFirstByte : .inPadding
                return CodingStep(read: 1)
            case .afterFirstByte:
                guard bytes.first == Self.magic[1] else {
                    place = .inPadding
                    return CodingStep(read: bytes.count)
                }
                try inflater.reset()
                // The first bytes of a header are too short for any output.
                _ = try Self.magic.withUnsafeBytes { try inflater.inflate($0, into: buffer) }
                place = .inMember
                return CodingStep(read: 1)
            case .inPadding:
                return CodingStep(read: bytes.count)
            }
        }

        func finish() throws {
            switch place {
            case .inMember, .afterFirstByte: throw ContentCoding.gzip.endsEarly()
            case .afterMember, .inPadding: break
            }
        }
    }
#endif
