public import Foundation

/// Scheme, host and port: what decides whether two URLs belong to the same server.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// The scheme in lower case.
    public let scheme: String
    /// The host in lower case, an IPv6 address without brackets.
    public let host: String
    /// The port, the scheme's own where the URL names none.
    public let port: Int

    /// Makes the origin of a URL, or nil where it has no scheme or host.
    public init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true), !host.isEmpty else {
            return nil
        }
        self.scheme = scheme
        self.host = host.lowercased()
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// The host as a URL writes it.
    var hostText: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

    /// Scheme, host and port as a URL writes them.
    public var description: String {
        "\(scheme)://\(hostText):\(port)"
    }
}
