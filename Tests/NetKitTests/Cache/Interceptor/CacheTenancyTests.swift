import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests that no user gets a response that was meant for another one.
@Suite(.timeLimit(.minutes(5)))
struct CacheTenancyTests {
    /// Responds with the user that the request names.
    private func mirror(_ it: CachedClient) {
        it.respond { number, request in
            let who = ["Authorization", "Cookie", "X-Api-Key"].compactMap { request.headers[$0] }.joined(separator: "+")
            return .text("\(number) \(who)", ["Cache-Control": "max-age=600"])
        }
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization"])
    func credentialsInTheRequestSeparate(name: String) async throws {
        let it = CachedClient()
        mirror(it)
        for (value, number) in [("a", "1"), ("b", "2"), ("a", "1"), ("b", "2")] {
            #expect(try await it.get("/x", [name: value]).text.hasPrefix(number))
        }
        #expect(try await it.get().text.hasPrefix("3"))
    }

    @Test func aFieldThatTheClientCallsSensitiveSeparates() async throws {
        let transport = MockTransport { request, _ in
            let body = ResponseBody(Data((request.headers["X-Account"] ?? "none").utf8))
            return HTTPResponse(status: .ok, headers: ["Cache-Control": "max-age=600"], body: body)
        }
        var configuration = HTTPClient.Configuration()
        configuration.redaction.headerNames.insert("x-account")
        let client = HTTPClient(
            transport: transport,
            interceptors: [CacheInterceptor(MemoryCacheStore())],
            configuration: configuration
        )
        for account in ["a", "b", "a"] {
            let request = HTTPRequest(.get, "https://api.example.com/x", headers: ["X-Account": account])
            let response = try await client.send(request)
            #expect(try await response.body.text(upTo: 10) == account)
        }
        #expect(transport.requests.count == 2)
    }

    @Test func principalsSeparate() async throws {
        let it = CachedClient()
        mirror(it)
        for (name, number) in [("a", "1"), ("b", "2"), ("a", "1"), ("b", "2")] {
            #expect(try await it.get(principal: Principal(name)).text.hasPrefix(number))
        }
    }

    @Test func theCallersScopeSeparates() async throws {
        struct Tenant: CallTag { var name: String }
        let it = CachedClient(scope: { _, context in context.tags[Tenant.self]?.name })
        mirror(it)
        for (name, number) in [("a", "1"), ("b", "2"), ("a", "1")] {
            var tags = CallTags()
            tags[Tenant.self] = Tenant(name: name)
            #expect(try await it.get(tags: tags).text.hasPrefix(number))
        }
    }

    @Test func aCredentialThatIsAddedFurtherOnSeparates() async throws {
        let it = CachedClient(others: [AuthInterceptor(TokenStore(initial: "t", identity: "ada"))])
        mirror(it)
        #expect(try await it.get().text == "1 Bearer t")
        #expect(try await it.get().text == "1 Bearer t")
        var request = HTTPRequest(.get, "/x")
        request.requiresAuth = false
        let open = try await it.client.send(request)
        #expect(try await open.body.text(upTo: 100) == "2 ")
    }

    @Test func aCredentialOfUnknownIdentityIsNotCached() async throws {
        let it = CachedClient(others: [AuthInterceptor { "t" }])
        mirror(it)
        #expect(try await it.get().text == "1 Bearer t")
        let second = try await it.get()
        #expect(second.text == "2 Bearer t")
        #expect(second.response.headers["Cache-Status"]?.contains("bypass") == true)
        #expect(await it.cache.statistics.store.entryCount == 0)
    }

    @Test func tagsWithoutAPrincipalAreNotCached() async throws {
        struct Feature: CallTag {}
        let it = CachedClient()
        mirror(it)
        var tags = CallTags()
        tags[Feature.self] = Feature()
        _ = try await it.get(tags: tags)
        #expect(try await it.get(tags: tags).text.hasPrefix("2"))
        _ = try await it.get(principal: Principal("a"), tags: tags)
        #expect(try await it.get(principal: Principal("a"), tags: tags).text.hasPrefix("3"))
    }

    /// RFC 9111, section 4.4: the earlier response is wrong for every user.
    @Test func aChangeByOneInvalidatesForTheOthersToo() async throws {
        let it = CachedClient()
        mirror(it)
        for name in ["a", "b"] { _ = try await it.get("/x", ["Authorization": name]) }
        _ = try await it.get("/x", ["Authorization": "a"], method: .put)
        #expect(try await it.get("/x", ["Authorization": "a"]).text == "4 a")
        #expect(try await it.get("/x", ["Authorization": "b"]).text == "5 b")
    }

    /// 1,000 tenants at one cache at the same time, each with its own credential, on shared URLs.
    @Test func aThousandTenantsGetTheirOwn() async throws {
        try await Self.storm(CachedClient(MemoryCacheStore()))
    }

    /// Sends requests of 1,000 tenants and compares every response with its user.
    static func storm(_ it: CachedClient) async throws {
        it.transport.stub(
            nil,
            "**",
            .respond { request, _ in
                .text("\(request.headers["Authorization"] ?? "")|\(request.url.path)", ["Cache-Control": "max-age=600"])
            }
        )
        let wrong = Notebook<String>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for tenant in 0..<1000 {
                group.addTask {
                    for round in 0..<3 {
                        let path = "/items/\(round % 2)"
                        let response = try await it.get(
                            RequestPath(stringLiteral: path),
                            ["Authorization": "token-\(tenant)"]
                        )
                        let wanted = "token-\(tenant)|/v1\(path)"
                        if response.text != wanted { wrong.add("\(response.text) for \(wanted)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(wrong.entries == [])
        let statistics = await it.cache.statistics
        #expect(it.sent == 2000 && statistics.hits == 1000)
    }

    /// To a server, they can be the names of two users, although the strings are equal.
    @Test func aSelectingFieldOfOtherBytesIsAnother() {
        let fields = CacheFlight.VaryingFields(names: ["x-user"], headers: ["X-User": "jos\u{E9}"])
        #expect(fields.match(["X-User": "jos\u{E9}"]))
        #expect(!fields.match(["X-User": "jose\u{301}"]))
        #expect(!fields.match([:]))
    }
}
