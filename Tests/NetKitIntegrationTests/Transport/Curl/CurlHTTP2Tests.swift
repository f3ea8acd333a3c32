#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTestSupport
    import NetKitTesting
    import Testing

    /// Tests of HTTP/2, where transfers share a connection, and leftovers of one in libcurl must not reach another.
    @Suite(.needs(.nginx, .openssl), .needsTheMachine)
    struct CurlHTTP2Tests {
        private let client: HTTPClient
        private let peer: NginxPeer

        init() async throws {
            peer = try await NginxPeer.shared.value
            let authority = peer.certificates.authority.path()
            client = try HTTPClient.curl { $0.tls.roots = .file(authority) }
        }

        private func get(_ path: String) async throws -> HTTPResponse {
            try await client.send(HTTPRequest(.get, peer.url(.tls, path)))
        }

        /// A body that was cancelled while its reader was slow leaves bytes in libcurl's handle, which is used again.
        @Test func noByteOfABodyThatWasGivenUpReachesAnother() async throws {
            // Keeps the connection in use.
            let other = try await get("/large")
            #expect(other.timings.protocolVersion == "HTTP/2")
            for _ in 0..<4 {
                let givenUp = try await get("/large")
                try await Task.sleep(for: .milliseconds(100))
                givenUp.body.discard()
                let read = try await get("/large")
                try await Task.sleep(for: .milliseconds(100))
                let body = try await read.body.collect(upTo: 1 << 25)
                #expect(body.count == NginxPeer.largeSize)
                let isSame = body == patternedData(NginxPeer.largeSize)
                #expect(isSame)
            }
            other.body.discard()
        }

        /// A connection whose transfers all wait for their readers looks idle.
        @Test func theEndOfACallEndsNoOtherThatWaits() async throws {
            let waiting = [try await get("/large"), try await get("/large")]
            let ended = try await get("/large")
            try await Task.sleep(for: .milliseconds(200))
            ended.body.discard()
            #expect(try await get("/kilobyte").timings.reusedConnection == true)
            for response in waiting {
                #expect(try await response.body.collect(upTo: 1 << 25).count == NginxPeer.largeSize)
            }
        }

        /// libcurl may still point to a call that ended while its connection was busy. After too many of those, the
        /// connection is closed.
        @Test(.needs(.python3)) func uploadsThatAreGivenUpEndNoOtherCall() async throws {
            let server = try await HTTP2Peer(.counting)
            let client = try HTTPClient.curl { $0.tls.roots = .file(server.certificates.authority.path()) }
            let url = try server.url()
            let download = try await client.send(HTTPRequest(.get, url))
            #expect(download.timings.protocolVersion == "HTTP/2")
            var signals = download.body.makeAsyncIterator()
            func upload(_ size: Int) -> Task<HTTPResponse, any Error> {
                Task { try await client.send(HTTPRequest(.put, url, body: .data(Data(count: size)))) }
            }
            // Keeps the connection busy to the end.
            let endless = upload(1 << 30)
            _ = try await signals.next()
            for _ in 0..<6 {
                let uploads = (0..<60).map { _ in upload(200_000) }
                // They have begun.
                let signal = try await signals.next()
                #expect(signal == Data("x".utf8))
                for upload in uploads { upload.cancel() }
                for upload in uploads {
                    await #expect(throws: CancellationError.self) { try await upload.value }
                }
            }
            endless.cancel()
            await server.stop()
        }

        @Test(arguments: [1, 40])
        func aHeadMayBeLarge(callers: Int) async throws {
            let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<callers {
                    group.addTask {
                        let response = try await get("/large-head")
                        return (0..<20).reduce(0) { $0 + (response.headers["X-Large-\($1)"]?.utf8.count ?? 0) }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(lengths == Array(repeating: 40_000, count: callers))
        }

        /// Without a reset of its stream, which nothing else sends, the server would continue a call that has ended.
        @Test func theConnectionOfACallThatEndedAloneIsClosed() async throws {
            let first = try await get("/kilobyte")
            #expect(try await first.body.collect(upTo: 2_000).count == 1024)
            let call = try await get("/large")
            #expect(call.timings.reusedConnection == true)
            call.body.discard()
            try await waitUntil { client.activeCallCount == 0 }
            let next = try await get("/kilobyte")
            #expect(next.timings.reusedConnection == false)
            #expect(try await next.body.collect(upTo: 2_000).count == 1024)
        }
    }
#endif
