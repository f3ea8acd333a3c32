import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests specific to `URLSessionTransport`. The conformance cases cover the behavior of every transport.
@Suite(.needsTheMachine)
struct URLSessionTransportTests {
    private var buffered: CallOptions { CallOptions(delivery: .buffered(upTo: 1 << 20)) }

    @Test func aCustomConfigurationIsUsedAndLeftAlone() async throws {
        let server = try MockServer()
        server.on(.get, "/", .text("ok").header("Set-Cookie", "a=1"))
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Own": "1", "User-Agent": "own"]
        let cookies = configuration.httpCookieStorage
        let client = HTTPClient(
            baseURL: server.baseURL,
            transport: URLSessionTransport(configuration: configuration),
            interceptors: []
        )
        for _ in 0..<2 { _ = try await client.send(HTTPRequest(.get, "/"), options: buffered) }

        #expect(server.requests.map { $0.headers["X-Own"] } == ["1", "1"])
        #expect(server.requests.map { $0.headers["User-Agent"] } == ["own", "own"])
        #expect(server.requests.allSatisfy { $0.headers["Cookie"] == nil })
        #expect(configuration.httpCookieStorage === cookies)
    }

    @Test func sentBytesAreCounted() async throws {
        let server = try MockServer()
        server.on(.post, "/") { .text("\($0.body.count)") }
        let client = HTTPClient(baseURL: server.baseURL, transport: URLSessionTransport(), interceptors: [])
        let response = try await client.send(
            HTTPRequest(.post, "/", body: .data(Data(count: 300_000))),
            options: buffered
        )

        #expect(response.timings.bytesSent == 300_000)
        #expect(response.body.buffered == Data("300000".utf8))
    }

    @Test func howFarAnUploadHasComeIsKnownWhileItGoesOn() async throws {
        let server = try MockServer()
        server.onConnect(nil, .stall)
        let transport = URLSessionTransport()
        // Long enough for the first bytes to leave on a busy machine.
        let context = RequestContext.test(timeouts: Timeouts(idle: .seconds(5)))
        let request = HTTPRequest(.post, server.url("/"), body: .data(Data(count: 32 << 20)))
        await #expect(throws: NetKitError.self) { try await transport.send(request, context: context) }

        // The amount that fits between here and a server that reads nothing.
        #expect(context.attempt.sentByteCount > 0)
        #expect(context.attempt.sentByteCount < 32 << 20)
    }

    @Test func aStreamPastItsLimitIsRefusedBeforeAnythingIsSent() async throws {
        let server = try MockServer()
        let chunks = AsyncStream<Data> { continuation in
            for _ in 0..<4 { continuation.yield(Data(count: 1000)) }
            continuation.finish()
        }
        let client = HTTPClient(
            baseURL: server.baseURL,
            transport: URLSessionTransport(limits: .init(maxRequestStream: 3000)),
            interceptors: []
        )
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.post, "/", body: .stream(chunks)))
        }
        #expect(error?.code == .unsupported)
        #expect(error?.outcome == .notSent)
        #expect(server.requests.isEmpty)
    }
}
