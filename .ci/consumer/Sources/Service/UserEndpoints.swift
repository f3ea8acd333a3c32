import NetKit

extension Endpoint where Response == User {
    public static func user(_ id: String) -> Self { .get("/users/\(id)") }
    public static func createUser(_ user: NewUser) -> Self { .post("/users", json: user) }
    public static func rename(_ id: Int, to name: String) -> Self { .patch("/users/\(id)", json: ["name": name]) }
}

extension Endpoint where Response == [User] {
    public static func users(matching text: String, limit: Int = 20) -> Self {
        .get("/users", query: [URLQueryItem(name: "q", value: text), URLQueryItem(name: "limit", value: "\(limit)")])
    }
}

extension Endpoint where Response == Void {
    public static func deleteUser(_ id: Int) -> Self { .delete("/users/\(id)") }

    /// No credential, a short limit, and safe to repeat.
    public static func login(_ name: String) -> Self {
        var endpoint = Self.post("/login", json: ["name": name])
        endpoint.requiresAuth = false
        endpoint.timeout = .seconds(5)
        endpoint.idempotencyKey = .automatic
        return endpoint
    }
}
