import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// Tests of how a client and its transport end, with real connections open.
@Suite(.needsTheMachine, .needs(.python3), .pythonServer)
struct LifeCycleTests {
    private let server: PythonServer

    init() throws {
        server = try #require(PythonServer.current)
    }

    private func makeClient(_ transport: some Transport = URLSessionTransport()) -> HTTPClient {
        HTTPClient(baseURL: server.base, transport: transport)
    }

    @Test func shuttingDownWaitsForCallsInFlight() async throws {
        let client = makeClient()
        let call = Task { try await client.send(Endpoint<String>.get("/wait?key=drained")) }
        #expect(try await server.hasArrived("drained"))
        async let isDrained = client.shutdown(within: .seconds(60))
        try await server.release("drained")
        #expect(try await call.value == "released")
        #expect(await isDrained)
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/hello")) }
        #expect(error?.code == .closed)
        #expect(error?.outcome == .notSent)
    }

    @Test func shuttingDownEndsWhatTakesTooLong() async throws {
        let client = makeClient()
        let call = Task { try await client.send(Endpoint<String>.get("/wait?key=closed")) }
        let body = try await client.send(HTTPRequest(.get, "/drip?key=closed-body")).body
        #expect(try await server.hasArrived("closed"))
        #expect(await client.shutdown(within: .milliseconds(10)) == false)
        let errors = [
            await #expect(throws: NetKitError.self) { try await call.value },
            await #expect(throws: NetKitError.self) { try await body.collect(upTo: 1 << 20) },
        ]
        #expect(errors.map { $0?.code } == [.closed, .closed])
        #expect(try await server.isGone("closed"))
        #expect(try await server.isGone("closed-body"))
        #expect(client.activeCallCount == 0)
    }

    @Test func aDroppedClientIsGoneWithItsTransport() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        func useOnce() async throws {
            let client = makeClient(ObservedTransport { end.finish() })
            #expect(try await client.send(Endpoint<String>.get("/hello")) == "hello")
            let streamed = try await client.send(HTTPRequest(.get, "/hello"))
            #expect(try await streamed.body.text(upTo: 100) == "hello")
        }
        try await useOnce()
        // Ends when the transport is deallocated; the suite's time limit is the assertion.
        for await _ in ends {}
    }

    @Test func aDroppedClientLeavesTheBodyThatSomeoneReads() async throws {
        func send() async throws -> HTTPResponse {
            try await makeClient().send(HTTPRequest(.get, "/big?bytes=2000000"))
        }
        let response = try await send()
        #expect(try await response.body.collect(upTo: 1 << 22) == patternedData(2_000_000))
    }

    @Test func aDroppedBodyEndsItsConnection() async throws {
        func dropEverything() async throws -> HTTPStatus {
            try await makeClient().send(HTTPRequest(.get, "/drip?key=dropped")).status
        }
        #expect(try await dropEverything() == .ok)
        #expect(try await server.isGone("dropped"))
    }

    @Test func manyShortLivedClientsDoNoHarm() async throws {
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { try await makeClient().send(.get("/hello")) }
            }
            for try await text in group { #expect(text == "hello") }
        }
    }
}

/// A transport that reports when it is deallocated.
private final class ObservedTransport: Transport {
    private let inner = URLSessionTransport()
    private let onDeinit: @Sendable () -> Void

    init(onDeinit: @escaping @Sendable () -> Void) {
        self.onDeinit = onDeinit
    }

    deinit { onDeinit() }

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await inner.send(request, context: context)
    }
}
