import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of a circuit breaker over real sockets.
@Suite(.needsTheMachine)
struct BreakerWireTests {
    private let breaker = CircuitBreakerInterceptor(
        CircuitBreakerPolicy(minThroughput: 3, breakDuration: .seconds(60))
    )

    private func codes(_ client: HTTPClient, _ path: RequestPath, count: Int = 5) async -> [String] {
        var codes: [String] = []
        for _ in 0..<count {
            do {
                _ = try await client.send(
                    HTTPRequest(.get, path),
                    options: CallOptions(delivery: .buffered(upTo: 100))
                )
                codes.append("answered")
            } catch {
                codes.append((error as? NetKitError)?.code.description ?? "\(error)")
            }
        }
        return codes
    }

    @Test(arguments: WireTransport.allCases)
    func resetsCount(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("hello").resetting(at: .start))
        let client = try wire.client(server.baseURL, breaker)
        let codes = await codes(client, "/x")
        #expect(codes == ["connectionLost", "connectionLost", "connectionLost", "circuitOpen", "circuitOpen"])
        #expect(server.requests.count == 3)
    }

    @Test(arguments: WireTransport.allCases)
    func bodiesThatBreakOffCount(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("hello").resetting(at: .inBody(after: 2)))
        let client = try wire.client(server.baseURL, breaker)
        #expect(await codes(client, "/x").suffix(2) == ["circuitOpen", "circuitOpen"])
        #expect(server.requests.count == 3)
    }

    @Test(arguments: WireTransport.allCases)
    func streamedBodiesThatBreakOffCount(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text(String(repeating: "x", count: 1000)).bodyCutShort(by: 10))
        let client = try wire.client(server.baseURL, breaker)
        for _ in 0..<3 {
            let response = try await client.send(HTTPRequest(.get, "/x"))
            await #expect(throws: NetKitError.self) { try await response.body.collect(upTo: 1000) }
        }
        #expect(breaker.troubled.values.map(\.description) == ["open"])
    }

    @Test(arguments: WireTransport.allCases)
    func stallsCount(_ wire: WireTransport) async throws {
        let (server, time) = (try MockServer(), TestClock())
        server.on(.get, "/x", .text("hello").stalling(at: .start))
        let timeouts = Timeouts(attempt: .milliseconds(500))
        let client = try wire.client(server.baseURL, timeouts: timeouts, clock: time.clock, breaker)
        let calls = Task { await codes(client, "/x") }
        for number in 1...3 {
            await server.waitForRequests(number)
            time.advance(by: .milliseconds(500))
        }
        #expect(await calls.value == ["timeout", "timeout", "timeout", "circuitOpen", "circuitOpen"])
    }

    @Test(arguments: WireTransport.allCases)
    func deadlinesCountIfTheServerHadTimeToRespond(_ wire: WireTransport) async throws {
        for (patience, expected) in [(Duration.milliseconds(10), ["open"]), (.seconds(10), [])] {
            let (server, time) = (try MockServer(), TestClock())
            server.on(.get, "/x", .text("hello").stalling(at: .start))
            let breaker = CircuitBreakerInterceptor(
                CircuitBreakerPolicy(minThroughput: 3, minFailureDuration: patience)
            )
            let client = try wire.client(server.baseURL, clock: time.clock, breaker)
            for number in 1...3 {
                let options = CallOptions(timeout: .milliseconds(500))
                let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
                await server.waitForRequests(number)
                time.advance(by: .milliseconds(500))
                let error = await #expect(throws: NetKitError.self) { try await call.value }
                #expect(error?.timeoutPhase == .deadline)
            }
            // A call may end before its exchange does.
            try await waitUntil { breaker.troubled.count >= expected.count }
            #expect(breaker.troubled.values.map(\.description) == expected)
        }
    }

    @Test(arguments: WireTransport.allCases)
    func refusedConnectionsCount(_ wire: WireTransport) async throws {
        let server = try MockServer()
        try server.refuseConnections()
        let client = try wire.client(server.baseURL, breaker)
        #expect(await codes(client, "/x") == ["connect", "connect", "connect", "circuitOpen", "circuitOpen"])
    }

    @Test(arguments: WireTransport.allCases)
    func aServerThatRecoversIsFoundByAProbe(_ wire: WireTransport) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .status(503), .status(503), .status(503), .text("well"))
        let breaker = CircuitBreakerInterceptor(
            CircuitBreakerPolicy(minThroughput: 3, breakDuration: .milliseconds(20))
        )
        let changes = breaker.changes
        let client = try wire.client(server.baseURL, breaker)
        _ = await codes(client, "/x", count: 3)
        while await codes(client, "/x", count: 1) == ["circuitOpen"] { try Task.checkCancellation() }
        var seen: [CircuitState] = []
        for await change in changes.prefix(3) { seen.append(change.to) }
        #expect(seen == [.open, .halfOpen, .closed])
        #expect(server.requests.count == 4)
    }
}
