import Foundation
import NetKit
import NetKitTesting
import Testing

// The README's examples, compiled and run. `theReadmeShowsThisCode` compares the two line by line.

// README: use
struct User: Codable, Sendable, Equatable {
    var id: Int
    var name: String
}

func introduce(_ id: String, to client: HTTPClient) async throws -> [String] {
    let user: User = try await client.send(.get("/users/\(id)"))  // `id` cannot leave its segment
    let created: User = try await client.send(.post("/users", json: User(id: 0, name: "Grace")))
    let log = try await withDeadline(.seconds(3)) { try await client.send(HTTPRequest(.get, "/log")) }
    var lines = ["\(user.name) met \(created.name)"]
    for try await line in log.body.lines { lines.append(line) }  // streamed
    return lines
}
// README: end

struct ReadmeTests {
    @Test func theExampleReturnsItsUser() async throws {
        // README: test
        let transport = MockTransport()
        transport.stub(.get, "/users/42", .json(User(id: 42, name: "Ada")))
        transport.stub(.post, "/users", .json(User(id: 43, name: "Grace"), status: 201))
        transport.stub(.get, "/log", .stream([Data("one\nt".utf8), Data("wo\n".utf8)]))
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1"), transport: transport)
        #expect(try await introduce("42", to: client) == ["Ada met Grace", "one", "two"])
        #expect(transport.requests.count == 3)
        // README: end
    }

    @Test func explainPrintsWhatTheGuideShows() throws {
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1"), transport: MockTransport())
        let page = GuidePage.root.appendingPathComponent("Sources/NetKit/NetKit.docc/Pipeline-Order.md")
        let shown = client.explain().split(separator: "\n").map(String.init)
        #expect(Self.contains(shown, in: try Self.lines(of: page)))
    }

    @Test(arguments: ["use", "test"])
    func theReadmeShowsThisCode(section: String) throws {
        let source = try Self.lines(of: URL(fileURLWithPath: #filePath))
        let start = try #require(source.firstIndex(of: "// README: \(section)"))
        let end = try #require(source[start...].firstIndex(of: "// README: end"))
        let readme = try Self.lines(of: GuidePage.root.appendingPathComponent("README.md"))
        #expect(Self.contains(Array(source[(start + 1)..<end]), in: readme))
    }

    @Test func theErrorInTheReadmeIsReal() async throws {
        let readme = try Self.lines(of: GuidePage.root.appendingPathComponent("README.md"))
        let mistake = try #require(Mistake.inResponses.first { $0.name == "a page in place of JSON" })
        #expect(Self.contains([await mistake.make()], in: readme))
    }

    @Test func theReadmeNamesTheTwoCommands() throws {
        let readme = try Self.lines(of: GuidePage.root.appendingPathComponent("README.md"))
        let commands = [
            "swift run netkit tour",
            "swift test",
        ]
        #expect(Self.contains(commands, in: readme))
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: true)
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }

    private static func contains(_ part: [String], in whole: [String]) -> Bool {
        let part = part.map { $0.trimmingCharacters(in: .whitespaces) }
        guard !part.isEmpty, part.count <= whole.count else { return false }
        return (0...(whole.count - part.count)).contains { Array(whole[$0..<($0 + part.count)]) == part }
    }
}
