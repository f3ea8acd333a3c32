#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// A proxy that refuses would refuse again: it is asked once.
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
            let answer = "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            proxy.on(nil, "/shop.example:443", .raw(answer))
            let error = try await failure()
            #expect(error.code == (isFinal ? .proxy : .connect), "\(error)")
            #expect(error.outcome == .notSent)
            #expect(error.attempts == (isFinal ? 1 : 3))
            #expect(proxy.connectionCount == (isFinal ? 1 : 3))
            if isFinal { #expect(error.message.contains("status \(status)")) }
        }

        /// libcurl reads the answer of a proxy as long as bytes come, and nothing else of the transport goes on meanwhile.
        private func answerWithoutEnd() {
            let head = "HTTP/1.1 407 No\r\nContent-Length: 900000000000\r\n\r\n"
            proxy.on(nil, "/shop.example:443", .raw(head + String(repeating: "x", count: 64 << 20)))
        }

        @Test func anAnswerWithoutEndIsCutOff() async throws {
            answerWithoutEnd()
            let error = try await failure()
            #expect(error.code == .proxy, "\(error)")
            #expect(error.message.contains("without end"), "\(error)")
            #expect(error.outcome == .notSent)
        }

        /// The transport would notice only after the second that such an answer has; the machine may be busy meanwhile.
        @Test func aCancellationEndsAnAnswerWithoutEnd() async throws {
            answerWithoutEnd()
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .url(proxy.baseURL)
            let transport = try CurlTransport(configuration: configuration)
            let request = HTTPRequest(.get, try #require(URL(string: "https://shop.example/")))
            var shortest = Duration.seconds(60)
            for round in 1...3 where shortest > .milliseconds(400) {
                let call = Task { try await transport.send(request, context: .test()) }
                await proxy.waitForRequests(round)
                try await Task.sleep(for: .milliseconds(50))
                let start = ContinuousClock.now
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
                shortest = min(shortest, start.duration(to: .now))
            }
            #expect(shortest < .milliseconds(400))
        }
    }
#endif
