import NetKit

/// Every form of a call that the guide shows or a user tries. Compiling them is half of the check.
public struct Shapes: Sendable {
    let client: HTTPClient

    public init(_ client: HTTPClient) {
        self.client = client
    }

    public func byContext() async throws -> [String] {
        let user: User = try await client.send(.get("/users/1"))
        let users: [User] = try await client.send(.get("/users"))
        let maybe: User? = try await client.send(.get("/users/1"))
        let names: [String: String] = try await client.send(.get("/names"))
        let text: String = try await client.send(.get("/text"))
        let data: Data = try await client.send(.get("/text"))
        let nothing: Void = try await client.send(.delete("/users/1"))
        let whole: HTTPResponse = try await client.send(.get("/text"))
        let created: User = try await client.send(.post("/users", json: NewUser(name: "Ada")))
        let accepted: Void = try await client.send(.post("/users", json: NewUser(name: "Ada")))
        let head: Void = try await client.send(.head("/text"))
        let headers: HTTPResponse = try await client.send(.head("/text"))
        return [
            user.name, "\(users.count)", maybe?.name ?? "nobody", names["a"] ?? "", text, "\(data.count)", "\(nothing)",
            "\(whole.status)", created.name, "\(accepted)", "\(head)", "\(headers.status)",
        ]
    }

    public func byType() async throws -> [String] {
        let user = try await client.send(Endpoint<User>.get("/users/1"))
        let endpoint: Endpoint<[User]> = .get("/users")
        let users = try await client.send(endpoint)
        try await client.send(Endpoint<Void>.delete("/users/1"))
        return [user.name, "\(users.count)"]
    }

    public func plain() async throws -> [HTTPStatus] {
        let url = URL(string: "https://api.example.com/v1/text")!
        let path = "/text"
        return [
            try await client.send(HTTPRequest(.get, "/text")).status,
            try await client.send(HTTPRequest(.get, "https://api.example.com/v1/text")).status,
            try await client.send(HTTPRequest(.get, url)).status,
            try await client.send(HTTPRequest(.get, RequestPath(raw: path))).status,
            try await client.send(HTTPRequest("PURGE", "/text")).status,
            try await client.send(HTTPRequest(.post, "/users", body: .json(NewUser(name: "Ada")))).status,
            try await client.send(.init(.get, "/text"), options: .init(timeout: .seconds(3))).status,
        ]
    }

    public func asURLSession(_ url: URL) async throws -> (Int, Int) {
        let (data, response) = try await client.data(for: URLRequest(url: url))
        return (data.count, response.statusCode)
    }
}
