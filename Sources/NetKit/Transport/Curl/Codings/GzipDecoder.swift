#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// A decoder for gzip (RFC 1952): one or more members, and any padding that a server adds.
    ///
    /// Bytes after a member that do not begin another one are ignored, as by gzip itself: all data before them has
    /// passed its checksum.
    final class GzipDecoder: CodingDecoder {
        private enum Place {
            case inMember
            case afterMember
            /// The first byte of another member follows a member.
            case afterFirstByte
            case inPadding
        }

        private static let magic: [UInt8] = [0x1F, 0x8B]

        private let inflater: Inflater
        private var place = Place.inMember

        init(_ api: nk_zlib_api) throws {
            inflater = try Inflater(api, .gzip, for: .gzip)
        }

        func decode(
            _ bytes: UnsafeRawBufferPointer,
            buffer: UnsafeMutableRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Void
        ) throws {
            var rest = bytes
            while let first = rest.first {
                switch place {
                case .inMember:
                    let (count, isComplete) = try inflater.inflate(rest, buffer: buffer, into: output)
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                    if isComplete { place = .afterMember }
                case .afterMember:
                    place = first == Self.magic[0] ? .afterFirstByte : .inPadding
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
                case .afterFirstByte:
                    guard first == Self.magic[1] else {
                        place = .inPadding
                        return
                    }
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
                    try inflater.reset()
                    _ = try Self.magic.withUnsafeBytes { try inflater.inflate($0, buffer: buffer, into: output) }
                    place = .inMember
                case .inPadding:
                    return
                }
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
