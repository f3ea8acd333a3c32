import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct ClientConnectTests {
    private let transport = MockTransport()

    @Test func aRequestThatOpensAConnectionPassesNoInterceptor() async throws {
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: .standard + [
                AuthInterceptor(TokenStore(initial: AccessToken("secret"))), HeadersInterceptor(["A": "b"]),
                CacheInterceptor(MemoryCacheStore()),
            ]
        )
        // Any response shows that the connection works.
        transport.stub(nil, "**", .status(.serviceUnavailable))
        try await client.connect(count: 3)
        #expect(transport.requests.map(\.method) == [.options, .options, .options])
        #expect(transport.requests.allSatisfy { $0.headers.isEmpty })
        #expect(client.activeCallCount == 0)
    }

    @Test func itIsNoCallOfTheMetrics() async throws {
        let metrics = MetricsCollector()
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [metrics])
        transport.stub(nil, "**", .status(.methodNotAllowed))
        try await client.connect(count: 2)
        let snapshot = metrics.snapshot()
        #expect(snapshot.totalRequests == 0)
        #expect(snapshot.series.isEmpty)
    }

    @Test func theServerMayBeAnother() async throws {
        let client = HTTPClient(transport: transport, interceptors: [])
        transport.stub(nil, "**", .text("GET, HEAD"))
        try await client.connect(to: URL(string: "https://partner.example/api"))
        #expect(transport.requests.map(\.url.absoluteString) == ["https://partner.example/api"])
        await #expect(throws: NetKitError.self) { try await client.connect() }
        try await client.connect(count: 0)
        #expect(transport.requests.count == 1)
    }

    @Test func aConnectionThatCannotBeOpenedIsAnErrorOfItsOwn() async throws {
        let client = HTTPClient(baseURL: exampleBase, transport: transport)
        transport.stub(nil, "**", .failure(URLError(.cannotConnectToHost)))
        let error = await #expect(throws: NetKitError.self) { try await client.connect() }
        #expect(error?.code == .connect)
        #expect(error?.attempts == 1)
        await client.shutdown()
        #expect(await #expect(throws: NetKitError.self) { try await client.connect() }?.code == .closed)
    }

    @Test func itTakesNoLongerThanItMay() async throws {
        let time = TestClock()
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        let client = HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration)
        transport.stub(nil, "**", .stalled)
        let connecting = Task { try await client.connect(timeout: .seconds(2)) }
        await transport.waitForRequests(1)
        time.advance(by: .seconds(2))
        #expect(await #expect(throws: NetKitError.self) { try await connecting.value }?.timeoutPhase == .deadline)
    }
}
