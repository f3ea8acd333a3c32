import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The examples of the page on caching, compiled and run.
@Suite(.needsTheMachine)
struct CachingGuideTests {
    private struct User: Codable, Sendable, Identifiable {
        let id: Int
        let name: String
    }
    private struct Rates: Codable, Sendable { let euro: Double }

    private let base = URL(string: "https://api.example.com")

    @Test func theCacheIsPrivate() async throws {
        // GUIDE: begin
        let cache = CacheInterceptor(MemoryCacheStore(maxBytes: 64 << 20))
        let client = HTTPClient(baseURL: base, interceptors: .standard + [cache])
        // GUIDE: end
        #expect(client.warnings == [])
        #expect(client.explain().contains("private cache"))
    }

    @Test func eachCallUsesItsPolicy() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/42", .json(User(id: 42, name: "Ada")))
        transport.stub(.get, "/rates", .json(Rates(euro: 1)))
        let cache = CacheInterceptor(MemoryCacheStore())
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: [cache])
        // GUIDE: begin
        let fresh: User = try await client.send(
            .get("/users/42"),
            options: CallOptions(cachePolicy: .networkFirst)
        )
        let rates: Rates = try await client.send(
            .get("/rates"),
            options: CallOptions(cachePolicy: .cacheFirst.lasting(.seconds(600)))
        )
        // GUIDE: end
        #expect(fresh.id == 42 && rates.euro == 1)
        #expect(await cache.statistics.writes == 2)
    }

    @Test func aClosureChoosesTheScope() async throws {
        // GUIDE: begin
        struct Tenant: CallTag { var name: String }
        let shared = CacheInterceptor(MemoryCacheStore()) { _, context in context.tags[Tenant.self]?.name }
        // GUIDE: end
        #expect(shared.stage == .cache)
    }

    @Test func thePageShowsTheseExamples() throws {
        #expect(try GuidePage("Caching").shows(#filePath))
    }
}
