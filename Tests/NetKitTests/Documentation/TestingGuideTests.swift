import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The examples of the page on testing, compiled and run. The one with a server is among the tests with sockets.
@Suite(.needsTheMachine)
struct TestingGuideTests {
    private let base = exampleBase

    @Test func stubsWork() async throws {
        // GUIDE: begin
        let transport = MockTransport()
        transport.stub(.get, "/users/42", .json(User(id: 42, name: "Ada")))
        transport.stub(.get, "/flaky", .status(503), .status(503), .json(["ok": true]))
        let client = HTTPClient(baseURL: base, transport: transport)
        // GUIDE: end
        #expect(try await client.send(.user("42")).name == "Ada")
    }

    @Test func theTestMovesTheClock() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/42", .stalled)
        // GUIDE: begin
        let time = TestClock()
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.random = .seeded(1)
        let client = HTTPClient(baseURL: base, transport: transport, configuration: configuration)

        let call = Task { try await client.send(.user("42"), options: CallOptions(timeout: .seconds(3))) }
        await transport.waitForRequests(1)
        time.advance(by: .seconds(3))  // the deadline passes now
        // GUIDE: end
        #expect(await outcome(of: call) == "timeout")
    }

    @Test func failuresAreTriedAgainWithoutWaiting() async throws {
        // GUIDE: begin
        let transport = MockTransport()
        transport.stub(.get, "/users/42", .status(503))
        var configuration = HTTPClient.Configuration()
        configuration.clock = TestClock(skipsSleeps: true).clock
        let client = HTTPClient(baseURL: base, transport: transport, configuration: configuration)

        await #expect(throws: NetKitError.self) { try await client.send(.user("42")) }
        #expect(transport.requests.count == 3)
        // GUIDE: end
    }

    @Test func aTestSendsABodyPieceByPiece() async throws {
        let (transport, pipe) = (MockTransport(), BodyPipe())
        transport.stub(.get, "/rows", .respond { _, _ in HTTPResponse(status: .ok, body: ResponseBody(source: pipe)) })
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: [])
        var chunks = try await client.send(HTTPRequest(.get, "/rows")).body.makeAsyncIterator()
        pipe.offer(Data("a".utf8))
        #expect(try await chunks.next() == Data("a".utf8))
        pipe.finish()
        #expect(try await chunks.next() == nil)
    }

    @Test func anEventStreamEndsWithTheLastResponseOfItsStub() async throws {
        let transport = MockTransport()
        let events = MockResponse.stream([Data("data: 1\n\n".utf8)]).header("Content-Type", "text/event-stream")
        transport.stub(.get, "/events", events, .status(204))
        var configuration = HTTPClient.Configuration()
        configuration.clock = TestClock(skipsSleeps: true).clock
        let client = HTTPClient(baseURL: base, transport: transport, configuration: configuration)
        var data: [String] = []
        for try await event in client.eventStream(.get("/events")) { data.append(event.data) }
        #expect(data == ["1"])
        #expect(transport.requests.count == 2)
    }

    @Test func everyCallEndsInTheSimulatedOutage() async throws {
        // GUIDE: begin
        let simulation = Simulation(seed: 7)
        let outage = SimulatedHost().from(.seconds(60), until: .seconds(120), .refused)
        simulation.host("api.example.com", outage)
        let client = HTTPClient(
            baseURL: base,
            transport: simulation.transport,
            interceptors: [RetryInterceptor()],
            configuration: simulation.configuration
        )
        try await simulation.run {
            await simulation.callers(100) { number in
                try? await simulation.sleep(for: .seconds(number))
                _ = try? await client.send(HTTPRequest(.get, "/users/\(number)"))
            }
        }
        #expect(simulation.requestCount < 200)
        // GUIDE: end
        #expect(simulation.requestCount > 120)
    }

    @Test func aRecordingResponds() async throws {
        let (live, recorder, ownFolder) = (MockTransport(), HARRecorder(maxBodyBytes: 1000), try TemporaryFolder())
        live.stub(.get, "/users/42", .json(User(id: 42, name: "Ada")))
        let recorded = HTTPClient(baseURL: base, transport: live, interceptors: [recorder])
        _ = try await recorded.send(.user("42"))
        let folder = ownFolder.url
        try await recorder.write(to: folder.appending(path: "checkout.har"))
        // GUIDE: begin
        let transport = try ReplayTransport(har: folder.appending(path: "checkout.har"))
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: [])

        let user = try await client.send(.user("42"))
        #expect(user.name == "Ada")
        #expect(transport.unused == [])
        // GUIDE: end
        withExtendedLifetime(ownFolder) {}
    }

    @Test func thePageShowsThisCode() throws {
        let server = "Tests/NetKitIntegrationTests/Testing/MockServerGuideTests.swift"
        #expect(try GuidePage("Testing-Your-Code").shows(#filePath, and: server))
    }
}

extension Endpoint where Response == User {
    fileprivate static func user(_ id: String) -> Self { .get("/users/\(id)") }
}
