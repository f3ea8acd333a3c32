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

        /// Whether the way out is the same, whatever else has changed.
        func isSameWay(as other: LinkSummary) -> Bool {
            var other = other
            other.revision = revision
            return self == other
        }

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
