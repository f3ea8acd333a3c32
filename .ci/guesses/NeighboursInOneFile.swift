// A file that names NetKit's types itself needs no module name beside them.

import AsyncHTTPClient
import NIOHTTP1
import NetKit

private typealias HTTPClient = NetKit.HTTPClient
private typealias HTTPHeaders = NetKit.HTTPHeaders

private func send(base: URL) async throws {
    let client = HTTPClient(baseURL: base)
    let headers: HTTPHeaders = ["Accept": "text/plain"]
    _ = try await client.send(NetKit.HTTPRequest(.get, "/users/42", headers: headers))
}
