#if canImport(Glibc) || canImport(Musl)
    /// What the links of a machine come to.
    struct LinkSummary: Sendable, Hashable {
        /// Whether one leads to other machines.
        var isUsable: Bool
        /// Whether the machine can talk to itself.
        var hasLoopback: Bool
        /// Of the best interface.
        var connectionType: ConnectionType
        var interfaceName: String?
        /// Another number where addresses or routes have changed meanwhile.
        var revision: Int

        /// What is taken for granted where nothing can be found out.
        static let unknown = LinkSummary(
            isUsable: true,
            hasLoopback: true,
            connectionType: .other,
            interfaceName: nil,
            revision: 0
        )
    }
#endif
