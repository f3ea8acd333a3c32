#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of bodies that decode to a thousand times their size, and are decoded only as fast as they are read.
    @Suite(.needsTheMachine)
    struct CurlDecodingTests {
        /// The bytes that wait for a reader at most: those of the pipe, and a chunk.
        private static let maxWaiting = (256 << 10) + (128 << 10)

        enum Framing: CaseIterable {
            case length
            case chunks
            case close

            var reply: ServerReply {
                let reply: ServerReply =
                    switch self {
                    case .length: .data(CompressedZeros.gzip)
                    case .chunks: .chunked([CompressedZeros.gzip], trailers: ["X-End": "yes"])
                    case .close: .untilClose(CompressedZeros.gzip)
                    }
                return reply.header("Content-Encoding", "gzip")
            }
        }

        private func size(of body: ResponseBody) async throws -> Int {
            var size = 0
            for try await chunk in body { size += chunk.count }
            return size
        }

        /// Returns the pipe of a streamed body, once as much waits in it as may.
        private func filledPipe(of response: HTTPResponse) async throws -> BodyPipe {
            let source = Mirror(reflecting: response.body).descendant("state", "source", "some")
            let pipe = try #require(source as? BodyPipe)
            try await waitUntil { pipe.pendingByteCount >= 256 << 10 }
            return pipe
        }

        @Test(arguments: Framing.allCases)
        func decodingWaitsForTheReader(_ framing: Framing) async throws {
            let quick = try QuickServer()
            quick.server.on(.get, "/zeros", framing.reply)
            let response = try await quick.client.send(
                HTTPRequest(.get, quick.server.url("/zeros")),
                options: CallOptions(delivery: .streamed)
            )
            let pipe = try await filledPipe(of: response)
            // Both transfers have the same loop.
            for _ in 0..<10 { try await quick.call() }
            #expect(pipe.pendingByteCount <= Self.maxWaiting)

            #expect(try await size(of: response.body) == CompressedZeros.size)
            #expect(response.body.trailers?["X-End"] == (framing == .chunks ? "yes" : nil))
            try await quick.call()
        }

        @Test func aBodyCanBeGivenUpInTheMiddleOfAPiece() async throws {
            let quick = try QuickServer()
            quick.server.on(.get, "/zeros", Framing.length.reply)
            for _ in 0..<4 {
                let response = try await quick.client.send(
                    HTTPRequest(.get, quick.server.url("/zeros")),
                    options: CallOptions(delivery: .streamed)
                )
                _ = try await filledPipe(of: response)
                response.body.discard()
                try await quick.call()
            }
        }

        @Test func aBufferedBodyIsDecodedAtOnce() async throws {
            let quick = try QuickServer()
            quick.server.on(.get, "/zeros", Framing.length.reply)
            let response = try await quick.client.send(
                HTTPRequest(.get, quick.server.url("/zeros")),
                options: CallOptions(delivery: .buffered(upTo: 128 << 20))
            )
            #expect(response.body.buffered?.count == CompressedZeros.size)
        }

        /// On one connection, and with readers that never wait.
        @Test(.needs(.nginx, .openssl))
        func streamsOfOneConnectionAreDecodedInTurn() async throws {
            let peer = try await NginxPeer.shared.value
            let client = try HTTPClient.curl { $0.tls.roots = .file(peer.certificates.authority.path()) }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let response = try await client.send(HTTPRequest(.get, peer.url(.tls, "/zeros")))
                        #expect(response.timings.protocolVersion == "HTTP/2")
                        return try await size(of: response.body)
                    }
                }
                for try await size in group { #expect(size == CompressedZeros.size) }
            }
        }
    }
#endif
