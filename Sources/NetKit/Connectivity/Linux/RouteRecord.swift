#if canImport(Glibc) || canImport(Musl)
    /// A way to somewhere, through one interface.
    struct RouteRecord: Sendable, Hashable {
        /// The destination's address, in 4 bytes or 16.
        var destination: [UInt8]
        /// How many bits of the destination count.
        var prefix: UInt8
        var table: UInt32
        /// The lower, the better.
        var metric: UInt32
        var interface: Int32
        var gateway: [UInt8]

        var isDefault: Bool { prefix == 0 }

        /// Whether it leads beyond the wire: not to neighbours by their automatic addresses, nor to groups.
        var leadsAway: Bool {
            guard !isDefault else { return true }
            if destination.count == 4 {
                return !(destination[0] == 169 && destination[1] == 254) && destination[0] < 224
            }
            guard destination.count == 16 else { return false }
            return destination[0] != 0xFF && !(destination[0] == 0xFE && destination[1] & 0xC0 == 0x80)
        }

        /// Whether both are about the same destination, so that one may take the other's place.
        func isSameWay(as other: RouteRecord) -> Bool {
            destination == other.destination && prefix == other.prefix && table == other.table && metric == other.metric
        }
    }
#endif
