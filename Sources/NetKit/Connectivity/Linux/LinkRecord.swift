#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem

    /// An interface, as the kernel tells of it.
    struct LinkRecord: Sendable, Hashable {
        var index: Int32
        var name: String
        var flags: UInt32
        /// What hardware it is, by the kernel's number.
        var hardware: UInt16
        /// What made it, where it is no hardware: `veth`, `bridge`.
        var kind: String?

        /// The name for people: the kernel allows control characters in it.
        var shownName: String {
            String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.properties.generalCategory != .control }))
        }

        var isUp: Bool { flags & UInt32(NK_IFF_UP) != 0 }
        /// Up, and there is a carrier.
        var isRunning: Bool { isUp && flags & UInt32(NK_IFF_RUNNING) != 0 }
        var isLoopback: Bool { flags & UInt32(NK_IFF_LOOPBACK) != 0 || hardware == UInt16(NK_ARPHRD_LOOPBACK) }
    }
#endif
