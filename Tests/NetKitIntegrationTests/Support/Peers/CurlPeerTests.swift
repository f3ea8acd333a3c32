#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of `CurlTransport` with real servers and proxies.
    @Suite(.needsTheMachine)
    struct CurlPeerTests {
        private var buffered: CallOptions { CallOptions(delivery: .buffered(upTo: 32 << 20)) }

        @Test(.needs(.nginx, .openssl)) func http2IsSpokenWhereTheServerAgrees() async throws {
            let nginx = try await NginxPeer.shared.value
            let authority = nginx.certificates.authority.path()
            for (isAllowed, version) in [(true, "HTTP/2"), (false, "HTTP/1.1")] {
                let client = try HTTPClient.curl {
                    $0.tls.roots = .file(authority)
                    $0.httpVersion = isAllowed ? .automatic : .http11
                }
                let response = try await client.send(
                    HTTPRequest(.get, try nginx.url(.tls, "/kilobyte")),
                    options: buffered
                )
                #expect(response.status == 200)
                #expect(response.timings.protocolVersion == version)
                #expect(response.timings.secured != nil)
                #expect(response.timings.reusedConnection == false)
            }
        }

        /// The first calls of a client begin all at once, when nothing is known about the server.
        @Test(
            .needs(.nginx, .openssl),
            arguments: [(.tls, 1...1), (.tlsHTTP1, 1...40)] as [(NginxPort, ClosedRange<Int>)]
        )
        func callsShareConnectionsOverHTTP2(port: NginxPort, openedConnections: ClosedRange<Int>) async throws {
            let nginx = try await NginxPeer.shared.value
            let authority = nginx.certificates.authority.path()
            let client = try HTTPClient.curl { $0.tls.roots = .file(authority) }
            let url = try nginx.url(port, "/kilobyte")
            for bound in [openedConnections, 0...(openedConnections.upperBound - 1)] {
                let opened = try await withThrowingTaskGroup(of: Bool?.self) { group in
                    for _ in 0..<40 {
                        group.addTask {
                            try await client.send(HTTPRequest(.get, url), options: buffered).timings.reusedConnection
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 == false ? 1 : 0 }
                }
                #expect(bound.contains(opened))
            }
        }

        /// Each body continues only after all have begun, which they do over one connection.
        @Test(.needs(.nginx, .openssl)) func theBoundOfConnectionsIsNoneOfCallsOverHTTP2() async throws {
            let nginx = try await NginxPeer.shared.value
            let authority = nginx.certificates.authority.path()
            let client = try HTTPClient.curl {
                $0.tls.roots = .file(authority)
                $0.connections.maxPerHost = 1
            }
            _ = try await client.send(HTTPRequest(.get, try nginx.url(.tls, "/kilobyte")), options: buffered)
            let url = try nginx.url(.tls, "/upload")
            let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
            let (bodies, feeds) = (0..<3).reduce(into: ([HTTPBody](), [AsyncStream<Data>.Continuation]())) { both, _ in
                let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
                feed.yield(Data("first".utf8))
                both.0.append(
                    .stream(
                        chunks.map { chunk in
                            beginning.yield()
                            return chunk
                        }
                    )
                )
                both.1.append(feed)
            }
            try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for body in bodies {
                    group.addTask { try await client.send(HTTPRequest(.post, url, body: body), options: buffered) }
                }
                var waiting = begun.makeAsyncIterator()
                for _ in bodies { await waiting.next() }
                for feed in feeds { feed.finish() }
                for try await response in group {
                    #expect(response.status == .ok)
                    #expect(response.timings.protocolVersion == "HTTP/2")
                }
            }
        }

        @Test(.needs(.nginx, .openssl), arguments: [true, false])
        func trustMayComeFromMemory(_ isRight: Bool) async throws {
            let nginx = try await NginxPeer.shared.value
            let certificates = nginx.certificates
            let authority = isRight ? certificates.authority : certificates.certificate(.otherAuthority)
            let text = try Data(contentsOf: authority)
            let client = try HTTPClient.curl { $0.tls.roots = .pem(text) }
            let result = await Result.catching {
                try await client.send(HTTPRequest(.get, try nginx.url(.tls, "/kilobyte")), options: buffered).status
            }
            switch result {
            case .success(let status): #expect(isRight && status == 200)
            case .failure(let error): #expect(!isRight && (error as? NetKitError)?.code == .tls)
            }
        }

        @Test(.needs(.nginx)) func gzipFromARealServerIsTakenOff() async throws {
            let nginx = try await NginxPeer.shared.value
            let response = try await HTTPClient.curl().send(
                HTTPRequest(.get, try nginx.url(.plain, "/text.txt")),
                options: buffered
            )
            #expect(response.headers["Content-Encoding"] == nil)
            #expect(response.body.buffered?.isEmpty == false)
            var plain = HTTPRequest(.get, try nginx.url(.plain, "/text.txt"))
            plain.headers["Accept-Encoding"] = "gzip"
            let coded = try await HTTPClient.curl { $0.decodesContent = false }.send(plain, options: buffered)
            #expect(coded.headers["Content-Encoding"] == "gzip")
            #expect((coded.body.buffered?.count ?? 0) < (response.body.buffered?.count ?? 0))
        }

        @Test(.needs(.nginx)) func aPartOfAFileIsThatPart() async throws {
            let nginx = try await NginxPeer.shared.value
            var request = HTTPRequest(.get, try nginx.url(.plain, "/large"))
            request.headers["Range"] = "bytes=100-199"
            let response = try await HTTPClient.curl().send(request, options: buffered)
            #expect(response.status == 206)
            #expect(response.body.buffered?.count == 100)
        }

        @Test(.needs(.nginx)) func aUnixSocketIsConnectedTo() async throws {
            let nginx = try await NginxPeer.shared.value
            let path = nginx.socketPath
            let client = try HTTPClient.curl { $0.unixSocketPath = path }
            let response = try await client.send(HTTPRequest(.get, "http://localhost/kilobyte"), options: buffered)
            #expect(response.body.buffered?.count == 1024)
        }

        @Test(.needs(.nginx), arguments: [1, 3_000_000])
        func bodiesArriveWhole(_ size: Int) async throws {
            let nginx = try await NginxPeer.shared.value
            let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let stream = AsyncStream { continuation in
                for start in stride(from: 0, to: size, by: 70_000) {
                    continuation.yield(bytes[start..<min(size, start + 70_000)])
                }
                continuation.finish()
            }
            for body in [HTTPBody.data(bytes), .stream(stream)] {
                let request = HTTPRequest(.post, try nginx.url(.plain, "/upload"), body: body)
                let response = try await HTTPClient.curl().send(request, options: buffered)
                #expect(response.body.buffered.map { String(decoding: $0, as: UTF8.self) }?.contains("\(size)") == true)
            }
        }

        @Test(.needs(.nginx, .tinyproxy)) func anHTTPProxyIsGoneThrough() async throws {
            let nginx = try await NginxPeer.shared.value
            let proxy = try await ProxyPeer(.http, wantsPassword: false)
            let place = try proxy.url
            let client = try HTTPClient.curl { $0.proxy = .url(place) }
            let response = try await client.send(
                HTTPRequest(.get, try nginx.url(.plain, "/kilobyte")),
                options: buffered
            )
            #expect(response.body.buffered?.count == 1024)
            #expect(response.headers["Via"]?.contains("tinyproxy") == true)
        }

        @Test(.needs(.nginx, .microsocks), arguments: [true, false])
        func aSOCKSProxyIsGoneThrough(_ wantsPassword: Bool) async throws {
            let nginx = try await NginxPeer.shared.value
            let proxy = try await ProxyPeer(.socks5, wantsPassword: wantsPassword)
            var parts = try #require(URLComponents(url: try proxy.url, resolvingAgainstBaseURL: false))
            if wantsPassword { (parts.user, parts.password) = (ProxyPeer.user, ProxyPeer.password) }
            let place = try #require(parts.url)
            let client = try HTTPClient.curl { $0.proxy = .url(place) }
            let response = try await client.send(
                HTTPRequest(.get, try nginx.url(.plain, "/kilobyte")),
                options: buffered
            )
            #expect(response.body.buffered?.count == 1024)
        }

        @Test func aProxyThatIsNotThereIsAFailureToConnect() async throws {
            let place = try #require(URL(string: "http://127.0.0.1:1"))
            let client = try HTTPClient.curl { $0.proxy = .url(place) }
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.get, "http://127.0.0.1:2/"))
            }
            #expect(error?.code == .connect)
            #expect(error?.outcome == .notSent)
        }
    }
#endif
