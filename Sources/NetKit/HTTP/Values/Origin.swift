public import Foundation

/// The scheme, host and port, which decide whether two URLs belong to the same server.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// The scheme in lower case.
    public let scheme: String
    /// The host in lower case: an IPv6 address without brackets, an international name as it is sent.
    public let host: String
    /// The port; the scheme's own if the URL names none.
    public let port: Int

    /// Creates the origin of a URL, or `nil` if it has no scheme or host.
    public init?(_ url: URL) {
        if let plain = Self.plain(url) {
            self = plain
            return
        }
        let url = url.asSent
        guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true), !host.isEmpty else {
            return nil
        }
        self.scheme = scheme
        self.host = host.lowercased()
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    private init(scheme: String, host: String, port: Int) {
        (self.scheme, self.host, self.port) = (scheme, host, port)
    }

    private static func plain(_ url: URL) -> Origin? {
        PlainAuthority.read(url) { authority, text in
            let host = String(decoding: text[authority.host], as: UTF8.self)
            return Origin(
                scheme: authority.isSecure ? "https" : "http",
                host: authority.isLowercase ? host : host.lowercased(),
                port: authority.port ?? (authority.isSecure ? 443 : 80)
            )
        }
    }

    /// The host as a URL writes it.
    var hostText: String { host.asURLHost }

    /// The scheme, host and port as a URL writes them.
    public var description: String { "\(scheme)://\(hostText):\(port)" }
}

extension String {
    /// The host as a URL writes it: an IPv6 address in brackets.
    var asURLHost: String { utf8.contains(UInt8(ascii: ":")) ? "[\(self)]" : self }

    /// The host without the brackets around an IPv6 address.
    var trimmingBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}
