import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct CacheInterceptorTests {
    private let it = CachedClient()

    private func counting(_ headers: HTTPHeaders) {
        it.respond { number, _ in .text("\(number)", headers) }
    }

    @Test(arguments: [false, true])
    func aFreshResponseIsUsedAgain(isStreamed: Bool) async throws {
        counting(["Cache-Control": "max-age=60", "X": "1"])
        let first = try await it.get(isStreamed: isStreamed)
        #expect(first.response.headers["Cache-Status"] == "NetKit; fwd=uri-miss; fwd-status=200; stored")
        it.time.advance(by: .seconds(12.5))
        let second = try await it.get(isStreamed: isStreamed)
        #expect(second.text == "1")
        #expect(second.response.headers["Age"] == "12")
        #expect(second.response.headers["X"] == "1")
        #expect(second.response.headers["Cache-Status"] == "NetKit; hit; ttl=47")
        #expect(second.response.url == first.response.url)
        it.time.advance(by: .seconds(48))
        #expect(try await it.get().text == "2")
        #expect(it.sent == 2)
        let statistics = await it.cache.statistics
        #expect(statistics.hits == 1 && statistics.misses == 2 && statistics.writes == 2)
        #expect(statistics.store.entryCount == 1)
    }

    /// Hits within one second share their fields, and those of another second or lifetime do not.
    @Test func everyHitSaysItsOwnAge() async throws {
        counting(["X": "1"])
        func fields(_ ttl: Int) async throws -> [String?] {
            let headers = try await it.get(policy: .cacheFirst.lasting(.seconds(ttl))).response.headers
            return [headers["Age"], headers["Cache-Status"], headers["X"]]
        }
        _ = try await it.get(policy: .reload)
        for second in 0..<3 {
            for _ in 0..<2 {
                #expect(try await fields(60) == ["\(second)", "NetKit; hit; ttl=\(60 - second)", "1"])
                #expect(try await fields(90) == ["\(second)", "NetKit; hit; ttl=\(90 - second)", "1"])
            }
            it.time.advance(by: .seconds(1))
        }
        #expect(it.sent == 1)
    }

    @Test func theQueryIsPartOfTheKeyAndTheFragmentIsNot() async throws {
        counting(["Cache-Control": "max-age=60"])
        for (path, text) in [("/x?a=1", "1"), ("/x?a=2", "2"), ("/x", "3"), ("/x?a=1", "1"), ("/x?a=2#f", "2")] {
            let url = try #require(URL(string: "https://api.example.com/v1\(path)"))
            let response = try await it.client.send(HTTPRequest(.get, url))
            #expect(try await response.body.text(upTo: 100) == text)
        }
    }

    /// RFC 9111, section 4.3.
    @Test func aStaleResponseIsConfirmed() async throws {
        it.respond { number, request in
            guard request.headers["If-None-Match"] == "\"1\"" else {
                return .text("body", ["ETag": "\"1\"", "Last-Modified": httpDate(-5), "Cache-Control": "max-age=10"])
            }
            #expect(request.headers["If-Modified-Since"] == httpDate(-5))
            return .text("", ["ETag": "\"1\"", "X-New": "\(number)"], status: 304)
        }
        _ = try await it.get()
        it.time.advance(by: .seconds(10))
        let confirmed = try await it.get()
        #expect(confirmed.text == "body")
        #expect(confirmed.response.status == .ok)
        #expect(confirmed.response.headers["X-New"] == "2")
        #expect(confirmed.response.headers["Age"] == "0")
        #expect(confirmed.response.headers["Cache-Status"] == "NetKit; fwd=stale; fwd-status=304; ttl=10")
        it.time.advance(by: .seconds(5))
        #expect(try await it.get().response.headers["X-New"] == "2")
        #expect(it.sent == 2)
        #expect(await it.cache.statistics.revalidations == 1)
    }

    @Test func aChangedResponseReplacesTheStaleOne() async throws {
        it.respond { number, _ in .text("\(number)", ["ETag": "\"\(number)\"", "Cache-Control": "max-age=10"]) }
        _ = try await it.get()
        it.time.advance(by: .seconds(10))
        #expect(try await it.get().text == "2")
        #expect(try await it.get().text == "2")
        #expect(it.sent == 2)
    }

    /// RFC 9111, section 4.3.4: a 304 about something else confirms nothing.
    @Test func aConfirmationOfSomethingElseIsFollowedByAPlainRequest() async throws {
        it.respond { number, request in
            if request.headers["If-None-Match"] != nil { return .text("", ["ETag": "\"other\""], status: 304) }
            return .text("\(number)", ["ETag": "\"\(number)\"", "Cache-Control": "max-age=10"])
        }
        _ = try await it.get()
        it.time.advance(by: .seconds(10))
        #expect(try await it.get().text == "3")
        #expect(it.sent == 3)
    }

    @Test func theCallersOwnConditionsGoOutAndComeBack() async throws {
        it.respond { _, request in
            guard request.headers["If-None-Match"] == nil else {
                return .text("", ["ETag": "\"1\"", "Cache-Control": "max-age=99"], status: 304)
            }
            return .text("body", ["ETag": "\"1\"", "Cache-Control": "max-age=10"])
        }
        _ = try await it.get()
        let fresh = try await it.get("/x", ["If-None-Match": "\"1\""])
        #expect(fresh.response.status == .notModified && fresh.text.isEmpty)
        #expect(fresh.response.headers["ETag"] == "\"1\"")
        #expect(it.sent == 1)
        it.time.advance(by: .seconds(10))
        let stale = try await it.get("/x", ["If-None-Match": "\"1\""])
        #expect(stale.response.status == .notModified)
        #expect(it.transport.requests.last?.headers["If-None-Match"] == "\"1\"")
        // The server's response to the caller renewed the stored one.
        #expect(try await it.get().text == "body")
        #expect(it.sent == 2)
    }

    /// RFC 9111, section 4.1.
    @Test func keepsSeveralVariants() async throws {
        it.respond { number, request in
            .text("\(number)\(request.headers["X-A"] ?? "-")", ["Vary": "X-A", "Cache-Control": "max-age=60"])
        }
        for (value, text) in [("a", "1a"), ("b", "2b"), ("a", "1a"), ("b", "2b"), (nil, "3-"), (nil, "3-")] {
            let headers: HTTPHeaders = value.map { ["X-A": $0] } ?? [:]
            #expect(try await it.get("/x", headers).text == text)
        }
        #expect(try await it.get("/x", ["X-A": "c"]).response.headers["Cache-Status"]?.contains("vary-miss") == true)
    }

    @Test func aHeadIsAnsweredFromAGet() async throws {
        counting(["Cache-Control": "max-age=60", "Content-Length": "1"])
        _ = try await it.get()
        let head = try await it.get(method: .head)
        #expect(head.text.isEmpty && head.response.headers["Content-Length"] == "1")
        #expect(it.sent == 1)
    }

    /// RFC 9111, section 4.3.5.
    @Test func aHeadRenewsAStaleResponse() async throws {
        it.respond { number, request in
            .text(request.method == .head ? "" : "\(number)", ["Cache-Control": "max-age=10", "X": "\(number)"])
        }
        _ = try await it.get()
        it.time.advance(by: .seconds(10))
        #expect(try await it.get(method: .head).response.headers["X"] == "2")
        let renewed = try await it.get()
        #expect(renewed.text == "1" && renewed.response.headers["X"] == "2")
        #expect(it.sent == 2)
    }

    /// A HEAD that is not allowed says nothing about a GET.
    @Test(arguments: [(HTTPStatus.notFound, "3"), (.gone, "3"), (.methodNotAllowed, "1"), (.serviceUnavailable, "1")])
    func aHeadWithAnotherStatusRemovesTheResponse(status: HTTPStatus, then text: String) async throws {
        it.respond { number, request in
            request.method == .head
                ? .text("", status: status) : .text("\(number)", ["Cache-Control": "max-age=10"])
        }
        _ = try await it.get()
        #expect(try await it.get(method: .head, policy: .reload).response.status == status)
        #expect(try await it.get().text == text)
    }

    @Test func aRangeIsServedFromTheWholeResponse() async throws {
        it.respond { _, _ in .text("0123456789", ["Cache-Control": "max-age=60", "ETag": "\"1\"", "X": "1"]) }
        _ = try await it.get()
        let part = try await it.get("/x", ["Range": "bytes=2-4"])
        #expect(part.response.status == .partialContent && part.text == "234")
        #expect(part.response.headers["Content-Range"] == "bytes 2-4/10")
        #expect(part.response.headers["Content-Length"] == "3" && part.response.headers["X"] == "1")
        let beyond = try await it.get("/x", ["Range": "bytes=10-"])
        #expect(beyond.response.status == 416 && beyond.response.headers["Content-Range"] == "bytes */10")
        #expect(try await it.get("/x", ["Range": "bytes=0-0", "If-Range": "\"1\""]).text == "0")
        #expect(try await it.get("/x", ["Range": "bytes=0-0", "If-Range": "\"2\""]).text == "0123456789")
        #expect(it.sent == 1)
        _ = try await it.get("/x", ["Range": "bytes=0-0,2-2"])
        #expect(it.sent == 2)
    }

    @Test func aPartialResponseDoesNotReplaceTheWholeOne() async throws {
        it.respond { _, request in
            guard request.headers["Range"] != nil else { return .text("0123456789", ["Cache-Control": "max-age=60"]) }
            return .text("01", ["Content-Range": "bytes 0-1/10", "Cache-Control": "max-age=60"], status: 206)
        }
        #expect(try await it.get("/x", ["Range": "bytes=0-1"]).text == "01")
        #expect(try await it.get().text == "0123456789")
        #expect(it.sent == 2)
    }

    /// RFC 9111, section 4.4: every unsafe method, also an unknown one.
    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "FROBNICATE"])
    func aChangeForgetsTheResponse(method: String) async throws {
        it.respond { number, request in
            let isChange = request.method != .get
            return .text("\(number)", isChange ? ["Location": "/v1/y"] : ["Cache-Control": "max-age=60"])
        }
        _ = try await it.get("/x")
        _ = try await it.get("/y")
        _ = try await it.get("/x", method: HTTPMethod(method))
        #expect(try await it.get("/x").text == "4")
        #expect(try await it.get("/y").text == "5")
    }

    @Test(arguments: [HTTPStatus.conflict, .internalServerError])
    func aFailedChangeInvalidatesNothing(status: HTTPStatus) async throws {
        it.respond { number, request in
            request.method == .get ? .text("\(number)", ["Cache-Control": "max-age=60"]) : .text("", status: status)
        }
        _ = try await it.get()
        _ = try await it.get(method: .put)
        #expect(try await it.get().text == "1")
    }

    @Test func aChangeOfUnknownOutcomeForgetsTheResponse() async throws {
        counting(["Cache-Control": "max-age=60"])
        it.transport.stub(.post, "**", .failure(URLError(.networkConnectionLost)))
        _ = try await it.get()
        await #expect(throws: NetKitError.self) { try await it.get(method: .post) }
        #expect(try await it.get().text == "2")
    }

    /// A response to a request from before a change must not be stored after it.
    @Test func aResponseThatWasOnItsWayDuringAChangeIsNotStored() async throws {
        let it = it
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        it.transport.stub(.get, "/x", .text("old").header("Cache-Control", "max-age=60").delayed(by: .seconds(5)))
        let read = Task { try await it.get().text }
        await it.time.waitForSleepers(1)
        _ = try await it.get(method: .put)
        it.time.advance(by: .seconds(5))
        #expect(try await read.value == "old")
        #expect(await it.cache.statistics.store.entryCount == 0)
    }

    @Test func aStoredResponseThatCannotBeReadIsAMiss() async throws {
        struct Unreadable: Error {}
        var store = AnyCacheStore(MemoryCacheStore())
        store.onOpen = { throw Unreadable() }
        let it = CachedClient(store)
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        _ = try await it.get()
        let second = try await it.get()
        #expect(second.text == "2")
        #expect(second.response.headers["Cache-Status"] == "NetKit; fwd=request; fwd-status=200; stored")
        #expect(await it.cache.statistics.misses == 2)
    }

    @Test func onlyIfCachedIsAnsweredWithout() async throws {
        let result = try await it.get("/x", ["Cache-Control": "only-if-cached"])
        #expect(result.response.status == .gatewayTimeout)
        #expect(it.sent == 0)
    }

    @Test func onlyIfCachedIsAnsweredWithoutIfTheRequestBypassesTheCache() async throws {
        struct Feature: CallTag {}
        var tags = CallTags()
        tags[Feature.self] = Feature()
        let only: HTTPHeaders = ["Cache-Control": "only-if-cached"]
        let request = HTTPRequest(.get, "/x", headers: only, body: .text("a"))
        let responses = [
            try await it.get("/x", only, tags: tags).response,
            try await it.get("/x", only, policy: .noCache).response,
            try await it.client.send(request, options: CallOptions()),
        ]
        for response in responses {
            #expect(response.status == .gatewayTimeout)
            #expect(response.headers["Cache-Status"] == "NetKit; fwd=bypass; detail=\"only-if-cached\"")
        }
        #expect(it.sent == 0)
        #expect(await it.cache.statistics.bypasses == 3)
    }

    @Test func aBodyThatWasNotReadToItsEndIsNotStored() async throws {
        it.transport.stub(
            .get,
            "/cut",
            .stream([Data("ab".utf8)], failingWith: URLError(.networkConnectionLost)).header(
                "Cache-Control",
                "max-age=60"
            )
        )
        it.transport.stub(
            .get,
            "/left",
            .stream([Data("ab".utf8), Data("cd".utf8)]).header("Cache-Control", "max-age=60")
        )
        await #expect(throws: NetKitError.self) { try await it.get("/cut", isStreamed: true) }
        await #expect(throws: NetKitError.self) { try await it.get("/cut") }
        let response = try await it.client.send(HTTPRequest(.get, "/left"))
        for try await _ in response.body { break }
        response.body.discard()
        #expect(await it.cache.statistics.store.entryCount == 0)
        #expect(try await it.get("/left", isStreamed: true).text == "abcd")
        #expect(await it.cache.statistics.store.entryCount == 1)
        #expect(try await it.get("/left", isStreamed: true).text == "abcd")
        #expect(it.transport.requests.filter { $0.url.path.hasSuffix("/left") }.count == 2)
    }

    @Test func aRedirectIsStoredThoughItsBodyIsNotRead() async throws {
        it.transport.stub(.get, "/old", .redirect(to: "/v1/new", status: 301).header("Cache-Control", "max-age=60"))
        it.transport.stub(.get, "/new", .text("here").header("Cache-Control", "max-age=60"))
        #expect(try await it.get("/old", isStreamed: true).text == "here")
        #expect(try await it.get("/old", isStreamed: true).text == "here")
        #expect(it.sent == 2)
    }

    @Test func aRedirectIsFollowedThoughItsBodyBreaksOff() async throws {
        it.respond("/new") { _, _ in .text("here") }
        it.respond("/old") { _, _ in
            let pipe = BodyPipe()
            pipe.fail(NetKitError(.connectionLost, "The connection is lost.", outcome: .answered))
            let headers: HTTPHeaders = ["Location": "/v1/new", "Cache-Control": "max-age=60"]
            return HTTPResponse(status: 301, headers: headers, body: ResponseBody(length: 10, source: pipe))
        }
        for _ in 1...2 { #expect(try await it.get("/old", isStreamed: true).text == "here") }
        #expect(it.sent == 4)
    }

    /// One byte arrives every 20 seconds.
    @Test func aRedirectIsFollowedThoughItsBodyTrickles() async throws {
        let (simulation, pipe) = (Simulation(seed: 1), BodyPipe())
        for number in 1...10 {
            _ = simulation.clock.schedule(at: .seconds(Double(20 * number))) {
                pipe.offer(Data("a".utf8))
                if number == 10 { pipe.finish() }
            }
        }
        let transport = MockTransport { request, _ in
            guard request.url.path.hasSuffix("/old") else { return HTTPResponse.text("here") }
            let headers: HTTPHeaders = ["Location": "/v1/new", "Cache-Control": "max-age=60"]
            return HTTPResponse(status: 301, headers: headers, body: ResponseBody(length: 10, source: pipe))
        }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [CacheInterceptor(MemoryCacheStore())],
            configuration: simulation.configuration
        )
        let (text, end) = try await simulation.run {
            let response = try await client.send(HTTPRequest(.get, "/old"))
            return (try await response.body.text(upTo: 10), simulation.now)
        }
        #expect(text == "here")
        #expect(end == .seconds(30))
    }

    @Test func anErrorThatTheServerLetsBeKeptIsKept() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"], status: 404) }
        #expect(try await it.get().text == "1")
        #expect(try await it.get().text == "1")
    }

    @Test func aBodyBeyondTheBoundOfTheCallIsRefusedFromTheCacheToo() async throws {
        it.respond { _, _ in .text(String(repeating: "a", count: 100), ["Cache-Control": "max-age=60"]) }
        _ = try await it.get()
        let options = CallOptions(delivery: .buffered(upTo: 10))
        let error = await #expect(throws: NetKitError.self) {
            try await it.client.send(HTTPRequest(.get, "/x"), options: options)
        }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test func explainListsTheCacheAndASecondOneIsAWarning() {
        #expect(it.client.explain().contains("private cache in MemoryCacheStore"))
        let twice = HTTPClient(interceptors: [it.cache, CacheInterceptor(MemoryCacheStore())])
        #expect(twice.warnings.count == 1)
    }
}
