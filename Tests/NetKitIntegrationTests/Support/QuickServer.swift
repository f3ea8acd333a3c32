#if os(Linux)
    import NetKit
    import NetKitTesting
    import Testing

    /// A server that responds to one path at once, and a client over a `CurlTransport` of its own for it.
    struct QuickServer {
        let server: MockServer
        let client: HTTPClient

        init() throws {
            server = try MockServer()
            server.on(.get, "/quick", .text("hello"))
            client = HTTPClient(transport: try CurlTransport(), interceptors: [])
        }

        /// Makes one call, which ends at once.
        func call() async throws {
            let response = try await client.send(HTTPRequest(.get, server.url("/quick")))
            #expect(try await response.body.text(upTo: 100) == "hello")
        }
    }
#endif
