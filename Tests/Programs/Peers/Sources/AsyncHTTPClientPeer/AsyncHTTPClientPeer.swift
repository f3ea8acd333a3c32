import AsyncHTTPClient
import Measuring
import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The same load over AsyncHTTPClient, with as many connections as `PEER_CONNECTIONS` says instead of its 8.
@main
struct AsyncHTTPClientPeer {
    static func main() async throws {
        let load = Load.fromCommandLine()
        var configuration = HTTPClient.Configuration()
        if let authorities = load.authorities {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authorities)
            configuration.tlsConfiguration = tls
        }
        if let text = getenv("PEER_CONNECTIONS"), let count = Int(String(cString: text)) {
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = count
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        await load.measure {
            let response = try await client.execute(HTTPClientRequest(url: load.url), timeout: .seconds(60))
            switch load.form {
            case .get, .buffered: return try await response.body.collect(upTo: 1 << 20).readableBytes
            case .collect: return try await response.body.collect(upTo: 1 << 30).readableBytes
            case .download:
                var count = 0
                for try await chunk in response.body { count += chunk.readableBytes }
                return count
            }
        }
        try await client.shutdown()
    }
}
