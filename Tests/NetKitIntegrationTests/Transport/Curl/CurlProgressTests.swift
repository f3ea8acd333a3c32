#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of the progress of an exchange over `CurlTransport`, while it goes on.
    @Suite(.needsTheMachine)
    struct CurlProgressTests {
        private static let size = 32 << 20

        @Test func sentBytesAreCountedAsTheyAreSent() async throws {
            let server = try MockServer()
            server.on(.post, "/", .text("ok"))
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            let context = RequestContext.test()
            let transport = try CurlTransport()
            let request = HTTPRequest(.post, server.url("/"), body: .stream(chunks))
            let call = Task { try await transport.send(request, context: context) }
            for count in 1...5 {
                source.yield(Data(count: 10_000))
                // Counts only the bytes that the transport has asked for, so that the stream cannot run ahead of it.
                while context.attempt.sentByteCount < count * 10_000 { try await Task.sleep(for: .milliseconds(1)) }
                #expect(context.attempt.sentByteCount == count * 10_000)
            }
            source.finish()
            let response = try await call.value
            #expect(context.attempt.sentByteCount == 50_000)
            #expect(response.timings.bytesSent == 50_000)
            #expect(server.requests.first?.body.count == 50_000)
        }

        enum Source: CaseIterable {
            case memory
            case file
        }

        @Test(arguments: Source.allCases) func aServerThatReadsNothingStopsTheCount(_ source: Source) async throws {
            let server = try MockServer()
            server.onConnect(nil, .stall)
            let folder = try TemporaryFolder()
            let body: HTTPBody =
                switch source {
                case .memory: .data(Data(count: Self.size))
                case .file: .file(at: try folder.write(Data(count: Self.size), to: "body"))
                }
            let transport = try CurlTransport()
            let context = RequestContext.test(timeouts: Timeouts(idle: .seconds(2)))
            let request = HTTPRequest(.post, server.url("/"), body: body)
            let error = await #expect(throws: NetKitError.self) {
                try await transport.send(request, context: context)
            }
            #expect(error?.timeoutPhase == .idle)

            // The amount that fits between here and a server that reads nothing.
            #expect(context.attempt.sentByteCount > 0)
            #expect(context.attempt.sentByteCount < Self.size)
        }

        @Test(arguments: Source.allCases) func aWholeBodyIsCountedWhole(_ source: Source) async throws {
            let server = try MockServer()
            server.on(.post, "/") { .text("\($0.body.count)") }
            let folder = try TemporaryFolder()
            let body: HTTPBody =
                switch source {
                case .memory: .data(Data(count: 300_000))
                case .file: .file(at: try folder.write(Data(count: 300_000), to: "body"))
                }
            let context = RequestContext.test()
            let response = try await CurlTransport().send(
                HTTPRequest(.post, server.url("/"), body: body),
                context: context
            )
            #expect(response.body.buffered == Data("300000".utf8))
            #expect(response.timings.bytesSent == 300_000)
            #expect(context.attempt.sentByteCount == 300_000)
        }

        /// A small body is sent along with the head, and counts as well.
        @Test func aSmallBodyIsCounted() async throws {
            let server = try MockServer()
            server.on(.post, "/", .text("ok"))
            let context = RequestContext.test()
            let request = HTTPRequest(.post, server.url("/"), body: .data(Data(count: 1000)))
            let response = try await CurlTransport().send(request, context: context)
            #expect(response.timings.bytesSent == 1000)
            #expect(context.attempt.sentByteCount == 1000)
        }

        @Test func receivedBytesAreDeliveredBeforeTheRest() async throws {
            let server = try MockServer()
            let half = 100_000
            server.on(.get, "/", .data(Data(count: 2 * half)).stalling(at: .inBody(after: half)))
            let response = try await CurlTransport().send(
                HTTPRequest(.get, server.url("/")),
                context: .test(delivery: .streamed)
            )
            #expect(response.body.length == Int64(2 * half))
            var count = 0
            for try await chunk in response.body {
                count += chunk.count
                if count == half { server.release() }
            }
            #expect(count == 2 * half)
        }
    }
#endif
