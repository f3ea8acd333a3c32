import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of coalescing over real sockets.
@Suite(.needsTheMachine)
struct CoalesceWireTests {
    private let sharing = CoalesceInterceptor()

    private func read(_ client: HTTPClient, count: Int) async throws -> [Task<String, any Error>] {
        let calls = (0..<count).map { _ in
            Task {
                let options = CallOptions(delivery: .buffered(upTo: 100))
                return try await client.send(HTTPRequest(.get, "/x"), options: options).body.text(upTo: 100)
            }
        }
        try await waitUntil { sharing.callCount == count }
        return calls
    }

    @Test(arguments: WireTransport.allCases)
    func aHundredReadersMakeOneRequest(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("hello").stalling(at: .start))
        let calls = try await read(wire.client(server.baseURL, sharing), count: 100)
        await server.waitForRequests(1)
        calls[0].cancel()
        server.release()
        for call in calls.dropFirst() { #expect(try await call.value == "hello") }
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        #expect(server.requests.count == 1)
    }

    @Test(arguments: WireTransport.allCases)
    func whenTheLastReaderLeavesTheRequestIsCancelledOnTheWire(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("hello").stalling(at: .start))
        let calls = try await read(wire.client(server.baseURL, sharing), count: 5)
        await server.waitForRequests(1)
        for call in calls.dropLast() { call.cancel() }
        for call in calls.dropLast() { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(server.openConnectionCount == 1)
        calls[4].cancel()
        await server.waitForOpenConnections(0)
        await #expect(throws: CancellationError.self) { try await calls[4].value }
    }

    @Test(arguments: WireTransport.allCases)
    func aBrokenExchangeFailsEveryReader(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("hello").stalling(at: .inBody(after: 2)).resetting(at: .inBody(after: 3)))
        let calls = try await read(wire.client(server.baseURL, sharing), count: 5)
        await server.waitForRequests(1)
        server.release()
        for call in calls {
            let error = await #expect(throws: NetKitError.self) { try await call.value }
            #expect(error?.code == .connectionLost)
            #expect(error?.attempts == 1)
        }
        #expect(server.requests.count == 1)
    }
}
