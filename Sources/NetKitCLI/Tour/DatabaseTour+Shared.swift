import Foundation
import NetKit
import NetKitPostgres
import NetKitTesting

extension DatabaseTour {
    private struct Token: Decodable {
        let token: String
    }

    func oneRefresh(_ replicas: [Replica]) async throws {
        heading("5. One token for all processes")
        server.on(.post, "/token", .jsonText(#"{"token": "fresh"}"#).pausing(.milliseconds(80)))
        server.on(.get, "/inbox") { request in
            request.headers["Authorization"] == "Bearer fresh" ? .jsonText("{}") : .challenge("Bearer")
        }
        server.removeAllRequests()
        let login = HTTPClient(baseURL: server.baseURL)
        let clients = replicas.map { replica in
            let tokens = TokenStore(shared: replica.database.token("crm")) { _ in
                let response: Token = try await login.send(.post("/token", json: ["user": "ada"]))
                return AccessToken(response.token)
            }
            return client([AuthInterceptor(tokens)])
        }
        let count = try await callAll(clients, "/inbox", times: 10)
        let refreshes = server.requests.count { $0.path == "/token" }
        let names = replicas.map(\.label).joined(separator: " and ")
        verdict(refreshes == 1, "\(refreshes) login for \(count) callers of \(names), and \(count) have their response")
    }

    func oneLimit(_ replicas: [Replica]) async throws {
        heading("6. One rate limit for all processes")
        let (permits, calls) = (10, 15)
        server.on(.get, "/search", .jsonText("[]"))
        let clients = replicas.map { replica in
            client([RateLimitInterceptor(permits: permits, per: .seconds(1), shared: replica.database.rate("search"))])
        }
        text("The limit is \(permits) requests a second, and each of two processes makes \(calls) calls at once.")
        let start = NetKitClock.system.now
        let count = try await callAll(clients, "/search", times: calls)
        let time = start.duration(to: NetKitClock.system.now)
        let least = Duration.seconds(count - permits) / permits
        verdict(
            time > least * 9 / 10,
            "\(count) calls took \(time.shortText): \(permits) at once, and then \(permits) a second"
        )
    }

    func oneCache(_ first: Replica, _ second: Replica) async throws {
        heading("7. One cache for all processes")
        server.on(.get, "/prices", .jsonText(#"{"tea": 3.2}"#).header("Cache-Control", "max-age=60"))
        server.on(.put, "/prices", .status(.noContent))
        server.removeAllRequests()
        let a = client([CacheInterceptor(TieredCacheStore(store: try await first.database.cache()))])
        let c = client([CacheInterceptor(TieredCacheStore(store: try await second.database.cache()))])
        try await get("A", a)
        try await get("C", c)
        let changed = try await a.send(HTTPRequest(.put, "/prices", body: .json(["tea": 3])))
        text("A  PUT /prices  \(changed.status), which removes the entry everywhere")
        let count = server.requests.count
        // The news takes a moment to the memory of the other process.
        try await wait {
            _ = try await c.send(HTTPRequest(.get, "/prices")).body.collect(upTo: 1000)
            return server.requests.count > count
        }
        let sent = server.requests.map { "\($0.method) \($0.path)" }
        verdict(
            sent == ["GET /prices", "PUT /prices", "GET /prices"],
            "C asked the server again, which saw \(sent.joined(separator: ", "))"
        )
    }

    private func get(_ label: String, _ client: HTTPClient) async throws {
        let response = try await client.send(HTTPRequest(.get, "/prices"))
        _ = try await response.body.collect(upTo: 1000)
        text("\(label)  GET /prices  \(response.status)  \(response.headers["Cache-Status"] ?? "")")
    }

    private func client(_ interceptors: InterceptorList) -> HTTPClient {
        HTTPClient(baseURL: server.baseURL, interceptors: .standard + interceptors)
    }

    /// Makes as many calls at once by each client, and returns the number of responses.
    private func callAll(_ clients: [HTTPClient], _ path: RequestPath, times: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for client in clients {
                for _ in 0..<times {
                    group.addTask {
                        let response = try await client.send(HTTPRequest(.get, path))
                        _ = try await response.body.collect(upTo: 1000)
                        return response.status.isSuccess
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }
}
