// Another client's module beside NetKit: a name that both have is refused, and the name of the module decides.

import AsyncHTTPClient
import HTTPTypes
import NIOHTTP1
import NetKit
import OpenAPIRuntime
import Tracing

func bothHaveTheName() {
    let _: HTTPClient  // error: 'HTTPClient' is ambiguous for type lookup in this context
    let _: HTTPHeaders  // error: 'HTTPHeaders' is ambiguous for type lookup in this context
    let _: HTTPMethod  // error: 'HTTPMethod' is ambiguous for type lookup in this context
    let _: HTTPRequest  // error: 'HTTPRequest' is ambiguous for type lookup in this context
    let _: HTTPResponse  // error: 'HTTPResponse' is ambiguous for type lookup in this context
    let _: HTTPBody  // error: 'HTTPBody' is ambiguous for type lookup in this context
    let _: any Span  // error: 'Span' is ambiguous for type lookup in this context
}

func theModuleDecides(base: URL) async throws {
    let client = NetKit.HTTPClient(baseURL: base)
    let request = NetKit.HTTPRequest(.get, "/users/42", headers: ["Accept": "text/plain"])
    let response: NetKit.HTTPResponse = try await client.send(request)
    let method = NetKit.HTTPMethod.get
    let headers: NetKit.HTTPHeaders = ["X-Method": method.rawValue]
    let body: NetKit.HTTPBody = .json(["id": 42])
    _ = (response, headers, body, NIOHTTP1.HTTPHeaders.self, AsyncHTTPClient.HTTPClient.self)
}
