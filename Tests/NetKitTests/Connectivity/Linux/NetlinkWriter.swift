#if canImport(Glibc) || canImport(Musl)
    /// Writes netlink messages as the kernel does.
    enum NetlinkWriter {
        static func bytes<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number) { Array($0) }
        }

        static func message(_ type: UInt16, _ body: [UInt8], flags: UInt16 = 0, sequence: UInt32 = 0) -> [UInt8] {
            padded(
                bytes(UInt32(16 + body.count)) + bytes(type) + bytes(flags) + bytes(sequence) + bytes(UInt32(0)) + body
            )
        }

        static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
            padded(bytes(UInt16(4 + value.count)) + bytes(type) + value)
        }

        static func link(
            index: Int32,
            name: String,
            flags: UInt32,
            hardware: UInt16 = 1,
            kind: String? = nil,
            isGone: Bool = false
        ) -> [UInt8] {
            var body = [0, 0] + bytes(hardware) + bytes(index) + bytes(flags) + bytes(UInt32.max)
            body += attribute(3, Array(name.utf8) + [0])
            if let kind { body += attribute(18, attribute(1, Array(kind.utf8) + [0])) }
            return message(isGone ? 17 : 16, body)
        }

        static func address(interface: Int32, _ address: [UInt8], flags: UInt8 = 0, isGone: Bool = false) -> [UInt8] {
            let family: UInt8 = address.count == 4 ? 2 : 10
            return message(isGone ? 21 : 20, [family, 24, flags, 0] + bytes(interface) + attribute(1, address))
        }

        static func route(
            to destination: [UInt8] = [],
            prefix: UInt8 = 0,
            interface: Int32? = nil,
            hops: [(Int32, [UInt8])] = [],
            gateway: [UInt8] = [],
            metric: UInt32 = 0,
            table: UInt8 = 254,
            type: UInt8 = 1,
            family: UInt8 = 2,
            replacing: Bool = false,
            isGone: Bool = false
        ) -> [UInt8] {
            var body: [UInt8] = [family, prefix, 0, 0, table, 3, 0, type] + bytes(UInt32(0))
            if !destination.isEmpty { body += attribute(1, destination) }
            if let interface { body += attribute(4, bytes(interface)) }
            if !gateway.isEmpty { body += attribute(5, gateway) }
            body += attribute(6, bytes(metric))
            if !hops.isEmpty {
                body += attribute(
                    9,
                    hops.flatMap { hop in
                        let gateway = attribute(5, hop.1)
                        return bytes(UInt16(8 + gateway.count)) + [0, 0] + bytes(hop.0) + gateway
                    }
                )
            }
            return message(isGone ? 25 : 24, body, flags: replacing ? 0x100 : 0)
        }

        private static func padded(_ bytes: [UInt8]) -> [UInt8] {
            bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        }
    }
#endif
