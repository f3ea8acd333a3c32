import Foundation

/// The addresses and the kinds of a run's servers.
struct ServerAddress: Codable, Equatable, Sendable {
    /// The name and the version of the fast server.
    let name: String
    /// The fast server: `/small`, `/large`, `/patterned` and `/upload`.
    let fast: URL
    /// The address for TLS; `nil` if there is none.
    var secure: SecureAddress?
    /// The slow server: `/slow` and `/held`.
    let slow: URL
    /// A port that always refuses connections.
    let refused: URL

    /// Whether the fast server is nginx.
    var isNginx: Bool { name.hasPrefix("nginx") }

    static let smallSize = 1024
    static let largeSize = 100_000_000
    /// The size of the response whose bytes have a pattern.
    static let patternedSize = 200_000_000

    var small: URL { fast.appending(path: "small") }
    var large: URL { fast.appending(path: "large") }
    var upload: URL { fast.appending(path: "upload") }
    var patterned: URL { fast.appending(path: "patterned") }
    /// The URL of a small response that arrives after 500 ms.
    var held: URL { slow.appending(path: "held") }
    var slowResponse: URL { slow.appending(path: "slow") }

    /// Returns the address for TLS, or throws the reason why there is none.
    func requireSecure() throws -> SecureAddress {
        guard let secure else { throw BenchError("TLS needs nginx and the openssl command.") }
        return secure
    }
}

/// The address of a server for TLS.
struct SecureAddress: Codable, Equatable, Sendable {
    /// HTTP/1.1 only.
    let http1: URL
    /// HTTP/2 as well.
    let http2: URL
    /// The file with the authorities to trust.
    let authorities: String

    /// The URL of a small response over HTTP/1.1, after which the connection is closed.
    var once: URL { http1.appending(path: "once") }
}
