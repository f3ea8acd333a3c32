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

        var isUp: Bool { flags & UInt32(NK_IFF_UP) != 0 }
        /// Up, and there is a carrier.
        var isRunning: Bool { isUp && flags & UInt32(NK_IFF_RUNNING) != 0 }
        var isLoopback: Bool { flags & UInt32(NK_IFF_LOOPBACK) != 0 || hardware == UInt16(NK_ARPHRD_LOOPBACK) }
    }
#endif
