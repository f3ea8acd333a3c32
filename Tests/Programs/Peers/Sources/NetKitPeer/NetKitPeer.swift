import Foundation
import Measuring
import NetKit

/// A load over a client with NetKit's defaults.
@main
struct NetKitPeer {
    static func main() async throws {
        let load = Load.fromCommandLine()
        var configuration = CurlTransport.Configuration()
        if load.form != .upload, let authorities = load.file { configuration.tls.roots = .file(authorities) }
        let client = HTTPClient(transport: try CurlTransport(configuration: configuration))
        guard let url = URL(string: load.url) else { throw URLError(.badURL) }
        let large = Delivery.buffered(upTo: 1 << 30)
        await load.measure {
            switch load.form {
            case .get:
                return try await client.send(HTTPRequest(.get, url)).body.collect(upTo: 1 << 20).count
            case .buffered:
                let options = CallOptions(delivery: .buffered(upTo: 1 << 20))
                return try await client.send(HTTPRequest(.get, url), options: options).body.collect(upTo: 1 << 20).count
            case .download:
                var count = 0
                for try await chunk in try await client.send(HTTPRequest(.get, url)).body { count += chunk.count }
                return count
            case .collect:
                let options = CallOptions(delivery: large)
                return try await client.send(HTTPRequest(.get, url), options: options).body.collect(upTo: 1 << 30).count
            case .upload:
                let file = URL(fileURLWithPath: load.file ?? "")
                return try await client.send(HTTPRequest(.post, url, body: .file(at: file))).body.collect(upTo: 1 << 20)
                    .count
            }
        }
    }
}
