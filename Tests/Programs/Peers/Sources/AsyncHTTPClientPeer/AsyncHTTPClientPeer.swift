import AsyncHTTPClient
import Measuring
import NIOCore
import NIOSSL
import _NIOFileSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The same load over AsyncHTTPClient, with the number of connections in `PEER_CONNECTIONS` instead of its 8.
@main
struct AsyncHTTPClientPeer {
    static func main() async throws {
        let load = Load.fromCommandLine()
        var configuration = HTTPClient.Configuration()
        if load.form != .upload, let authorities = load.file {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authorities)
            configuration.tlsConfiguration = tls
        }
        if let text = getenv("PEER_CONNECTIONS"), let count = Int(String(cString: text)) {
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = count
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        switch load.form {
        case .get, .buffered, .collect:
            let limit = load.form == .collect ? 1 << 30 : 1 << 20
            await load.measure {
                try await client.execute(HTTPClientRequest(url: load.url), timeout: .seconds(60)).body
                    .collect(upTo: limit).readableBytes
            }
        case .download:
            await load.measure {
                let response = try await client.execute(HTTPClientRequest(url: load.url), timeout: .seconds(60))
                var count = 0
                for try await chunk in response.body { count += chunk.readableBytes }
                return count
            }
        case .upload:
            await load.measure { try await upload(load, client) }
        }
        try await client.shutdown()
    }

    private static func upload(_ load: Load, _ client: HTTPClient) async throws -> Int {
        try await FileSystem.shared.withFileHandle(forReadingAt: FilePath(load.file ?? "")) { file in
            var request = HTTPClientRequest(url: load.url)
            request.method = .POST
            request.body = .stream(file.readChunks(), length: .known(try await file.info().size))
            let response = try await client.execute(request, timeout: .seconds(60))
            return try await response.body.collect(upTo: 1 << 20).readableBytes
        }
    }
}
