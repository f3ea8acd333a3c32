#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// One stream of zlib's decoder.
    final class Inflater {
        /// The format around the deflated data.
        enum Format {
            case gzip
            case zlib
            case raw

            fileprivate var windowBits: Int32 {
                switch self {
                case .gzip: Int32(NK_Z_WINDOW_GZIP)
                case .zlib: Int32(NK_Z_WINDOW_ZLIB)
                case .raw: Int32(NK_Z_WINDOW_RAW)
                }
            }
        }

        private let api: nk_zlib_api
        private let coding: ContentCoding
        // On the heap, because zlib remembers its address.
        private let stream: UnsafeMutablePointer<nk_z_stream>

        init(_ api: nk_zlib_api, _ format: Format, for coding: ContentCoding) throws {
            var api = api
            let stream = UnsafeMutablePointer<nk_z_stream>.allocate(capacity: 1)
            stream.initialize(to: nk_z_stream())
            guard nk_inflate_init(&api, stream, format.windowBits) == Int32(NK_Z_OK) else {
                stream.deallocate()
                throw coding.cannotStart()
            }
            self.api = api
            self.coding = coding
            self.stream = stream
        }

        deinit {
            _ = api.inflate_end(stream)
            stream.deallocate()
        }

        /// Decodes until the bytes or the stream end.
        ///
        /// - Returns: The number of bytes that were read, and whether the stream, with its checksum, is complete.
        func inflate(
            _ bytes: UnsafeRawBufferPointer,
            buffer: UnsafeMutableRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Void
        ) throws -> (count: Int, isComplete: Bool) {
            var count = 0
            while count < bytes.count {
                // zlib counts in 32 bits.
                let part = UnsafeRawBufferPointer(rebasing: bytes[count...].prefix(1 << 30))
                let isComplete = try inflatePart(part, buffer: buffer, into: output)
                count += part.count - Int(stream.pointee.avail_in)
                if isComplete { return (count, true) }
            }
            return (count, false)
        }

        /// Begins another stream of the same format.
        func reset() throws {
            guard api.inflate_reset(stream) == Int32(NK_Z_OK) else { throw coding.cannotStart() }
        }

        private func inflatePart(
            _ bytes: UnsafeRawBufferPointer,
            buffer: UnsafeMutableRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Void
        ) throws -> Bool {
            let room = UInt32(clamping: buffer.count)
            stream.pointee.next_in = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            stream.pointee.avail_in = UInt32(clamping: bytes.count)
            var isFull: Bool
            repeat {
                let before = stream.pointee.avail_in
                stream.pointee.next_out = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
                stream.pointee.avail_out = room
                let status = api.inflate(stream, Int32(NK_Z_NO_FLUSH))
                let written = Int(room) - Int(stream.pointee.avail_out)
                isFull = stream.pointee.avail_out == 0
                switch status {
                case Int32(NK_Z_OK), Int32(NK_Z_STREAM_END): break
                // There was nothing to do, which is no failure if more bytes can come.
                case Int32(NK_Z_BUF_ERROR) where stream.pointee.avail_in == 0 || written > 0: break
                default: throw coding.isDamaged(reason(status))
                }
                if written > 0 { try output(UnsafeRawBufferPointer(rebasing: buffer[..<written])) }
                if status == Int32(NK_Z_STREAM_END) { return true }
                guard written > 0 || stream.pointee.avail_in < before || before == 0 else {
                    throw coding.isDamaged("no progress")
                }
            } while isFull || stream.pointee.avail_in > 0
            return false
        }

        private func reason(_ status: Int32) -> String {
            switch status {
            case Int32(NK_Z_NEED_DICT): "it needs a dictionary"
            case Int32(NK_Z_MEM_ERROR): "out of memory"
            default: stream.pointee.message.map { String(cString: $0) } ?? "status \(status)"
            }
        }
    }
#endif
