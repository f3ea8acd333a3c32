#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// One stream of zlib's decoder.
    final class Inflater {
        private let api: nk_zlib_api
        private let coding: ContentCoding
        // On the heap, because zlib remembers its address.
        private let stream: UnsafeMutablePointer<nk_z_stream>
        /// Whether the stream, with its checksum, has ended.
        private(set) var isComplete = false

        /// Creates a stream; the number of bits of its window also says which format is around the deflated data.
        init(_ api: nk_zlib_api, windowBits: Int, for coding: ContentCoding) throws {
            var api = api
            let stream = UnsafeMutablePointer<nk_z_stream>.allocate(capacity: 1)
            stream.initialize(to: nk_z_stream())
            guard nk_inflate_init(&api, stream, Int32(windowBits)) == Int32(NK_Z_OK) else {
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

        /// Decodes until the bytes end, the stream ends, or the buffer is full.
        func inflate(_ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) throws -> CodingStep {
            // zlib counts in 32 bits.
            let (count, room) = (UInt32(clamping: bytes.count), UInt32(clamping: buffer.count))
            stream.pointee.next_in = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            stream.pointee.avail_in = count
            stream.pointee.next_out = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
            stream.pointee.avail_out = room
            let status = api.inflate(stream, Int32(NK_Z_NO_FLUSH))
            var step = CodingStep(
                read: Int(count - stream.pointee.avail_in),
                written: Int(room - stream.pointee.avail_out)
            )
            switch status {
            case Int32(NK_Z_OK): break
            case Int32(NK_Z_STREAM_END): isComplete = true
            // There was nothing to do, which is no failure if more bytes can come.
            case Int32(NK_Z_BUF_ERROR) where stream.pointee.avail_in == 0 || step.written > 0: break
            default: throw coding.isDamaged(reason(status))
            }
            step.hasMore = stream.pointee.avail_out == 0 && !isComplete
            return step
        }

        /// Begins another stream of the same format.
        func reset() throws {
            guard api.inflate_reset(stream) == Int32(NK_Z_OK) else { throw coding.cannotStart() }
            isComplete = false
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
