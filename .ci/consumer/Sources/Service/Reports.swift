import NetKit

/// Streams, files, deadlines and cancellation, as a job of a service uses them.
public struct Reports: Sendable {
    private let client: HTTPClient

    public init(_ client: HTTPClient) {
        self.client = client
    }

    /// Reads line by line and never holds more than one.
    public func total(of path: RequestPath) async throws -> Int {
        let response = try await client.send(HTTPRequest(.get, path))
        guard response.status.isSuccess else { return 0 }
        var total = 0
        for try await line in response.body.lines {
            total += try JSONDecoder().decode(Amount.self, from: Data(line.utf8)).amount
        }
        return total
    }

    private struct Amount: Decodable {
        let amount: Int
    }

    public func first(_ count: Int, of path: RequestPath) async throws -> [String] {
        let lines = try await client.send(HTTPRequest(.get, path)).body.lines
        return try await lines.prefix(count).reduce(into: []) { $0.append($1) }
    }

    public func user(_ id: String, within budget: Duration) async throws -> User {
        try await withDeadline(budget) { try await client.send(.user(id)) }
    }

    /// Starts a call that another task can end.
    public func startUser(_ id: String) -> (id: CallID, user: Task<User, any Error>) {
        let callID = CallID()
        let task = Task { [client] in
            try await client.send(.user(id), options: .init(id: callID, priority: .high))
        }
        return (callID, task)
    }

    public func upload(_ file: URL) async throws -> HTTPStatus {
        try await client.upload(file, to: "/reports", method: .put, headers: ["Content-Type": "text/csv"]).status
    }

    public func uploadPart(of file: URL, from offset: Int64) async throws -> String {
        try await client.send(.post("/reports/part", body: .file(at: file, offset: offset, contentType: "text/csv")))
    }

    public func download(to file: URL) async throws -> Int64? {
        let response = try await client.download("/reports/1", to: file, options: .init(timeout: .seconds(60)))
        return response.headers["Content-Length"].flatMap { Int64($0) }
    }
}
