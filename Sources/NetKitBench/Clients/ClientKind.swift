import Foundation
import NetKit

/// A kind of client.
///
/// To add a contender to every scenario, add its kind to `all`.
struct ClientKind: Sendable {
    let name: String
    private let build: @Sendable (ClientSettings) throws -> any BenchClient

    init(_ name: String, _ build: @escaping @Sendable (ClientSettings) throws -> any BenchClient) {
        (self.name, self.build) = (name, build)
    }

    /// Returns a client, which applies the settings that it supports.
    func make(_ settings: ClientSettings = ClientSettings()) throws -> any BenchClient {
        try build(settings)
    }

    // On Linux, Foundation trusts only the system's authorities, so these three are no contenders over TLS.
    static let urlSession = ClientKind("URLSession") { _ in BareClient() }
    static let urlSessionTransport = ClientKind("URLSessionTransport") { _ in TransportClient(URLSessionTransport()) }
    static let overURLSession = ClientKind("NetKit over URLSession") { _ in NetKitClient(URLSessionTransport()) }

    #if os(Linux)
        /// NetKit with its default transport.
        static let netKit = ClientKind("NetKit") { NetKitClient(try curl($0)) }
        /// The same for a plain request, whose response is streamed by default, in the scenarios with small responses.
        static let netKitStreamed = ClientKind("NetKit, streamed") { NetKitClient(try curl($0), delivery: .streamed) }
        static let curlTransport = ClientKind("CurlTransport") { TransportClient(try curl($0)) }

        /// The clients directly over libcurl.
        static let overCurl = [netKit, curlTransport]
        static let smallOverCurl = [netKit, netKitStreamed, curlTransport]

        private static func curl(_ settings: ClientSettings) throws -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            if let authorities = settings.authorities { configuration.tls.roots = .file(authorities) }
            if settings.isUnbounded { configuration.connections = .init(maxTotal: 0, maxPerHost: 0) }
            return try CurlTransport(configuration: configuration)
        }
    #else
        static let overCurl: [ClientKind] = []
        static let smallOverCurl: [ClientKind] = []
    #endif

    static let all = overCurl + overFoundation
    /// The clients for scenarios with small responses.
    static let allSmall = smallOverCurl + overFoundation

    private static let overFoundation = [overURLSession, urlSessionTransport, urlSession]

    /// The clients with the whole of NetKit, over any transport.
    static let netKits = allSmall.filter { $0.name.hasPrefix("NetKit") }

    static func named(_ name: String) throws -> ClientKind {
        guard let kind = allSmall.first(where: { $0.name == name }) else {
            throw BenchError("There is no client \(name).")
        }
        return kind
    }
}
