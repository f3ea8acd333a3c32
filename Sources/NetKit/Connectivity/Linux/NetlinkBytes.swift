#if canImport(Glibc) || canImport(Musl)
    /// Bytes of a netlink message, read with every place checked.
    ///
    /// They are the caller's, and not kept.
    struct NetlinkBytes {
        private let bytes: UnsafeRawBufferPointer

        init(_ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
        }

        var count: Int { bytes.count }

        var array: [UInt8] { Array(bytes) }

        /// The text before the first zero byte.
        var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

        /// A number of the machine's own byte order; nil behind the end.
        func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number? {
            guard offset >= 0, offset <= bytes.count - MemoryLayout<Number>.size else { return nil }
            return bytes.loadUnaligned(fromByteOffset: offset, as: type)
        }

        /// A part that lies wholly inside; nil for any other.
        func part(from offset: Int, length: Int) -> NetlinkBytes? {
            guard offset >= 0, length >= 0, offset <= bytes.count, length <= bytes.count - offset else { return nil }
            return NetlinkBytes(UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)]))
        }

        /// What lies behind so many bytes; nothing where there are fewer.
        func dropping(_ size: Int) -> NetlinkBytes {
            NetlinkBytes(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(max(0, size))))
        }

        /// Where the next part begins: at the next multiple of four.
        static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

        /// Calls with each attribute; ends at the first that makes no sense.
        func forEachAttribute(_ body: (Int, NetlinkBytes) -> Void) {
            var rest = self
            while let length = rest.number(UInt16.self, at: 0), let type = rest.number(UInt16.self, at: 2), length >= 4,
                let value = rest.part(from: 4, length: Int(length) - 4)
            {
                // The two upper bits say how the value is built.
                body(Int(type & 0x3FFF), value)
                rest = rest.dropping(Self.aligned(Int(length)))
            }
        }
    }
#endif
