import Foundation
import Testing

@testable import NetKit

struct CoalesceKeyTests {
    private struct Tag: CallTag {}

    private func key(
        _ request: HTTPRequest,
        delivery: Delivery = .buffered(upTo: 100),
        options: CallOptions = CallOptions(),
        principal: Principal? = nil
    ) -> CoalesceKey? {
        let context = RequestContext.test(delivery: delivery, options: options)
        return CoalesceKey(
            request,
            call: context.call,
            principal: principal ?? options.principal,
            ignoring: ["traceparent"]
        )
    }

    private func get(_ path: RequestPath = "https://a.example/x", headers: HTTPHeaders = [:]) -> HTTPRequest {
        HTTPRequest(.get, path, headers: headers)
    }

    @Test func identicalReadsShare() {
        #expect(key(get(headers: ["Accept": "a"])) == key(get(headers: ["Accept": "a"])))
        #expect(key(HTTPRequest(.head, "https://a.example/x")) != nil)
    }

    @Test func differentRequestsAreKeptApart() {
        var withoutAuth = get()
        withoutAuth.requiresAuth = false
        var others: [CoalesceKey?] = [
            key(get("https://a.example/y")), key(get("https://a.example/x?q=1")), key(get("http://a.example/x")),
            key(HTTPRequest(.head, "https://a.example/x")), key(get(headers: ["Authorization": "Bearer 1"])),
            key(get(headers: ["Authorization": "Bearer 2"])), key(get(headers: ["Cookie": "a=1"])),
            key(get(headers: ["Range": "bytes=0-1"])), key(get(), delivery: .buffered(upTo: 101)),
            key(get(), options: CallOptions(priority: .high)), key(get(), principal: Principal("one")),
            key(get(), principal: Principal("two")), key(withoutAuth),
        ]
        others.append(key(get()))
        #expect(!others.contains(nil))
        #expect(Set(others.compactMap { $0 }).count == others.count)
    }

    @Test func tracingMayDiffer() {
        let (one, other) = (
            get(headers: ["Traceparent": "1", "A": "b"]), get(headers: ["A": "b", "traceparent": "2"])
        )
        #expect(key(one) == key(other))
        #expect(key(one) == key(get(headers: ["A": "b"])))
    }

    @Test func aRequestThatCannotBeSharedHasNoKey() {
        #expect(key(get(), delivery: .streamed) == nil)
        #expect(key(HTTPRequest(.get, "https://a.example/x", body: .text("q"))) == nil)
        #expect(key(get(headers: ["Cache-Control": "max-age=0, No-Cache"])) == nil)
        #expect(key(get(headers: ["Cache-Control": "no-store"])) == nil)
        #expect(key(get(headers: ["Cache-Control": "max-age=5"])) != nil)
    }

    /// An exchange that began earlier may have an older response than the server has now.
    @Test func aCallThatAlwaysSendsARequestSharesNothing() {
        func isShared(_ policy: CachePolicy) -> Bool { key(get(), options: CallOptions(cachePolicy: policy)) != nil }
        #expect(![CachePolicy.noCache, .networkFirst, .reload].contains { isShared($0) })
        #expect([CachePolicy.standard, .cacheFirst].allSatisfy { isShared($0) })
    }

    @Test func tagsNeedAPrincipal() {
        var options = CallOptions()
        options.tags[Tag.self] = Tag()
        #expect(key(get(), options: options) == nil)
        options.principal = Principal("tenant")
        #expect(key(get(), options: options) != nil)
    }

    /// The exchange would have the retries of its first call.
    @Test func aCallWithItsOwnRetriesSharesNothing() {
        #expect(RequestContext.test(options: CallOptions()).call.mayShareExchanges)
        #expect(!RequestContext.test(options: CallOptions(retry: .none)).call.mayShareExchanges)
    }

    /// To a server, they can be the names of two users, although the strings are equal.
    @Test func namesOfOtherBytesAreKeptApart() {
        let names = ["jos\u{E9}", "jose\u{301}"]
        let headers = names.map { key(get(headers: ["X-User": $0])) }
        #expect(headers[0] != headers[1])
        let principals = names.map { key(get(), principal: Principal($0)) }
        #expect(principals[0] != principals[1])
    }
}
