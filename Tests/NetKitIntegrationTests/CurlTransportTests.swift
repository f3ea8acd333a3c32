#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import Testing

    /// What is `CurlTransport`'s own; what it shares with every transport stands in the conformance cases.
    struct CurlTransportTests {
        /// libcurl 7.88 writes to memory that it has freed when such an answer comes on a handle that was used before; the
        /// address sanitizer shows it.
        @Test func aHeadThatBeginsFoldedHarmsNothing() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok").header("X-Long", String(repeating: "x", count: 60)))
            server.on(.get, "/folded", .raw("HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 2\r\n\r\nok"))
            let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
            for _ in 0..<20 {
                for path: RequestPath in ["/", "/folded"] {
                    _ = try? await client.send(
                        HTTPRequest(.get, path),
                        options: CallOptions(delivery: .buffered(upTo: 10))
                    )
                }
            }
            #expect(server.requests.count == 40)
        }
    }
#endif
