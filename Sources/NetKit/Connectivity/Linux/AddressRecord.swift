#if canImport(Glibc) || canImport(Musl)
    /// An address of an interface.
    struct AddressRecord: Sendable, Hashable {
        var interface: Int32
        var bytes: [UInt8]
        /// Whether the kernel still makes sure that nobody else has it; nothing can be sent from it until then.
        var isTentative = false
    }
#endif
