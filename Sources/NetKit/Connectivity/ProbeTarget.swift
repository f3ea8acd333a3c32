public import Foundation

/// A server that a network monitor probes, to find out whether the network leads beyond its link.
///
/// ```swift
/// let monitor = LinuxNetworkMonitor(probes: ProbePolicy([.tcp("api.example.com", port: 443)]))
/// ```
/// Choose a server of your own, because each probe is visible to its operator.
public struct ProbeTarget: Sendable, Hashable, CustomStringConvertible {
    enum Check: Sendable, Hashable {
        /// A TCP connection.
        case connection
        /// A `GET` of a path that has to return a status. Another status comes from an intermediary.
        case status(Int, path: String)
    }

    let host: String
    let port: UInt16
    let check: Check

    /// Returns a server that has to accept a TCP connection.
    ///
    /// A refused connection counts as a failure.
    public static func tcp(_ host: String, port: UInt16) -> ProbeTarget {
        ProbeTarget(host: host.trimmingBrackets, port: port, check: .connection)
    }

    /// Creates a target from the server of a URL, which has to accept a TCP connection.
    ///
    /// The initializer returns `nil` if the URL has no server.
    public init?(_ url: URL?) {
        guard let url, let (host, port) = Self.server(of: url) else { return nil }
        self = .tcp(host, port: port)
    }

    /// Creates a target from a page that has to return a certain status, which reveals captive portals.
    ///
    /// A portal responds to every plain request itself, usually with a redirect to its login page. Choose a page whose
    /// response cannot be mistaken, such as 204 without content.
    ///
    /// - Parameters:
    ///   - url: An `http` URL. For any other, the initializer returns `nil`, because no portal can respond for an
    ///     `https` server.
    ///   - status: The status that the page returns.
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

    /// The address of the target and the expected status.
    public var description: String {
        let name = host.asURLHost
        return switch check {
        case .connection: "\(name):\(port)"
        case .status(let status, let path): "http://\(name):\(port)\(path) -> \(status)"
        }
    }

    /// Whether the target is on this machine and needs no network.
    var isLocal: Bool { NetworkEvidence.isLocal(host) }

    private static func server(of url: URL) -> (host: String, port: UInt16)? {
        let url = url.asSent
        guard let host = url.host(), host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !host.isEmpty else { return nil }
        let standard = ["http": 80, "https": 443][url.scheme?.lowercased() ?? ""]
        guard let port = (url.port ?? standard).flatMap(UInt16.init(exactly:)), port > 0 else { return nil }
        return (host.trimmingBrackets, port)
    }
}
