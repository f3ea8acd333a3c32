#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of connections over TLS on which a server sends unsolicited bytes.
    @Suite(.needsTheMachine, .needs(.openssl, .python3))
    struct CurlExtraRecordsTests {
        private func client(proxy: ProxyPeer? = nil) throws -> HTTPClient {
            try HTTPClient.curl {
                $0.tls.verification = .insecure
                if let proxy { $0.proxy = .url(try proxy.url) }
            }
        }

        /// Sends a request whose response has bytes after it, then two others; returns the wrong responses of these.
        private func shifts(
            _ client: HTTPClient,
            _ peer: UnaskedTLSPeer,
            _ extras: [String],
            methods: [HTTPMethod] = [.get, .head, .post],
            isTunnel: Bool = false
        ) async throws -> [String] {
            var wrong: [String] = []
            var count = 0
            for method in methods {
                for delivery in [Delivery.buffered(upTo: 1 << 20), .streamed] {
                    for extra in extras {
                        func send(_ path: String) async throws -> String? {
                            let body: HTTPBody? = method == .post ? .text("mine") : nil
                            let request = HTTPRequest(method, try peer.url(path), body: body)
                            let response = try await client.send(request, options: CallOptions(delivery: delivery))
                            _ = try await response.body.collect(upTo: 1 << 20)
                            return response.headers["X-Path"]
                        }
                        #expect(try await send("/evil?\(extra)") == "/evil")
                        count += 1
                        try await peer.waitForExtras(count)
                        // No event reports that a proxy has passed on the bytes of the server.
                        if isTunnel { try await NetKitClock.system.sleep(for: .milliseconds(100)) }
                        for path in ["/mine/\(count)/1", "/mine/\(count)/2"] {
                            let seen = try await send(path)
                            if seen != path { wrong.append("\(method) \(path): \(seen ?? "nothing")") }
                        }
                    }
                }
            }
            return wrong
        }

        private static let extras =
            ["extra=response", "extra=response&after=0", "extra=response&after=1", "extra=response&after=20"]
            + ["extra=response&after=50", "extra=part&after=20"]
            + [16_384, 32_768, 102_400, 262_144].flatMap {
                ["extra=response&size=\($0)", "extra=response&size=\($0)&after=0"]
            }

        @Test func anUnrequestedResponseIsIgnored() async throws {
            let peer = try await UnaskedTLSPeer()
            #expect(try await shifts(client(), peer, Self.extras) == [])
            await peer.stop()
        }

        @Test(.needs(.tinyproxy)) func thatHoldsInATunnelToo() async throws {
            let peer = try await UnaskedTLSPeer()
            let proxy = try await ProxyPeer(.http)
            #expect(try await shifts(client(proxy: proxy), peer, Self.extras, methods: [.get], isTunnel: true) == [])
            await proxy.stop()
            await peer.stop()
        }

        /// TLS messages after each response are processed, and the connection is used again.
        @Test(arguments: [
            "extra=ticket", "extra=ticket&after=5", "extra=update&reply=0&after=5", "extra=update&reply=1&after=5",
        ])
        func settingsOfTLSCostNoConnection(_ extra: String) async throws {
            let peer = try await UnaskedTLSPeer()
            let client = try client()
            var connections: Set<String> = []
            for count in 1...30 {
                let response = try await client.send(HTTPRequest(.get, try peer.url("/mine?\(extra)")))
                #expect(try await response.body.text(upTo: 100) == "/mine")
                connections.insert(try #require(response.headers["X-Connection"]))
                try await peer.waitForExtras(count)
            }
            #expect(connections.count <= 3)
            await peer.stop()
        }

        /// Without access to TLS, nothing says that a connection is empty, so it is used once.
        @Test(.enabled(if: gnuTLS != nil, "There is no libcurl over GnuTLS."))
        func aLibraryThatCannotBeLookedIntoUsesAConnectionOnce() async throws {
            let peer = try await UnaskedTLSPeer()
            var configuration = CurlTransport.Configuration()
            configuration.tls.verification = .insecure
            let transport = try CurlTransport(configuration: configuration, library: Self.gnuTLS)
            let client = HTTPClient(transport: transport, interceptors: [])
            #expect(try await shifts(client, peer, ["extra=response", "extra=response&after=20"]) == [])
            let connections = try await (0..<3).asyncMap { _ in
                try await client.send(HTTPRequest(.get, peer.url("/mine"))).headers["X-Connection"]
            }
            #expect(Set(connections).count == 3)
            await peer.stop()
        }

        private static let gnuTLS = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/libcurl-gnutls.so.4" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    extension Range<Int> {
        fileprivate func asyncMap<Value>(_ make: (Int) async throws -> Value) async rethrows -> [Value] {
            var values: [Value] = []
            for number in self { values.append(try await make(number)) }
            return values
        }
    }
#endif
