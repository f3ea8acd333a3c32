/// An observation about the network, made by using it.
public struct NetworkEvidence: Sendable, Hashable {
    /// The kind of observation.
    ///
    /// Later versions may add values.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// A response over a connection on which only the host can respond, such as TLS.
        public static let verifiedResponse = Kind(description: "verifiedResponse")
        /// A response over a plain connection, which may have come from a captive portal.
        public static let unverifiedResponse = Kind(description: "unverifiedResponse")
        /// A host that could not be reached, or that stopped responding.
        public static let failed = Kind(description: "failed")
    }

    /// The kind of observation.
    public let kind: Kind
    /// The host of the request.
    ///
    /// Evidence about a host on this machine says nothing about the network.
    public let host: String

    /// Creates evidence about a host.
    public init(_ kind: Kind, host: String) {
        self.kind = kind
        self.host = host
    }

    var isLocal: Bool { Self.isLocal(host) }

    /// Returns whether a host is this machine, judged by its name alone.
    static func isLocal(_ host: String) -> Bool {
        let host = host.lowercased().trimmingBrackets
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "::1"
    }
}
