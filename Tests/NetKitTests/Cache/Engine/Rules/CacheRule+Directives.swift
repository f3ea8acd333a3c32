import Foundation
import NetKitTesting
import Testing

@testable import NetKit

private let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]

extension CacheRule {
    /// Sections 5.2.1 and 5.2.2: the requirements of each directive.
    static var directives: [CacheRule] {
        [
            CacheRule("5.2.1.1", .mustNot, "use a response older than the request's max-age") { it async throws in
                #expect(try await it.reuses(fresh, after: 10, then: ["Cache-Control": "max-age=10"]))
                #expect(try await !it.reuses(fresh, after: 11, then: ["Cache-Control": "max-age=10"]))
                #expect(try await !it.reuses(fresh, then: ["Cache-Control": "max-age=0"]))
            },
            CacheRule("5.2.1.2", .may, "use a stale response as far as max-stale allows") { it async throws in
                #expect(try await it.reuses(fresh, after: 70, then: ["Cache-Control": "max-stale=10"]))
                #expect(try await !it.reuses(fresh, after: 71, then: ["Cache-Control": "max-stale=10"]))
                #expect(try await it.reuses(fresh, after: 9999, then: ["Cache-Control": "max-stale"]))
                #expect(try await !it.reuses(fresh, after: 70, then: ["Cache-Control": "max-stale=x"]))
            },
            CacheRule("5.2.1.3", .mustNot, "use a response that is not fresh for as long as min-fresh asks") {
                it async throws in
                #expect(try await it.reuses(fresh, after: 50, then: ["Cache-Control": "min-fresh=10"]))
                #expect(try await !it.reuses(fresh, after: 51, then: ["Cache-Control": "min-fresh=10"]))
            },
            CacheRule("5.2.1.4", .mustNot, "use a stored response without revalidation if the request has no-cache") {
                it async throws in
                #expect(try await !it.reuses(fresh, then: ["Cache-Control": "no-cache"]))
            },
            CacheRule("5.2.1.5", .mustNot, "store any part of a request with no-store, or of its response") {
                it async throws in
                #expect(try await !it.reuses(fresh, asking: ["Cache-Control": "no-store"], then: [:]))
                #expect(await it.cache.statistics.writes == 1)
            },
            CacheRule("5.2.1.5", .mustNot, "renew a stored response by a 304 to a request with no-store") {
                it async throws in
                it.confirming(
                    ["ETag": "\"1\"", "Cache-Control": "max-age=60", "X-Own": "1"],
                    with: ["ETag": "\"1\"", "X-Own": "2"]
                )
                _ = try await it.get()
                let asking: HTTPHeaders = ["If-None-Match": "\"1\"", "Cache-Control": "no-store"]
                let unstored = try await it.get("/x", asking).response
                #expect(unstored.status == .notModified && unstored.headers["X-Own"] == "2")
                #expect(unstored.headers["Cache-Status"] == "NetKit; fwd=request; fwd-status=304")
                #expect(try await it.get().response.headers["X-Own"] == "1")
            },
            CacheRule("5.2.1.6", .mustNot, "change a body, with or without no-transform") { it async throws in
                it.always([
                    "Cache-Control": "max-age=60, no-transform", "Content-Encoding": "x-own", "Content-Type": "a/b",
                ])
                _ = try await it.get()
                let hit = try await it.get("/x", ["Cache-Control": "no-transform", "Accept-Encoding": "gzip"])
                #expect(hit.text == "1" && hit.response.headers["Content-Encoding"] == "x-own" && it.sent == 1)
            },
            CacheRule("5.2.1.7", .should, "respond to only-if-cached from the store or with 504") { it async throws in
                let only: HTTPHeaders = ["Cache-Control": "only-if-cached"]
                #expect(try await it.get("/x", only).response.status == .gatewayTimeout)
                #expect(try await it.reuses(fresh, then: only))
                let sent = it.sent
                it.time.advance(by: .seconds(99))
                #expect(try await it.get("/reused-0", only).response.status == .gatewayTimeout)
                #expect(it.sent == sent)
            },
            CacheRule("5.2.2.1", .must, "treat a response as stale after its max-age") { it async throws in
                #expect(try await it.reuses(["Cache-Control": "max-age=5"], after: 4))
                #expect(try await !it.reuses(["Cache-Control": "max-age=5"], after: 5))
                #expect(try await !it.reuses(["Cache-Control": "max-age=0"]))
            },
            CacheRule("5.2.2.2", .mustNot, "use a stale response with must-revalidate without revalidation") {
                it async throws in
                let strict: HTTPHeaders = ["Cache-Control": "max-age=60, must-revalidate"]
                #expect(try await it.reuses(strict, after: 59))
                #expect(try await !it.reuses(strict, after: 60, then: ["Cache-Control": "max-stale"]))
            },
            CacheRule("5.2.2.2", .must, "fail if must-revalidate is set and the server cannot be reached") { _ in
                let it = CachedClient(servesStaleWhenDisconnected: true)
                let stored = MockResponse.text("1").header("Cache-Control", "max-age=10, must-revalidate")
                it.transport.stub(.get, "/x", stored, .failure(URLError(.cannotConnectToHost)))
                _ = try await it.get()
                it.time.advance(by: .seconds(20))
                let error = await #expect(throws: NetKitError.self) { try await it.get() }
                #expect(error?.code == .connect)
            },
            CacheRule("5.2.2.3", .should, "ignore no-store beside must-understand for a status it understands") {
                it async throws in
                let both: HTTPHeaders = ["Cache-Control": "no-store, must-understand, max-age=60"]
                #expect(try await it.reuses(both))
                #expect(try await !it.reuses(both, status: 599))
            },
            CacheRule("5.2.2.4", .mustNot, "use a response with no-cache, or fields it names, without revalidation") {
                it async throws in
                #expect(try await !it.reuses(["Cache-Control": "no-cache, max-age=60"]))
                it.always([
                    "Cache-Control": "no-cache=\"x-one, X-Two\", max-age=60", "X-One": "1", "X-Two": "2",
                    "X-Three": "3",
                ])
                _ = try await it.get("/named")
                let hit = try await it.get("/named").response.headers
                #expect(hit["Cache-Status"]?.contains("hit") == true)
                #expect(hit["X-One"] == nil && hit["X-Two"] == nil && hit["X-Three"] == "3")
            },
            CacheRule("5.2.2.4", .mustNot, "use a stored field without revalidation if no-cache of a 304 names it") {
                it async throws in
                it.confirming(
                    ["ETag": "\"1\"", "Cache-Control": "max-age=1", "X-One": "1", "X-Two": "2"],
                    with: ["Cache-Control": "max-age=60, no-cache=\"X-One\""]
                )
                _ = try await it.get()
                it.time.advance(by: .seconds(2))
                _ = try await it.get()
                let hit = try await it.get().response.headers
                #expect(hit["Cache-Status"]?.contains("hit") == true)
                #expect(hit["X-One"] == nil && hit["X-Two"] == "2")
            },
            CacheRule("5.2.2.5", .mustNot, "store a response with no-store, whatever the other directives are") {
                it async throws in
                for policy in [CachePolicy.standard, .cacheFirst, .networkFirst, .reload] {
                    it.always(["Cache-Control": "public, max-age=60, immutable, no-store", "ETag": "\"1\""])
                    _ = try await it.get(policy: policy)
                }
                #expect(it.sent == 4)
                #expect(await it.cache.statistics.store.entryCount == 0)
            },
            CacheRule("5.2.2.7", .may, "store a private response, as it serves one user") { it async throws in
                #expect(try await it.reuses(["Cache-Control": "private, max-age=60"]))
                #expect(try await it.reuses(["Cache-Control": "private=\"X-A\", max-age=60", "X-A": "1"]))
            },
            CacheRule("5.2.2.8", .may, "ignore proxy-revalidate, which is for shared caches") { it async throws in
                let headers: HTTPHeaders = ["Cache-Control": "max-age=60, proxy-revalidate"]
                #expect(try await it.reuses(headers, after: 70, then: ["Cache-Control": "max-stale=10"]))
            },
            CacheRule("5.2.2.9", .may, "store a public response with any status") { it async throws in
                let open: HTTPHeaders = ["Cache-Control": "public", "Last-Modified": httpDate(-1000)]
                #expect(try await it.reuses(open, status: 403, after: 99))
            },
            CacheRule("5.2.2.10", .must, "ignore s-maxage, which is for shared caches") { it async throws in
                #expect(try await it.reuses(["Cache-Control": "s-maxage=0, max-age=60"], after: 59))
                #expect(try await it.reuses(["Cache-Control": "s-maxage=0", "Expires": httpDate(600)], after: 59))
            },
        ]
    }
}
