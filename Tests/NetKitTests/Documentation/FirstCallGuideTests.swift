import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// The code on the page "Your first call", compiled and run, and its messages about errors.
@Suite(.needsTheMachine)
struct FirstCallGuideTests {
    // GUIDE: begin
    struct Todo: Decodable, Sendable {
        var id: Int
        var title: String
    }
    // GUIDE: end

    private let transport = MockTransport()
    private let printed = Printed()

    private final class Printed: Sendable {
        private let state = Locked<[String]>([])

        var lines: [String] { state.withLock { $0 } }

        func add(_ line: String) { state.withLock { $0.append(line) } }
    }

    private func print(_ line: String) {
        printed.add(line)
    }

    /// Compiled only: it would reach for the network.
    private func call() async throws {
        // GUIDE: begin
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"))
        let number = 7
        let todo: Todo = try await client.send(.get("/todos/\(number)"))
        print(todo.title)
        // GUIDE: end
    }

    private func tell(_ client: HTTPClient) async throws {
        let number = 7
        // GUIDE: begin
        do {
            let todo: Todo = try await client.send(.get("/todos/\(number)"))
            print(todo.title)
        } catch let error as NetKitError where error.code == .server {
            print("The server responded with \(error.status?.code ?? 0): \(error.response?.excerpt() ?? "")")
        } catch let error as NetKitError {
            print("\(error.message) (\(error.outcome))")
        }
        // GUIDE: end
    }

    @Test(arguments: [
        (MockResponse.text("{\"id\": 7, \"title\": \"Tea\"}"), "Tea"),
        (.text("gone", status: 404), "The server responded with 404: gone"),
        (
            .text("{\"id\": 7}"),
            "The body is not the expected Todo: title: the key is missing. (answered)"
        ),
    ])
    func theResultOrTheErrorIsPrinted(_ response: MockResponse, _ expected: String) async throws {
        transport.stub(.get, "/todos/7", response)
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: []
        )
        try await tell(client)
        #expect(printed.lines == [expected])
    }

    @Test func aURLThatCannotBeUsedIsNotSent() async throws {
        try await tell(HTTPClient(baseURL: URL(string: "ftp://api.example.com"), transport: transport))
        let line = try #require(printed.lines.first)
        #expect(line.hasSuffix("(not sent)"))
        #expect(transport.requests.isEmpty)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("First-Call").shows(#filePath))
    }
}
