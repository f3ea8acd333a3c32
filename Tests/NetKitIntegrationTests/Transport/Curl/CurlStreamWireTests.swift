#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of streamed bodies, which are joined into larger chunks without withholding bytes from a reader.
    @Suite(.needsTheMachine)
    struct CurlStreamWireTests {
        private static let size = 1 << 20
        private let quick: QuickServer
        private var server: MockServer { quick.server }
        private var client: HTTPClient { quick.client }

        init() throws { quick = try QuickServer() }

        @Test(
            arguments: [
                ServerReply.text("hello").bodyCutShort(by: 1), .badChunk(), .gzip(Data("hello".utf8), .corrupt),
            ]
        )
        func aBodyThatBreaksAtOnceFailsItsReadAndNotTheCall(_ reply: ServerReply) async throws {
            server.on(.get, "/broken", reply)
            let response = try await client.send(HTTPRequest(.get, server.url("/broken")))
            #expect(response.status == .ok)
            await #expect(throws: NetKitError.self) { try await response.body.collect(upTo: 1 << 20) }
        }

        @Test func aBodyThatArrivesWithItsHeadIsInMemory() async throws {
            server.on(.get, "/small", .text("hello"))
            var isInMemory = false
            for _ in 0..<10 {
                let response = try await client.send(HTTPRequest(.get, server.url("/small")))
                if response.body.buffered == Data("hello".utf8) { isInMemory = true }
            }
            #expect(isInMemory)
        }

        /// The server sends nothing more until the reader has all earlier bytes, while others keep the loop awake.
        @Test(arguments: [1, 16 << 10, (16 << 10) + 1, 64 << 10, 100_000, 700_000])
        func receivedBytesAreDeliveredThoughNothingFollows(_ count: Int) async throws {
            let body = Data((0..<Self.size).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            server.on(.get, "/stalled", .data(body).stalling(at: .inBody(after: count)))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { [quick] in
                        while !Task.isCancelled { try await quick.call() }
                    }
                }
                let response = try await client.send(
                    HTTPRequest(.get, server.url("/stalled")),
                    options: CallOptions(delivery: .streamed)
                )
                var chunks = response.body.makeAsyncIterator()
                var received = Data()
                while received.count < count, let chunk = try await chunks.next() { received += chunk }
                #expect(received == body.prefix(count))

                server.release()
                while let chunk = try await chunks.next() { received += chunk }
                #expect(received == body)
                group.cancelAll()
                do {
                    try await group.waitForAll()
                } catch is CancellationError {
                    // The others go on until they are told to end.
                }
            }
        }
    }
#endif
