import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of hedging over real sockets.
@Suite(.needsTheMachine)
struct HedgeWireTests {
    @Test(arguments: WireTransport.allCases)
    func theLoserIsCancelledOnTheWire(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("first").stalling(at: .start), .text("second").connectionClose())
        let client = try wire.client(server.baseURL, HedgeInterceptor(after: .fixed(.milliseconds(30))))
        #expect(try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 10) == "second")
        // The winner's connection is closed by its response, the loser's because it is no longer needed.
        await server.waitForOpenConnections(0)
        #expect(server.requests.count == 2)
        #expect(Set(server.requests.map(\.connection)).count == 2)
    }

    @Test(arguments: WireTransport.allCases)
    func theWinnersBodyIsStreamed(_ wire: WireTransport) async throws {
        let server = try MockServer()
        let text = String(repeating: "x", count: 300_000)
        server.on(.get, "/x", .text("first").stalling(at: .start), .text(text))
        let client = try wire.client(server.baseURL, HedgeInterceptor(after: .fixed(.milliseconds(30))))
        #expect(try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 1 << 20) == text)
    }

    @Test(arguments: WireTransport.allCases)
    func aFastResponseIsSentOnce(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("fast"))
        let client = try wire.client(server.baseURL, HedgeInterceptor(after: .fixed(.seconds(20))))
        for _ in 0..<5 { #expect(try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 10) == "fast") }
        #expect(server.requests.count == 5)
    }
}
