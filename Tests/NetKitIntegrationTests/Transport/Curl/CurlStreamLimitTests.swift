#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of more calls to a host than one HTTP/2 connection carries.
    @Suite(.needs(.python3, .openssl), .needsTheMachine)
    struct CurlStreamLimitTests {
        @Test func aBurstSharesTheConnectionsThatTheHostMayHave() async throws {
            let peer = try await HTTP2Peer(.endless)
            let client = try HTTPClient.curl {
                $0.tls.roots = .file(peer.certificates.authority.path())
                $0.connections.maxPerHost = 2
            }
            let request = HTTPRequest(.get, try peer.url())
            let first = try await client.send(request)
            #expect(first.timings.protocolVersion == "HTTP/2")
            let responses = try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for _ in 0..<139 { group.addTask { try await client.send(request) } }
                return try await group.reduce(into: [first]) { $0.append($1) }
            }
            #expect(responses.count == 140)
            #expect(Set(responses.map { $0.headers["n"] }) == ["0", "1"])
            for response in responses { response.body.discard() }
            await peer.stop()
        }
    }
#endif
