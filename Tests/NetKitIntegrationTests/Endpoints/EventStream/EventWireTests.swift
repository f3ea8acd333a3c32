import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of events and lines over a real socket.
@Suite(.needsTheMachine)
struct EventWireTests {
    @Test(arguments: WireTransport.allCases)
    func theStreamReconnectsWithTheLastEventID(_ wire: WireTransport) async throws {
        let server = try MockServer()
        let text = "retry: 1\n\nid: 1\ndata: é\n\nid: 2\nevent: b\ndata: x\ndata: y\n\ndata: half"
        server.on(
            .get,
            "/events",
            .data(Data(text.utf8), contentType: "text/event-stream").closing(at: .inBody(after: text.utf8.count - 2)),
            .data(Data("data: c\n\n".utf8), contentType: "text/event-stream"),
            .status(204)
        )
        let client = try wire.client(server.baseURL)
        var events: [String] = []
        for try await event in client.eventStream(.get("/events")) {
            events.append("\(event.type) \(event.data) \(event.lastEventID)")
        }
        #expect(events == ["message é 1", "b x\ny 2", "message c 2"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2", "2"])
    }

    @Test(arguments: WireTransport.allCases)
    func aBreakEndsTheExchange(_ wire: WireTransport) async throws {
        let server = try MockServer()
        let event = Data("data: a\n\n".utf8)
        server.on(
            .get,
            "/events",
            .data(event + Data(count: 10), contentType: "text/event-stream").stalling(at: .inBody(after: event.count))
        )
        let client = try wire.client(server.baseURL)
        for try await event in client.eventStream(.get("/events")) {
            #expect(event.data == "a")
            break
        }
        await server.waitForOpenConnections(0)
        #expect(client.activeCallCount == 0)
        server.release()
    }

    @Test(arguments: WireTransport.allCases)
    func eachLineIsDecodedAsAValue(_ wire: WireTransport) async throws {
        struct Row: Codable, Sendable, Equatable { var id: Int }
        let server = try MockServer()
        let lines = (0..<5000).map { "{\"id\":\($0)}" }.joined(separator: "\n")
        server.on(.get, "/rows", .text(lines))
        let client = try wire.client(server.baseURL)
        var count = 0
        for try await row in client.stream(.get("/rows"), of: Row.self) {
            guard row.id == count else { break }
            count += 1
        }
        #expect(count == 5000)
    }
}
