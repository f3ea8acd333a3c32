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

        /// The field of a response without a body says how the body of another one would be encoded.
        @Test func onlyABodyNeedsATransferCodingThatIsKnown() async throws {
            let server = try MockServer()
            let fields = "\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
            let early = "HTTP/1.1 103 Early Hints\(fields)HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            server.on(nil, "/whole", .raw("HTTP/1.1 200 OK\(fields)").closing(at: .end))
            server.on(.get, "/none", .raw("HTTP/1.1 204 No Content\(fields)"))
            server.on(.get, "/same", .raw("HTTP/1.1 304 Not Modified\(fields)"))
            server.on(.get, "/early", .raw(early))
            let client = try HTTPClient.curl()
            let buffered = CallOptions(delivery: .buffered(upTo: 100))
            func status(_ method: HTTPMethod, _ path: String) async throws -> HTTPStatus {
                try await client.send(HTTPRequest(method, server.url(path)), options: buffered).status
            }
            #expect(try await status(.head, "/whole") == 200)
            #expect(try await status(.get, "/none") == 204)
            #expect(try await status(.get, "/same") == 304)
            #expect(try await status(.get, "/early") == 200)
            let error = await #expect(throws: NetKitError.self) { try await status(.get, "/whole") }
            #expect(error?.code == .invalidResponse)
            #expect(error?.message.contains("it has a transfer coding other than chunked") == true)
        }
    }
#endif
