import Foundation
import NetKit

/// A kind of client: to add a contender to every scenario, add it to `all`.
struct ClientKind: Sendable {
    let name: String
    private let build: @Sendable (_ authorities: String?) throws -> any BenchClient

    init(_ name: String, _ build: @escaping @Sendable (_ authorities: String?) throws -> any BenchClient) {
        (self.name, self.build) = (name, build)
    }

    /// Makes a client, which trusts the authorities of a PEM file where one is named and it knows how.
    func make(trusting authorities: String? = nil) throws -> any BenchClient {
        try build(authorities)
    }

    // Foundation trusts the system's authorities alone on Linux: these three are no contenders over TLS.
    static let urlSession = ClientKind("URLSession") { _ in BareClient() }
    static let urlSessionTransport = ClientKind("URLSessionTransport") { _ in TransportClient(URLSessionTransport()) }
    static let overURLSession = ClientKind("NetKit over URLSession") { _ in NetKitClient(URLSessionTransport()) }

    #if os(Linux)
        /// NetKit as it is by default.
        static let netKit = ClientKind("NetKit") { NetKitClient(try curl(trusting: $0)) }
        static let curlTransport = ClientKind("CurlTransport") { TransportClient(try curl(trusting: $0)) }

        /// Those that stand on libcurl directly.
        static let overCurl = [netKit, curlTransport]

        private static func curl(trusting authorities: String?) throws -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            if let authorities { configuration.tls.roots = .file(authorities) }
            return try CurlTransport(configuration: configuration)
        }
    #else
        static let overCurl: [ClientKind] = []
    #endif

    static let all = overCurl + [overURLSession, urlSessionTransport, urlSession]

    /// The whole of NetKit, over whatever transport.
    static let netKits = all.filter { $0.name.hasPrefix("NetKit") }

    static func named(_ name: String) throws -> ClientKind {
        guard let kind = all.first(where: { $0.name == name }) else { throw BenchError("There is no client \(name).") }
        return kind
    }
}
