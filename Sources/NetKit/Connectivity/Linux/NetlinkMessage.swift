#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem

    /// A netlink message about links, addresses or routes.
    enum NetlinkMessage: Sendable, Equatable {
        case link(LinkRecord)
        case linkIsGone(index: Int32)
        case address(AddressRecord)
        case addressIsGone(AddressRecord)
        /// A route, with one record for each interface; with `replacing`, in place of other routes to the destination.
        case route([RouteRecord], replacing: Bool)
        case routeIsGone([RouteRecord])
        /// The end of a dump.
        case done
        /// A refused request, with the system's negative error code, or 0 for an acknowledgment.
        case refused(code: Int32)

        /// A message with its sequence number.
        struct Item: Sendable, Equatable {
            var message: NetlinkMessage
            var sequence: UInt32
            /// Whether the message is part of a dump.
            ///
            /// Otherwise it reports a change.
            var isPartOfDump: Bool
        }

        /// Reads the complete messages of one `recvmsg`, and skips unknown ones.
        ///
        /// If the kernel says that a dump was interrupted, the dump has to be repeated.
        static func read(_ bytes: UnsafeRawBufferPointer) -> (items: [Item], isInterrupted: Bool) {
            var items: [Item] = []
            var isInterrupted = false
            var rest = NetlinkBytes(bytes)
            while let length = rest.number(UInt32.self, at: 0), let type = rest.number(UInt16.self, at: 4),
                let flags = rest.number(UInt16.self, at: 6), let sequence = rest.number(UInt32.self, at: 8),
                length >= 16, let body = rest.part(from: 16, length: Int(length) - 16)
            {
                if flags & UInt16(NK_NLM_F_DUMP_INTR) != 0 { isInterrupted = true }
                if let message = read(type: Int(type), flags: flags, body) {
                    let isPartOfDump = flags & UInt16(NK_NLM_F_MULTI) != 0
                    items.append(Item(message: message, sequence: sequence, isPartOfDump: isPartOfDump))
                }
                rest = rest.dropping(NetlinkBytes.aligned(Int(length)))
            }
            return (items, isInterrupted)
        }

        private static func read(type: Int, flags: UInt16, _ body: NetlinkBytes) -> NetlinkMessage? {
            switch type {
            case NK_NLMSG_DONE: end(body)
            case NK_NLMSG_ERROR: body.number(Int32.self, at: 0).map { .refused(code: $0) }
            case NK_RTM_NEWLINK: link(body).map { .link($0) }
            case NK_RTM_DELLINK: link(body).map { .linkIsGone(index: $0.index) }
            case NK_RTM_NEWADDR: address(body).map { .address($0) }
            case NK_RTM_DELADDR: address(body).map { .addressIsGone($0) }
            case NK_RTM_NEWROUTE: routes(body).map { .route($0, replacing: flags & 0x100 != 0) }
            case NK_RTM_DELROUTE: routes(body).map { .routeIsGone($0) }
            default: nil
            }
        }

        /// Returns the end of a dump, which is a refusal if the kernel gave up in its middle.
        private static func end(_ body: NetlinkBytes) -> NetlinkMessage {
            guard let code = body.number(Int32.self, at: 0), code < 0 else { return .done }
            return .refused(code: code)
        }

        private static func link(_ body: NetlinkBytes) -> LinkRecord? {
            guard let family = body.number(UInt8.self, at: 0), let hardware = body.number(UInt16.self, at: 2),
                let index = body.number(Int32.self, at: 4), let flags = body.number(UInt32.self, at: 8)
            else { return nil }
            // Bridges report their ports in messages of another family, which are not about the links themselves.
            guard family == 0 else { return nil }
            var record = LinkRecord(index: index, name: "", flags: flags, hardware: hardware, kind: nil)
            body.dropping(16).forEachAttribute { type, value in
                switch type {
                case NK_IFLA_IFNAME: record.name = value.text
                case NK_IFLA_LINKINFO:
                    value.forEachAttribute { type, value in
                        if type == NK_IFLA_INFO_KIND { record.kind = value.text }
                    }
                default: break
                }
            }
            return record.name.isEmpty ? nil : record
        }

        private static func address(_ body: NetlinkBytes) -> AddressRecord? {
            guard let flags = body.number(UInt8.self, at: 2), let index = body.number(Int32.self, at: 4) else {
                return nil
            }
            var address: [UInt8]?
            var local: [UInt8]?
            body.dropping(8).forEachAttribute { type, value in
                switch type {
                case NK_IFA_ADDRESS: address = value.array
                case NK_IFA_LOCAL: local = value.array
                default: break
                }
            }
            // On a point-to-point link the address is the peer's.
            return (local ?? address).map {
                AddressRecord(interface: index, bytes: $0, isTentative: flags & UInt8(NK_IFA_F_TENTATIVE) != 0)
            }
        }

        /// Returns a record for each interface, or `nil` for a route that ordinary traffic does not use.
        private static func routes(_ body: NetlinkBytes) -> [RouteRecord]? {
            guard let family = body.number(UInt8.self, at: 0), let prefix = body.number(UInt8.self, at: 1),
                let shortTable = body.number(UInt8.self, at: 4), let type = body.number(UInt8.self, at: 7),
                let flags = body.number(UInt32.self, at: 8)
            else { return nil }
            let size = family == UInt8(NK_FAMILY_IPV4) ? 4 : family == UInt8(NK_FAMILY_IPV6) ? 16 : 0
            guard size > 0, type == UInt8(NK_RTN_UNICAST), flags & UInt32(NK_RTM_F_CLONED) == 0 else { return nil }
            var route = RouteRecord(
                destination: [UInt8](repeating: 0, count: size),
                prefix: prefix,
                table: UInt32(shortTable),
                metric: 0,
                interface: 0,
                gateway: []
            )
            var hops: [(interface: Int32, gateway: [UInt8])] = []
            body.dropping(12).forEachAttribute { type, value in
                switch type {
                case NK_RTA_DST where value.count == size: route.destination = value.array
                case NK_RTA_OIF: route.interface = value.number(Int32.self, at: 0) ?? 0
                case NK_RTA_GATEWAY: route.gateway = value.array
                case NK_RTA_PRIORITY: route.metric = value.number(UInt32.self, at: 0) ?? 0
                case NK_RTA_TABLE: route.table = value.number(UInt32.self, at: 0) ?? route.table
                case NK_RTA_MULTIPATH: hops = Self.hops(value)
                default: break
                }
            }
            guard route.table != UInt32(NK_RT_TABLE_LOCAL) else { return nil }
            if hops.isEmpty { return route.interface > 0 ? [route] : nil }
            return hops.map { hop in
                var way = route
                (way.interface, way.gateway) = hop
                return way
            }
        }

        private static func hops(_ value: NetlinkBytes) -> [(interface: Int32, gateway: [UInt8])] {
            var hops: [(interface: Int32, gateway: [UInt8])] = []
            var rest = value
            while let length = rest.number(UInt16.self, at: 0), length >= 8, hops.count < 64,
                let interface = rest.number(Int32.self, at: 4), let whole = rest.part(from: 0, length: Int(length))
            {
                var gateway: [UInt8] = []
                whole.dropping(8).forEachAttribute { type, value in
                    if type == NK_RTA_GATEWAY { gateway = value.array }
                }
                hops.append((interface, gateway))
                rest = rest.dropping(NetlinkBytes.aligned(Int(length)))
            }
            return hops
        }
    }

    /// A bounds-checked view of the bytes of a netlink message, which belong to the caller.
    struct NetlinkBytes {
        private let bytes: UnsafeRawBufferPointer

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var count: Int { bytes.count }

        var array: [UInt8] { Array(bytes) }

        /// The text before the first zero byte.
        var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

        /// Returns a number in the machine's byte order, or `nil` past the end.
        func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number? {
            guard offset >= 0, offset <= bytes.count - MemoryLayout<Number>.size else { return nil }
            return bytes.loadUnaligned(fromByteOffset: offset, as: type)
        }

        /// Returns a part of the bytes, or `nil` if it is not entirely inside.
        func part(from offset: Int, length: Int) -> NetlinkBytes? {
            guard offset >= 0, length >= 0, offset <= bytes.count, length <= bytes.count - offset else { return nil }
            return NetlinkBytes(UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)]))
        }

        /// Returns the bytes after a number of bytes; there may be none.
        func dropping(_ size: Int) -> NetlinkBytes {
            NetlinkBytes(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(max(0, size))))
        }

        /// Returns the offset of the next part, which is the next multiple of four.
        static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

        /// Calls a closure with each attribute, up to the first malformed one.
        func forEachAttribute(_ body: (Int, NetlinkBytes) -> Void) {
            var rest = self
            while let length = rest.number(UInt16.self, at: 0), let type = rest.number(UInt16.self, at: 2), length >= 4,
                let value = rest.part(from: 4, length: Int(length) - 4)
            {
                // The upper two bits are flags.
                body(Int(type & 0x3FFF), value)
                rest = rest.dropping(Self.aligned(Int(length)))
            }
        }
    }

    /// An interface, as the kernel reports it.
    struct LinkRecord: Sendable, Equatable {
        var index: Int32
        var name: String
        var flags: UInt32
        /// The kernel's number for the type of hardware.
        var hardware: UInt16
        /// The kind of a virtual interface, such as `veth` or `bridge`.
        var kind: String?

        /// The name without control characters, which the kernel allows.
        var shownName: String {
            String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.properties.generalCategory != .control }))
        }

        var isUp: Bool { flags & UInt32(NK_IFF_UP) != 0 }
        /// Whether the interface is up and has a carrier.
        var isRunning: Bool { isUp && flags & UInt32(NK_IFF_RUNNING) != 0 }
        var isLoopback: Bool { flags & UInt32(NK_IFF_LOOPBACK) != 0 || hardware == UInt16(NK_ARPHRD_LOOPBACK) }
    }

    /// An address of an interface.
    struct AddressRecord: Sendable, Hashable {
        var interface: Int32
        var bytes: [UInt8]
        /// Whether the kernel is still checking that the address is unique, and does not send from it yet.
        var isTentative = false
    }

    /// A route through one interface.
    struct RouteRecord: Sendable, Hashable {
        /// The destination's address, in 4 bytes or 16.
        var destination: [UInt8]
        /// The length of the destination's prefix in bits.
        var prefix: UInt8
        var table: UInt32
        /// The priority of the route; lower values are preferred.
        var metric: UInt32
        var interface: Int32
        var gateway: [UInt8]

        var isDefault: Bool { prefix == 0 }

        /// Whether this is a default route, or leads to addresses that are neither link-local nor multicast.
        var leadsOffLink: Bool {
            guard !isDefault else { return true }
            if destination.count == 4 {
                return !(destination[0] == 169 && destination[1] == 254) && destination[0] < 224
            }
            guard destination.count == 16 else { return false }
            return destination[0] != 0xFF && !(destination[0] == 0xFE && destination[1] & 0xC0 == 0x80)
        }

        /// Returns whether both routes have the same destination, so that one can replace the other.
        func hasSameDestination(as other: RouteRecord) -> Bool {
            destination == other.destination && prefix == other.prefix && table == other.table && metric == other.metric
        }
    }
#endif
