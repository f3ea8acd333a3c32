#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of a server over HTTP/1 whose status line names HTTP/2, as if its connections could be shared.
    @Suite(.needsTheMachine)
    struct CurlMisleadingVersionTests {
        private func server() throws -> MockServer {
            let server = try MockServer()
            server.on(.get, "/misleading", .raw("HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\nok"))
            server.on(.get, "/held", ServerReply.text("held").stalling(at: .start))
            server.on(.get, "/quick", .text("quick"))
            return server
        }

        /// Makes a call after the misleading one, and another one on whose response the server does not wait.
        private func expectOwnResponses(_ server: MockServer, at url: URL, _ client: HTTPClient) async throws {
            let options = CallOptions(timeouts: Timeouts(attempt: .seconds(5)))
            @Sendable func text(_ path: String) async throws -> String {
                let request = HTTPRequest(.get, url.appending(path: path))
                return try await client.send(request, options: options).body.text(upTo: 100)
            }
            #expect(try await text("misleading") == "ok")
            async let held = text("held")
            await server.waitForRequests(2)
            // On the connection of the held one, it would wait for it, and be first to read a response.
            #expect(try await text("quick") == "quick")
            server.release()
            #expect(try await held == "held")
            #expect(server.requests.map(\.connection) == [1, 1, 2])
        }

        @Test func aConnectionInUseIsNotShared() async throws {
            let server = try server()
            try await expectOwnResponses(server, at: server.url("/"), HTTPClient.curl())
        }

        /// TLS knows that HTTP/2 was not agreed on.
        @Test(.needs(.python3, .openssl)) func aSecureConnectionInUseIsNotShared() async throws {
            let server = try server()
            let certificates = try await TestCertificates.shared.value
            let front = try await TLSFront(before: server.port, certificates)
            let client = try HTTPClient.curl { $0.tls.roots = .file(certificates.authority.path()) }
            try await expectOwnResponses(server, at: front.url, client)
            await front.stop()
        }

        /// All connections to a socket file have one name, so it is not known which of them libcurl uses.
        @Test(.needs(.nginx, .openssl)) func http2OverASocketFileIsNotMisleading() async throws {
            let nginx = try await NginxPeer.shared.value
            let (path, authority) = (nginx.secureSocketPath, nginx.certificates.authority.path())
            let client = try HTTPClient.curl {
                $0.unixSocketPath = path
                $0.tls.roots = .file(authority)
            }
            func isReused(_ host: String) async throws -> Bool? {
                let request = HTTPRequest(.get, "\(raw: "https://\(host)/kilobyte")")
                let options = CallOptions(delivery: .buffered(upTo: 2000))
                let timings = try await client.send(request, options: options).timings
                return timings.protocolVersion == "HTTP/2" ? timings.reusedConnection : nil
            }
            #expect(try await isReused("localhost") == false)
            #expect(try await isReused("127.0.0.1") == false)
            #expect(try await isReused("localhost") == true)
            #expect(try await isReused("localhost") == true)
        }
    }
#endif
