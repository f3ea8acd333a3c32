import Foundation
import NetKit

/// Sends the requests of another program through a client with a cache, so that any suite can test the cache.
@main
struct NetKitCacheBridge {
    private static let usage = """
        Usage: NetKitCacheBridge [--store memory|disk|tiered] [--directory <folder>] [--transport default|urlsession]
                                 [--strict]

        Reads requests from standard input, one JSON object per line, and writes a response for each, in any order:

            {"id": 1, "method": "GET", "url": "http://127.0.0.1:8000/", "headers": [["Accept", "*/*"]], "body": "…"}
            {"id": 1, "status": 200, "headers": [["Content-Type", "text/plain"]], "body": "…"}
            {"id": 1, "error": "connectionLost: …"}

        "headers" may be an object too, and is one in the response then; a repeated field is joined by ", ". Bytes that
        are no UTF-8 come as "bodyBase64", and may be sent so. "policy" may name a policy: standard, noCache, cacheOnly,
        cacheFirst, networkFirst, reload. Redirects are not followed and nothing is tried again.

        A stale response replaces a server that cannot be reached (RFC 9111, section 4.2.4), unless --strict is given.
        """

    static func main() async {
        do {
            let settings = try BridgeSettings(Array(CommandLine.arguments.dropFirst()))
            let bridge = Bridge(try settings.client())
            await bridge.run(BridgeInput.lines)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\n\(usage)\n".utf8))
            exit(2)
        }
    }
}
