#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Responses that arrive while the caller's stream waits with the rest of the request.
    @Suite(.needsTheMachine)
    struct CurlEarlyResponseTests {
        @Test(.needs(.nginx, .openssl), arguments: [NginxPort.plain, .tlsHTTP1, .tls], [false, true])
        func anErrorIsDeliveredAtOnce(port: NginxPort, isStreamed: Bool) async throws {
            let nginx = try await NginxPeer.shared.value
            let client = try HTTPClient.curl { $0.tls.roots = .file(nginx.certificates.authority.path()) }
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            source.yield(Data(count: 4000))
            let request = HTTPRequest(.put, try nginx.url(port, "/upload-small"), body: .stream(chunks))
            let options = CallOptions(
                timeouts: Timeouts.none,
                delivery: isStreamed ? .streamed : .buffered(upTo: 10_000)
            )
            let response = try await client.send(request, options: options)
            #expect(response.status == 413)
            #expect(try await !response.body.collect(upTo: 10_000).isEmpty)
            source.finish()
        }

        @Test(arguments: [401, 413] as [HTTPStatus])
        func aRefusedFileIsNotSentToItsEnd(status: HTTPStatus) async throws {
            let server = try MockServer()
            server.on(.put, "/", .text("no", status: status).after(.headers))
            let folder = try TemporaryFolder()
            let url = try folder.write(Data(), to: "body")
            let size = 256 << 20
            try FileHandle(forWritingTo: url).truncate(atOffset: UInt64(size))
            let context = RequestContext.test(timeouts: Timeouts.none)
            let request = HTTPRequest(.put, server.url("/"), body: .file(at: url))
            let response = try await CurlTransport().send(request, context: context)
            #expect(response.status == status)
            #expect(try await response.body.text(upTo: 10) == "no")
            #expect(context.attempt.sentByteCount < size / 2)
            // The server would take the rest of the body for the next request.
            await server.waitForOpenConnections(0)
        }
    }
#endif
