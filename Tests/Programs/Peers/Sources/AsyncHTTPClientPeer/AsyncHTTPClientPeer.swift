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

/// The same load over AsyncHTTPClient, with as many connections as `PEER_CONNECTIONS` says instead of its 8.
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
        await load.measure {
            if load.form == .upload { return try await upload(load, client) }
            let response = try await client.execute(HTTPClientRequest(url: load.url), timeout: .seconds(60))
            switch load.form {
            case .get, .buffered: return try await response.body.collect(upTo: 1 << 20).readableBytes
            case .collect: return try await response.body.collect(upTo: 1 << 30).readableBytes
            case .download:
                var count = 0
                for try await chunk in response.body { count += chunk.readableBytes }
                return count
            case .upload: return 0
            }
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
