#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTestSupport
    import Testing

    /// Responses that arrive while the caller's stream waits with the rest of the request.
    @Suite(.needsTheMachine)
    struct CurlEarlyResponseTests {
        @Test(.needs(.nginx, .openssl), arguments: [NginxPort.plain, .tlsHTTP1, .tls], [false, true])
        func anErrorIsDeliveredAtOnce(port: NginxPort, isStreamed: Bool) async throws {
            let nginx = try await NginxPeer.shared.value
            var configuration = CurlTransport.Configuration()
            configuration.tls.roots = .file(nginx.certificates.authority.path())
            let client = HTTPClient(transport: try CurlTransport(configuration: configuration), interceptors: [])
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
    }
#endif
