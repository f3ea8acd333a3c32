#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTestSupport
    import NetKitTesting
    import Testing

    /// Tests of the time from which a response is waited for.
    @Suite(.needsTheMachine)
    struct CurlRequestEndTests {
        /// libcurl asks for no more once it has the announced bytes.
        @Test(arguments: [5, nil] as [Int64?])
        func theFirstByteIsAwaitedFromTheEndOfAStream(_ length: Int64?) async throws {
            let (server, time) = (try MockServer(), TestClock())
            server.on(.post, "/x", .text("hello").stalling(at: .start))
            let timeouts = Timeouts(firstByte: .seconds(5), idle: .seconds(30), attempt: nil)
            let client = try WireTransport.curl.client(server.baseURL, timeouts: timeouts, clock: time.clock)
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            source.yield(Data("hello".utf8))
            source.finish()
            let request = HTTPRequest(.post, "/x", body: .stream(length: length, chunks))
            let call = Task { try await client.send(request) }
            await server.waitForRequests(1)
            time.advance(by: .seconds(30))
            let error = await #expect(throws: NetKitError.self) { try await call.value }
            #expect(error?.timeoutPhase == .firstByte)
        }
    }
#endif
