import Foundation

/// The addresses and the kinds of a run's servers.
struct ServerAddress: Codable, Equatable, Sendable {
    /// Name and version of the fast one.
    let name: String
    /// The fast one: `/small`, `/large`, `/patterned` and `/upload`.
    let fast: URL
    /// The address for TLS; `nil` if there is none.
    var secure: SecureAddress?
    /// One that takes its time: `/slow` and `/held`.
    let slow: URL
    /// A port at which nobody listens, and nobody will.
    let refused: URL

    static let smallSize = 1024
    static let largeSize = 100_000_000
    /// A response whose bytes can be told apart.
    static let patternedSize = 200_000_000

    var small: URL { fast.appending(path: "small") }
    var large: URL { fast.appending(path: "large") }
    var upload: URL { fast.appending(path: "upload") }
    var patterned: URL { fast.appending(path: "patterned") }
    /// A small response that comes after 500 ms.
    var held: URL { slow.appending(path: "held") }
    var slowResponse: URL { slow.appending(path: "slow") }

    /// Returns the address for TLS, or throws the reason why there is none.
    func needSecure() throws -> SecureAddress {
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

    /// Small responses, HTTP/1.1, after each of which the connection is closed.
    var once: URL { http1.appending(path: "once") }
}
