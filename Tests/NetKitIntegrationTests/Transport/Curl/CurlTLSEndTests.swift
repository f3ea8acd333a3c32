#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of a connection over TLS that ends with its body.
    @Suite(.needsTheMachine)
    struct CurlTLSEndTests {
        /// Anyone on the way can close a connection, but only the server can say within TLS that it does.
        @Test(.needs(.python3, .openssl), arguments: [false, true], [false, true])
        func onlyABodyWithoutALengthNeedsTheEndOfTLS(endsTLS: Bool, isStreamed: Bool) async throws {
            let hello = Data("hello".utf8)
            let server = try MockServer()
            server.on(.get, "/until-close", .untilClose(hello))
            // libcurl takes it for HTTP/2, in which each body has an end.
            server.on(.get, "/misleading", .raw("HTTP/2 200 OK\r\n\r\nhello").closing(at: .end))
            server.on(.get, "/length", .text("hello").closing(at: .end))
            server.on(.get, "/chunked", .chunked([hello]).closing(at: .end))
            let certificates = try await TestCertificates.shared.value
            let front = try await TLSFront(before: server.port, certificates, endsTLS: endsTLS)
            let client = try HTTPClient.curl { $0.tls.roots = .file(certificates.authority.path()) }
            let options = CallOptions(delivery: isStreamed ? .streamed : .buffered(upTo: 100))
            func text(_ path: String) async throws -> String {
                let request = HTTPRequest(.get, front.url.appending(path: path))
                return try await client.send(request, options: options).body.text(upTo: 100)
            }
            #expect(try await text("length") == "hello")
            #expect(try await text("chunked") == "hello")
            for path in ["until-close", "misleading"] {
                if endsTLS {
                    #expect(try await text(path) == "hello")
                } else {
                    let error = await #expect(throws: NetKitError.self) { try await text(path) }
                    #expect(error?.code == .connectionLost)
                    #expect(error?.outcome == .answered)
                }
            }
            await front.stop()
        }
    }
#endif
