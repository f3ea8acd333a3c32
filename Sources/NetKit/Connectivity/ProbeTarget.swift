public import Foundation

/// What a network monitor asks, to find out whether the network leads anywhere.
///
/// ```swift
/// let monitor = LinuxNetworkMonitor(probing: [.tcp("api.example.com", port: 443)])
/// ```
/// Choose a server of your own: a probe tells its owner that you are there.
public struct ProbeTarget: Sendable, Hashable, CustomStringConvertible {
    enum Check: Sendable, Hashable {
        /// A connection is enough.
        case connection
        /// A `GET` of this path is answered with this status; anything else comes from somebody in between.
        case status(Int, path: String)
    }

    let host: String
    let port: UInt16
    let check: Check

    /// A server that has to accept a TCP connection; one that refuses it counts as not reached.
    public static func tcp(_ host: String, port: UInt16) -> ProbeTarget {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return ProbeTarget(
            host: isBracketed ? String(host.dropFirst().dropLast()) : host,
            port: port,
            check: .connection
        )
    }

    /// The server of a URL, which has to accept a TCP connection; nil where there is none.
    public init?(_ url: URL?) {
        guard let url, let (host, port) = Self.server(of: url) else { return nil }
        self = .tcp(host, port: port)
    }

    /// A page that has to be answered with a certain status, which tells captive portals apart.
    ///
    /// A portal gives its own answer to every plain request, mostly a redirect to its login page. The page is therefore best
    /// one whose answer nobody gives by chance, such as 204 without content.
    ///
    /// - Parameters:
    ///   - url: An `http` URL. Nil is returned for any other: nobody can answer in the name of an `https` server.
    ///   - status: The status that the page is answered with.
    public init?(http url: URL?, expecting status: Int = 204) {
        guard let url, url.scheme?.lowercased() == "http", let (host, port) = Self.server(of: url) else { return nil }
        let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        var path = components?.percentEncodedPath ?? ""
        if !path.hasPrefix("/") { path = "/" + path }
        if let query = components?.percentEncodedQuery { path += "?" + query }
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.init(host: host, port: port, check: .status(status, path: path))
    }

    private init(host: String, port: UInt16, check: Check) {
        (self.host, self.port, self.check) = (host, port, check)
    }

    /// Where it is, and what is asked.
    public var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return switch check {
        case .connection: "\(name):\(port)"
        case .status(let status, let path): "http://\(name):\(port)\(path) -> \(status)"
        }
    }

    /// Whether it is on this machine, and needs no network.
    var isLocal: Bool { NetworkEvidence.isLocal(host) }

    private static func server(of url: URL) -> (host: String, port: UInt16)? {
        guard let host = url.host(), host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !host.isEmpty else { return nil }
        let standard = ["http": 80, "https": 443][url.scheme?.lowercased() ?? ""]
        guard let port = (url.port ?? standard).flatMap(UInt16.init(exactly:)), port > 0 else { return nil }
        return (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, port)
    }
}
