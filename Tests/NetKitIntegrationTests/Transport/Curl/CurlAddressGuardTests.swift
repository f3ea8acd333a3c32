#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of requests that an address guard does not let reach the wire.
    @Suite(.needsTheMachine)
    struct CurlAddressGuardTests {
        private let server: MockServer

        init() throws {
            server = try MockServer()
            server.on(nil, "/**", .text("ok"))
        }

        private func client(
            _ transport: CurlTransport,
            _ addressGuard: AddressGuard? = AddressGuard(resolve: { _ in ["93.184.216.34"] })
        ) -> HTTPClient {
            var configuration = HTTPClient.Configuration()
            configuration.addressGuard = addressGuard
            return HTTPClient(transport: transport, interceptors: [], configuration: configuration)
        }

        private func overriding(
            _ host: String,
            _ addresses: String = "127.0.0.1",
            _ proxy: CurlTransport.Proxy = .none
        ) throws -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            configuration.addressOverrides = [host: addresses]
            configuration.proxy = proxy
            return try CurlTransport(configuration: configuration)
        }

        @Test(arguments: [true, false])
        func aRefusedServerSeesNothing(isOpen: Bool) async throws {
            // A port on which nothing listens must look like one with a server.
            let port = isOpen ? Int(server.port) : 9
            let client = client(try overriding("api.example"))
            for scheme in ["http", "https"] {
                let error = await #expect(throws: NetKitError.self) {
                    try await client.send(
                        HTTPRequest(.post, RequestPath(raw: "\(scheme)://api.example:\(port)/"))
                    )
                }
                #expect(error?.code == .addressRefused, "\(scheme)")
                #expect(error?.outcome == .notSent)
                #expect(error?.timings?.connected == nil)
            }
            #expect(server.connectionCount == 0)
        }

        @Test func aConnectionOfAnotherClientIsJudgedToo() async throws {
            let transport = try overriding("api.example")
            let request = HTTPRequest(.post, RequestPath(raw: "http://api.example:\(server.port)/"))
            _ = try await client(transport, nil).send(request)
            let error = await #expect(throws: NetKitError.self) {
                try await client(transport).send(request)
            }
            #expect(error?.code == .addressRefused)
            #expect(error?.outcome == .notSent)
            _ = try await client(transport, nil).send(request)
            #expect(server.requests.count == 2)
        }

        @Test func aProxyOfTheApplicationMayBePrivateAndTheServerBehindItMayNot() async throws {
            let transport = try overriding("other.example", "127.0.0.1", .url(server.baseURL))
            let guarded = client(
                transport,
                AddressGuard(resolve: { $0 == "inner.example" ? ["10.0.0.7"] : ["93.184.216.34"] })
            )
            let response = try await guarded.send(HTTPRequest(.post, "http://shop.example/order"))
            #expect(response.status == 200)
            #expect(server.requests.count == 1)
            for host in ["inner.example", "10.0.0.7", "[::1]", "169.254.169.254"] {
                let error = await #expect(throws: NetKitError.self) {
                    try await guarded.send(HTTPRequest(.post, RequestPath(raw: "http://\(host)/order")))
                }
                #expect(error?.code == .addressRefused, "\(host)")
                #expect(error?.outcome == .notSent)
            }
            #expect(server.requests.count == 1)
        }

        /// The proxy takes addresses. Another client has made a connection, and libcurl remembers the address.
        @Test(.needs(.microsocks))
        func aProxyGetsNoAddressThatTheGuardRefuses() async throws {
            let proxy = try await ProxyPeer(.socks5)
            let place = try proxy.url.absoluteString.replacing("socks5h:", with: "socks5:")
            // As libcurl takes them: several, with or without brackets.
            let addresses = "127.0.0.1,[::1]"
            let transport = try overriding("api.example", addresses, .url(try #require(URL(string: place))))
            let request = HTTPRequest(.post, RequestPath(raw: "http://api.example:\(server.port)/"))
            let open = client(transport, nil)
            _ = try await open.send(request).body.collect(upTo: 10)
            for _ in 0..<2 {
                let error = await #expect(throws: NetKitError.self) { try await client(transport).send(request) }
                #expect(error?.code == .addressRefused)
                #expect(error?.outcome == .notSent)
            }
            #expect(server.connectionCount == 1)
            #expect(server.requests.count == 1)
            let allowing = AddressGuard(resolve: { _ in ["93.184.216.34"] }, isAllowed: { _ in true })
            for other in [client(transport, allowing), open] {
                let response = try await other.send(request)
                #expect(response.timings.reusedConnection == true)
                _ = try await response.body.collect(upTo: 10)
            }
            #expect(server.requests.count == 3)
            await proxy.stop()
        }

        @Test func overURLSessionNothingIsSent() async throws {
            var configuration = HTTPClient.Configuration()
            configuration.addressGuard = AddressGuard(exceptHosts: ["127.0.0.1"])
            let client = HTTPClient(
                transport: URLSessionTransport(),
                interceptors: [],
                configuration: configuration
            )
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.get, server.url("/")))
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.outcome == .notSent)
            #expect(server.connectionCount == 0)
            #expect(client.explain().contains("unusable: An address guard needs a transport"))
        }
    }
#endif
