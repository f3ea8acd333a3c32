// A file that imports one type of the other module has no second HTTPClient.

import NetKit

import struct AsyncHTTPClient.HTTPClientRequest

private func send(base: URL) async throws {
    let client = HTTPClient(baseURL: base)
    _ = try await client.send(HTTPRequest(.get, "/users/42"))
    _ = HTTPClientRequest.self
}
