import Dispatch
import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClientConcurrencyTests {
    private let transport = MockTransport()
    private let client: HTTPClient

    init() {
        transport.stub(.get, "/parked", .stalled)
        var configuration = HTTPClient.Configuration()
        // A busy machine may take long over thousands of calls.
        configuration.timeouts = .none
        client = HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration)
    }

    @Test func aThousandCallsAreInFlightAtOnce() async throws {
        let calls = (0..<1000).map { _ in
            Task { [client] in try await client.send(HTTPRequest(.get, "/parked")).status }
        }
        await transport.waitForRequests(1000)
        #expect(client.activeCallCount == 1000)
        transport.release()
        for call in calls { #expect(try await call.value == .ok) }
        #expect(client.activeCallCount == 0)
    }

    @Test @MainActor func callsFromTheMainActorDoNotRunOnIt() async throws {
        let calls = (0..<1000).map { _ in
            Task { @MainActor [client] in try await client.send(HTTPRequest(.get, "/parked")).status }
        }
        await transport.waitForRequests(1000)
        #expect(client.activeCallCount == 1000)
        transport.release()
        for call in calls { #expect(try await call.value == .ok) }
    }

    /// The place of the main actor, which any thread may serve on Linux.
    private enum MainQueue {
        private static let key: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
    }

    @Test @MainActor func interceptorsOfACallFromTheMainActorRunElsewhere() async throws {
        #expect(MainQueue.isCurrent)
        let places = Locked<[Bool]>([])
        let spy = Intercepting { request, context, next in
            places.withLock { $0.append(MainQueue.isCurrent) }
            return try await next(request, context)
        }
        transport.stub(.get, "/quick", .status(200))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [spy])
        _ = try await client.send(HTTPRequest(.get, "/quick"))
        #expect(places.withLock { $0 } == [false])
    }

    /// A value that notes where it is decoded.
    private struct Place: Decodable, Sendable {
        let isMainActor: Bool

        init(from decoder: any Decoder) throws { isMainActor = MainQueue.isCurrent }
    }

    @Test @MainActor func aResponseToTheMainActorIsDecodedElsewhere() async throws {
        #expect(MainQueue.isCurrent)
        let response = HTTPResponse(status: .ok, body: ResponseBody(Data("{}".utf8)))
        #expect(try await response.json(Place.self).isMainActor == false)
        #expect(try await response.body.json(Place.self, upTo: 100).isMainActor == false)
    }

    @Test func activeCallsAreListedWithoutSecrets() async throws {
        let id = CallID()
        let call = Task { [client] in
            try await client.send(
                HTTPRequest(.get, "/parked", query: [URLQueryItem(name: "token", value: "s3cret")]),
                options: CallOptions(id: id)
            ).status
        }
        await transport.waitForRequests(1)
        let active = try #require(client.activeCalls.first)
        #expect(active.id == id)
        #expect(active.requestLine == "GET https://api.example.com/v1/parked?token=***")
        #expect(active.attempts == 1)
        transport.release()
        #expect(try await call.value == .ok)
        #expect(client.activeCalls.isEmpty)
    }

    @Test func oneValueOfOptionsServesCallsSideBySide() async throws {
        let options = CallOptions(timeout: .seconds(3600))
        let calls = (0..<10).map { _ in
            Task { [client] in try await client.send(HTTPRequest(.get, "/parked"), options: options).status }
        }
        await transport.waitForRequests(10)
        #expect(Set(client.activeCalls.map(\.id)).count == 10)
        transport.release()
        for call in calls { #expect(try await call.value == .ok) }
    }

    @Test func callsWithOneNameAreCancelledTogether() async throws {
        let options = CallOptions(id: CallID())
        let calls = (0..<3).map { _ in
            Task { [client] in try await client.send(HTTPRequest(.get, "/parked"), options: options).status }
        }
        let other = Task { [client] in try await client.send(HTTPRequest(.get, "/parked")).status }
        await transport.waitForRequests(4)
        #expect(client.cancel(try #require(options.id)))
        for call in calls {
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        #expect(client.activeCallCount == 1)
        #expect(!client.cancel(try #require(options.id)))
        transport.release()
        #expect(try await other.value == .ok)
    }
}
