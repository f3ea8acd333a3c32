#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of connections that are cut off without a sign: no end arrives, and nothing is acknowledged.
    @Suite(.needs(.python3, .openssl), .needsTheMachine)
    struct CurlUnreachableTests {
        /// Over HTTP/2, the connection outlives the call that gives up on it, because another call waits on it.
        @Test func aConnectionThatIsCutOffIsGivenUpForAllCalls() async throws {
            let peer = try await HTTP2Peer(.vanishing)
            let client = try HTTPClient.curl { $0.tls.roots = .file(peer.certificates.authority.path()) }
            let request = HTTPRequest(.get, try peer.url())
            let first = try await client.send(request)
            #expect(first.timings.protocolVersion == "HTTP/2")
            func send(waiting limit: Duration) async throws -> HTTPStatus {
                let timeouts = Timeouts(firstByte: limit, idle: nil, attempt: nil)
                return try await client.send(request, options: CallOptions(timeouts: timeouts)).status
            }
            let patient = Task { try await send(waiting: .seconds(30)) }
            // Three repetitions take the kernel 1.5 to 2 seconds here.
            let error = await #expect(throws: NetKitError.self) { try await send(waiting: .seconds(3)) }
            #expect(error?.timeoutPhase == .firstByte)
            // Some versions of libcurl send the request again by themselves.
            if case .failure(let other) = await patient.result {
                #expect((other as? NetKitError)?.code == .connectionLost)
            }
            #expect(try await send(waiting: .seconds(30)) == 200)
            await peer.stop()
        }
    }
#endif
