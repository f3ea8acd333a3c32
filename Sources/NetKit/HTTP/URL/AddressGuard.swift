/// A guard that refuses requests to addresses that a server must not be tricked into calling: private, loopback,
/// link-local, metadata.
///
/// ```swift
/// configuration.addressGuard = .publicOnly
/// configuration.addressGuard = AddressGuard(exceptHosts: ["billing.internal"])
/// ```
/// It judges the first request and every redirect, and a name by all of its addresses. If the transport reports the
/// connected address, it judges that too: a name that resolves to another address a moment later (DNS rebinding) is
/// refused.
public struct AddressGuard: Sendable {
    /// Whether calls may use a proxy that the environment names.
    let allowsEnvironmentProxy: Bool
    private let isAllowed: @Sendable (IPAddress) -> Bool
    private let exceptions: Set<String>
    private let resolve: @Sendable (String) async throws -> [String]

    /// A guard that allows only the public internet.
    public static let publicOnly = AddressGuard()

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - exceptHosts: The hosts and addresses that are always allowed.
    ///   - allowsEnvironmentProxy: Whether calls may use a proxy that the environment names. By default they do not,
    ///     because the proxy would make the connections.
    ///   - resolve: A function that returns the addresses of a name; the system's resolver by default. If it throws
    ///     `CancellationError` by itself, that is a failure like any other, and no cancellation of the call.
    ///   - isAllowed: A function that returns whether an address may be called; by default, the public ones may. For
    ///     connected addresses it runs on the thread of the transfers, so it must not block.
    public init(
        exceptHosts: Set<String> = [],
        allowsEnvironmentProxy: Bool = false,
        resolve: (@Sendable (String) async throws -> [String])? = nil,
        isAllowed: @escaping @Sendable (IPAddress) -> Bool = { $0.isPublic }
    ) {
        exceptions = Set(exceptHosts.map { IPAddress($0)?.description ?? $0.lowercased() })
        self.resolve = resolve ?? { try await NameResolver.system.addresses(of: $0) }
        self.isAllowed = isAllowed
        self.allowsEnvironmentProxy = allowsEnvironmentProxy
    }

    /// Judges the host of a URL before anything is sent; throws `.addressRefused`, or `.dns` if it has no address.
    public func judge(host: String) async throws {
        let host = host.lowercased()
        guard !exceptions.contains(host) else { return }
        if let address = IPAddress(host) { return try judge(address, of: host) }
        if host == "localhost" || host.hasSuffix(".localhost") { throw Self.refusal("localhost", of: host) }
        let addresses: [String]
        do {
            addresses = try await resolve(host)
        } catch is CancellationError where Task.isCancelled {
            throw CancellationError()
        } catch {
            throw NetKitError(.dns, "The name \"\(host)\" could not be resolved for the address guard.", cause: error)
        }
        guard !addresses.isEmpty else { throw NetKitError(.dns, "The name \"\(host)\" has no address.") }
        for text in addresses {
            guard let address = IPAddress(text) else { throw Self.refusal(text, of: host) }
            try judge(address, of: host)
        }
    }

    /// Judges the address that a transport has connected to for a host, before it sends; throws `.addressRefused`.
    public func judge(connectedAddress text: String, for host: String? = nil) throws(NetKitError) {
        guard !exceptions.contains(text.lowercased()), !exceptions.contains(host?.lowercased() ?? text) else { return }
        guard let address = IPAddress(text) else { throw Self.refusal(text, of: host ?? text) }
        try judge(address, of: host ?? text)
    }

    private func judge(_ address: IPAddress, of host: String) throws(NetKitError) {
        guard exceptions.contains(address.description) || isAllowed(address) else {
            throw Self.refusal(address.description, of: host)
        }
    }

    private static func refusal(_ address: String, of host: String) -> NetKitError {
        let target = address == host ? "\"\(host)\"" : "\"\(host)\" (\(address))"
        let message = "The address guard refuses \(target). Add it to `exceptHosts` if it is meant to be called."
        return NetKitError(.addressRefused, message)
    }
}
