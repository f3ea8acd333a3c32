#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests that a proxy that refuses is asked once, because it would refuse again.
    @Suite(.needsTheMachine)
    struct CurlProxyRefusalTests {
        private let proxy: MockServer

        init() throws {
            proxy = try MockServer()
        }

        private func failure() async throws -> NetKitError {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .url(proxy.baseURL)
            var policy = RetryPolicy()
            policy.backoffStrategy = .fixed(interval: .milliseconds(1))
            let client = HTTPClient(
                transport: try CurlTransport(configuration: configuration),
                interceptors: [RetryInterceptor(policy)]
            )
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.get, "https://shop.example/"))
            }
            return try #require(error)
        }

        @Test(arguments: [(401, true), (403, true), (407, true), (502, false), (503, false)])
        func aTunnelThatIsRefusedIsAskedForOnce(status: Int, isFinal: Bool) async throws {
            let response = "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            proxy.on(nil, "/shop.example:443", .raw(response))
            let error = try await failure()
            #expect(error.code == (isFinal ? .proxy : .connect), "\(error)")
            #expect(error.outcome == .notSent)
            #expect(error.attempts == (isFinal ? 1 : 3))
            #expect(proxy.connectionCount == (isFinal ? 1 : 3))
            if isFinal { #expect(error.message.contains("status \(status)")) }
        }

        /// libcurl reads the response of a proxy as long as bytes arrive, which blocks the rest of the transport
        /// meanwhile.
        private func respondWithoutEnd() {
            let head = Data("HTTP/1.1 407 No\r\nContent-Length: 900000000000\r\n\r\n".utf8)
            proxy.on(nil, "/shop.example:443", .raw(head + Data(repeating: UInt8(ascii: "x"), count: 64 << 20)))
        }

        @Test func aResponseWithoutEndIsCutOff() async throws {
            respondWithoutEnd()
            let error = try await failure()
            #expect(error.code == .proxy, "\(error)")
            #expect(error.message.contains("never ends its response"), "\(error)")
            #expect(error.outcome == .notSent)
        }

        /// Without it, the transport would notice after the second that such a response has. The machine may be busy
        /// meanwhile.
        @Test func aCancellationEndsAResponseWithoutEnd() async throws {
            respondWithoutEnd()
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .url(proxy.baseURL)
            let transport = try CurlTransport(configuration: configuration)
            let request = HTTPRequest(.get, try #require(URL(string: "https://shop.example/")))
            // On a busy machine, the second may be over before the call is cancelled.
            var isEndedAtOnce = false
            for _ in 1...10 where !isEndedAtOnce {
                let (sentBefore, ended) = (proxy.sentByteCount, Flag())
                let call = Task {
                    defer { ended.set() }
                    return try await transport.send(request, context: .test())
                }
                try await waitUntil { proxy.sentByteCount > sentBefore + (1 << 20) || ended.isSet }
                let start = ContinuousClock.now
                call.cancel()
                let error = await #expect(throws: (any Error).self) { try await call.value }
                isEndedAtOnce = error is CancellationError && start.duration(to: .now) < .milliseconds(800)
            }
            #expect(isEndedAtOnce)
        }
    }
#endif
