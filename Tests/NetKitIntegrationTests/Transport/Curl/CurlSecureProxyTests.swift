#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Proxies that are reached over TLS.
    ///
    /// nginx answers requests for other servers as its own, so that each of its ports with TLS is such a proxy for
    /// http.
    @Suite(.needs(.nginx, .openssl), .needsTheMachine)
    struct CurlSecureProxyTests {
        private let nginx: NginxPeer

        init() async throws {
            nginx = try await NginxPeer.shared.value
        }

        private func client(
            _ proxy: URL,
            _ change: (inout CurlTransport.TLS) -> Void = { _ in }
        ) throws -> HTTPClient {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .url(proxy)
            configuration.tls.roots = .file(nginx.certificates.authority.path())
            change(&configuration.tls)
            return HTTPClient(transport: try CurlTransport(configuration: configuration), interceptors: [])
        }

        private func proxy(_ port: NginxPort, host: String = "localhost") throws -> URL {
            try nginx.url(port, "", host: host)
        }

        /// The connection is closed after the response, so that each call has a new one.
        private func facts(_ client: HTTPClient) async throws -> NginxFacts {
            let url = try #require(URL(string: "http://shop.example/facts"))
            let response = try await client.send(HTTPRequest(.get, url, headers: ["Connection": "close"]))
            let body = try await response.body.collect(upTo: 10_000)
            try #require(response.status == 200, "\(response.status): \(String(decoding: body, as: UTF8.self))")
            return try JSONDecoder().decode(NginxFacts.self, from: body)
        }

        private func failure(_ client: HTTPClient) async throws -> NetKitError {
            try #require(await #expect(throws: NetKitError.self) { try await facts(client) })
        }

        @Test func itIsReachedOverTLS() async throws {
            let authority = try Data(contentsOf: nginx.certificates.authority)
            let facts = [
                try await facts(client(proxy(.tlsHTTP1))),
                try await facts(client(proxy(.tlsHTTP1)) { $0.roots = .pem(authority) }),
            ]
            #expect(facts.allSatisfy { $0.tls == "TLSv1.3" && $0.serverName == "localhost" })
            #expect(facts.allSatisfy { $0.method == "GET" && $0.version == "HTTP/1.1" })
        }

        @Test(
            arguments: [
                (.unknownAuthority, "localhost", "not trusted"), (.expired, "localhost", "has expired"),
                (.selfSigned, "localhost", "is self-signed"), (.nameOnly, "127.0.0.1", "for another host"),
            ] as [(NginxPort, String, String)]
        )
        func itsCertificateIsVerified(port: NginxPort, host: String, words: String) async throws {
            let error = try await failure(client(proxy(port, host: host)))
            #expect(error.code == .tls, "\(error)")
            #expect(error.outcome == .notSent)
            #expect(error.message.contains(words), "\(error)")
            #expect(error.message.contains("(proxy `\(host):\(try nginx.number(port))`: "), "\(error)")
            let facts = try await facts(client(proxy(port, host: host)) { $0.verification = .insecure })
            #expect(facts.tls == "TLSv1.3")
        }

        @Test func theSystemsAuthoritiesDoNotVouchForIt() async throws {
            let error = try await failure(client(proxy(.tlsHTTP1)) { $0.roots = .system })
            #expect(error.code == .tls)
            #expect(error.message.contains("not trusted"), "\(error)")
        }

        @Test func itsVersionOfTLSIsBounded() async throws {
            for (port, change) in [
                (.tls12, { $0.minVersion = .tls13 }), (.tls13, { $0.maxVersion = .tls12 }),
            ] as [(NginxPort, (inout CurlTransport.TLS) -> Void)] {
                let error = try await failure(client(proxy(port), change))
                #expect(error.code == .tls)
                #expect(error.message.contains("no version of TLS in common"), "\(error)")
            }
            #expect(try await facts(client(proxy(.tls13)) { $0.minVersion = .tls13 }).tls == "TLSv1.3")
            #expect(try await facts(client(proxy(.tls12)) { $0.maxVersion = .tls12 }).tls == "TLSv1.2")
        }

        @Test func pinsAndTheClientsCertificateAreForServers() async throws {
            let certificates = nginx.certificates
            let identity = CurlTransport.Identity(
                certificatePath: certificates.certificate(.client).path(),
                keyPath: certificates.key(.client).path()
            )
            _ = try await facts(client(proxy(.tlsHTTP1)) { $0.pins = [certificates.otherPin] })
            let url = try #require(URL(string: "http://shop.example/facts"))
            let shown = try client(proxy(.mutual)) { $0.identity = identity }
            #expect(try await shown.send(HTTPRequest(.get, url)).status == 400)
        }

        /// A resumed session would vouch for a certificate that has changed since.
        @Test(arguments: [NginxPort.tls12, .tls13])
        func noSessionIsResumed(port: NginxPort) async throws {
            let client = try client(proxy(port))
            for _ in 0..<3 { #expect(try await facts(client).session == ".") }
        }

        /// A tunnel through TLS in TLS.
        @Test(.needs(.tinyproxy, .python3)) func httpsGoesThroughATunnel() async throws {
            let inner = try await ProxyPeer(.http)
            let front = try await TLSFront(before: UInt16(try #require(inner.url.port)), nginx.certificates)
            let url = try nginx.url(.tlsHTTP1, "/kilobyte")
            let response = try await client(front.url).send(HTTPRequest(.get, url))
            #expect(response.status == 200)
            #expect(try await response.body.collect(upTo: 2000).count == 1024)
            #expect(inner.notes.contains("CONNECT localhost:\(try nginx.number(.tlsHTTP1))"), "\(inner.notes)")
            let refused = try client(front.url) { $0.roots = .system }
            let error = await #expect(throws: NetKitError.self) { try await refused.send(HTTPRequest(.get, url)) }
            #expect(error?.code == .tls)
            #expect(error?.outcome == .notSent)
            await front.stop()
            await inner.stop()
        }

        /// The file is read again within a minute after it changed, which takes that minute.
        @Test(.enabled(if: ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1", "set NETKIT_LONG=1"))
        func aChangedFileOfAuthoritiesHolds() async throws {
            let certificates = nginx.certificates
            let folder = try TemporaryFolder()
            let file = try folder.write(try Data(contentsOf: certificates.authority), to: "roots.pem")
            let client = try client(proxy(.tlsHTTP1)) { $0.roots = .file(file.path()) }
            _ = try await facts(client)
            _ = try folder.write(try Data(contentsOf: certificates.certificate(.otherAuthority)), to: "roots.pem")
            try await Task.sleep(for: .seconds(61))
            #expect(try await failure(client).code == .tls)
        }
    }
#endif
