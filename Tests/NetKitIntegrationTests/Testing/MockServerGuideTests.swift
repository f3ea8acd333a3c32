import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the example of the server in `Testing-Your-Code.md`.
@Suite(.needsTheMachine)
struct MockServerGuideTests {
    @Test func theExampleHolds() async throws {
        // GUIDE: begin
        let server = try MockServer()
        server.on(.get, "/report", .text("hello").resetting(at: .inBody(after: 2)), .text("hello"))
        let client = HTTPClient(baseURL: server.baseURL, interceptors: [])

        await #expect(throws: NetKitError.self) {
            _ = try await client.send(HTTPRequest(.get, "/report")).body.collect(upTo: 1 << 20)
        }
        let report = try await client.send(HTTPRequest(.get, "/report")).body.collect(upTo: 1 << 20)

        #expect(report == Data("hello".utf8))
        #expect(server.requests.map(\.connection) == [1, 2])
        // GUIDE: end
    }
}
