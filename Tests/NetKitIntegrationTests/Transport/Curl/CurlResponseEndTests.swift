#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of a response whose end libcurl would take from the connection alone.
    @Suite(.needsTheMachine)
    struct CurlResponseEndTests {
        /// libcurl ignores a length next to a transfer coding, even if the coding is the one that changes nothing.
        @Test(arguments: [false, true]) func aLengthCountsDespiteATransferCoding(isStreamed: Bool) async throws {
            let server = try MockServer()
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: "
            server.on(nil, "/whole", .raw(head + "5\r\n\r\nhello").closing(at: .end))
            server.on(.get, "/cut", .raw(head + "10\r\n\r\nhello").closing(at: .end))
            let client = try HTTPClient.curl()
            let options = CallOptions(delivery: isStreamed ? .streamed : .buffered(upTo: 100))
            func text(_ method: HTTPMethod, _ path: String) async throws -> String {
                try await client.send(HTTPRequest(method, server.url(path)), options: options).body.text(upTo: 100)
            }
            #expect(try await text(.get, "/whole") == "hello")
            #expect(try await text(.head, "/whole") == "")
            let error = await #expect(throws: NetKitError.self) { try await text(.get, "/cut") }
            #expect(error?.code == .connectionLost)
            #expect(error?.outcome == .answered)
        }
    }
#endif
