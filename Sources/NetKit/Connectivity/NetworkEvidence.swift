/// What somebody has learnt about the network by using it.
public struct NetworkEvidence: Sendable, Hashable {
    /// What was learnt: an open set.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The host answered over a connection that only it can answer on, such as TLS.
        public static let answered = Kind("answered")
        /// Somebody answered in the host's name: on a plain connection that may have been a captive portal.
        public static let answeredInClear = Kind("answeredInClear")
        /// The host could not be reached, or fell silent.
        public static let failed = Kind("failed")
    }

    /// What was learnt.
    public let kind: Kind
    /// The host that was called; one on this machine says nothing about the network.
    public let host: String

    /// Makes evidence.
    public init(_ kind: Kind, host: String) {
        self.kind = kind
        self.host = host
    }

    var isLocal: Bool { Self.isLocal(host) }

    /// Whether a host is this machine, by its name alone.
    static func isLocal(_ host: String) -> Bool {
        var host = host.lowercased()[...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "::1"
    }
}
