import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of what a stored response belongs to: method, body, host, URL and the fields that were really sent.
@Suite(.timeLimit(.minutes(5)))
struct CacheIdentityOfResponsesTests {
    private let it = CachedClient()

    private func counting(_ headers: HTTPHeaders = ["Cache-Control": "max-age=60"]) {
        it.respond { number, _ in .text("\(number)", headers) }
    }

    private func send(_ text: String, method: HTTPMethod = .get, _ headers: HTTPHeaders = [:]) async throws -> String {
        let url = try #require(URL(string: text))
        let response = try await it.client.send(HTTPRequest(method, url, headers: headers))
        return try await response.body.text(upTo: 1 << 20)
    }

    /// RFC 9110, section 9.3.1: the body of a GET has no meaning that a cache could know.
    @Test func aReadWithABodyBypassesTheCache() async throws {
        it.respond { number, request in .text("\(number)", ["Cache-Control": "max-age=60", "N": "\(number)"]) }
        func ask(_ body: HTTPBody?) async throws -> HTTPResponse {
            try await it.client.send(HTTPRequest(.get, "/search", body: body))
        }
        let first = try await ask(.data(Data("a".utf8)))
        #expect(first.headers["N"] == "1")
        #expect(first.headers["Cache-Status"] == "NetKit; fwd=bypass; detail=\"the request has a body\"")
        #expect(try await ask(.data(Data("b".utf8))).headers["N"] == "2")
        #expect(await it.cache.statistics.store.entryCount == 0)
        _ = try await it.get("/search")
        #expect(try await ask(.data(Data("a".utf8))).headers["N"] == "4")
        #expect(try await it.get("/search").text == "3")
    }

    @Test func aHostFieldOfTheCallerSeparatesEntries() async throws {
        it.respond { number, request in
            .text("\(number) \(request.headers["Host"] ?? "")", ["Cache-Control": "max-age=60"])
        }
        #expect(try await it.get("/x").text == "1 ")
        #expect(try await it.get("/x", ["Host": "a.example"]).text == "2 a.example")
        #expect(try await it.get("/x", ["Host": "b.example"]).text == "3 b.example")
        #expect(try await it.get("/x", ["Host": "A.example"]).text == "2 a.example")
        #expect(try await it.get("/x").text == "1 ")
        // A default port is the same as none.
        let own = try #require(exampleBase?.host)
        #expect(try await it.get("/x", ["Host": own]).text == "1 ")
    }

    @Test func aChangeUnderAHostInvalidatesThatHost() async throws {
        counting()
        _ = try await it.get("/x")
        _ = try await it.get("/x", ["Host": "a.example"])
        _ = try await it.get("/x", ["Host": "a.example"], method: .put)
        #expect(try await it.get("/x").text == "1")
        #expect(try await it.get("/x", ["Host": "a.example"]).text == "4")
    }

    /// RFC 3986, section 6.2.2.
    @Test(arguments: [
        ("http://h/%7Ea", "http://h/~a"), ("http://h/a%2fb", "http://h/a%2Fb"), ("HTTP://H/a", "http://h/a"),
        ("http://h/a/../b", "http://h/b"), ("http://h/./a", "http://h/a"), ("http://h:80/a", "http://h/a"),
        ("http://h", "http://h/"), ("http://h/a?q=%41", "http://h/a?q=A"), ("http://h/a%2E%2e/b", "http://h/a../b"),
        ("http://h/a/%2e%2E/b", "http://h/b"),
    ])
    func equivalentURLsAreOneEntry(one: String, other: String) async throws {
        counting()
        #expect(try await send(one) == "1")
        #expect(try await send(other) == "1")
        // The request is sent unchanged.
        #expect(it.transport.requests.first?.url.absoluteString.contains("%7E") == one.contains("%7E"))
        _ = try await send(other, method: .put)
        #expect(try await send(one) == "3")
        _ = try await send(one, method: .delete)
        #expect(try await send(other) == "5")
    }

    @Test(arguments: [
        ("http://h/a%2Fb", "http://h/a/b"), ("http://h/a%20b", "http://h/a+b"), ("http://h/a", "http://h/A"),
        ("http://h/a", "http://h/a/"), ("http://h/a?", "http://h/a"), ("http://h/a%3Fb", "http://h/a?b"),
        ("http://h/?a=../b", "http://h/?a=b"), ("http://h/%257Ea", "http://h/~a"), ("http://h/a//b", "http://h/a/b"),
    ])
    func differentURLsAreTwoEntries(one: String, other: String) async throws {
        counting()
        #expect(try await send(one) == "1")
        #expect(try await send(other) == "2")
        #expect(try await send(one) == "1")
    }

    /// The field is added where the cache does not see it, so the field of the next request is unknown.
    ///
    /// A secret one may belong to another user the next time.
    @Test(arguments: ["Accept-Language", "X-Api-Key"])
    func aResponseThatVariesByAFieldAddedFurtherOnIsNotStored(name: String) async throws {
        let value = Locked("de")
        let it = CachedClient(others: [Adding(stage: .attempt) { [name: value.withLock { $0 }] }])
        it.respond { number, request in
            .text("\(number) \(request.headers[name] ?? "")", ["Cache-Control": "max-age=60", "Vary": name])
        }
        let first = try await it.get("/x")
        #expect(first.text == "1 de")
        #expect(
            first.response.headers["Cache-Status"]
                == "NetKit; fwd=uri-miss; fwd-status=200; detail=\"varies by a field set after the cache\""
        )
        value.withLock { $0 = "fr" }
        #expect(try await it.get("/x").text == "2 fr")
        #expect(await it.cache.statistics.store.entryCount == 0)
    }

    /// An added field that does not select is no reason, and neither is one that is sent as it was given.
    @Test func otherFieldsThatAreAddedAfterTheCacheChangeNothing() async throws {
        let it = CachedClient(others: [Adding(stage: .attempt) { ["X-Trace": "\(UInt64.random(in: 0...(.max)))"] }])
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60", "Vary": "Accept-Language"]) }
        for _ in 0..<2 { #expect(try await it.get("/x", ["Accept-Language": "de"]).text == "1") }
        #expect(try await it.get("/x", ["Accept-Language": "fr"]).text == "2")
    }

    /// The strings are equal, but to a server they can be the names of two users.
    @Test func aFieldThatIsSentWithOtherBytesIsNotTheOneThatTheCacheSaw() async throws {
        let it = CachedClient(others: [Adding(stage: .attempt) { ["X-User": "jose\u{301}"] }])
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60", "Vary": "X-User"]) }
        for number in 1...2 { #expect(try await it.get("/x", ["X-User": "jos\u{E9}"]).text == "\(number)") }
    }

    /// The conditions that the cache itself adds are not the caller's fields.
    @Test func aResponseThatVariesByAConditionIsStillStored() async throws {
        let it = CachedClient()
        it.respond { number, request in
            .text("\(number)", ["Cache-Control": "max-age=10", "ETag": "\"\(number)\"", "Vary": "If-None-Match"])
        }
        #expect(try await it.get("/x").text == "1")
        it.time.advance(by: .seconds(20))
        #expect(try await it.get("/x").text == "2")
        #expect(try await it.get("/x").text == "2")
    }
}

/// Adds header fields where the cache does not see it.
private struct Adding: Interceptor {
    let stage: Stage
    let fields: @Sendable () -> HTTPHeaders

    init(stage: Stage, _ fields: @escaping @Sendable () -> HTTPHeaders) {
        (self.stage, self.fields) = (stage, fields)
    }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        var request = request
        request.headers.set(contentsOf: fields())
        return try await next(request, context)
    }
}
