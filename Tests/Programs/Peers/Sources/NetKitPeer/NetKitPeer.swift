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
        switch load.form {
        case .get:
            await load.measure {
                try await client.send(HTTPRequest(.get, url)).body.collect(upTo: 1 << 20).count
            }
        case .buffered, .collect:
            let limit = load.form == .collect ? 1 << 30 : 1 << 20
            let options = CallOptions(delivery: .buffered(upTo: limit))
            await load.measure {
                try await client.send(HTTPRequest(.get, url), options: options).body.collect(upTo: limit).count
            }
        case .download:
            await load.measure {
                var count = 0
                for try await chunk in try await client.send(HTTPRequest(.get, url)).body { count += chunk.count }
                return count
            }
        case .upload:
            let file = URL(fileURLWithPath: load.file ?? "")
            await load.measure {
                try await client.send(HTTPRequest(.post, url, body: .file(at: file))).body.collect(upTo: 1 << 20).count
            }
        }
    }
}
