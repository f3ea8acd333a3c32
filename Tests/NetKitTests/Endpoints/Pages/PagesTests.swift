import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct PagesTests {
    private struct Feed: Codable, Sendable, Equatable, ItemPage {
        var items: [Int]
        var nextCursor: String?
        var hasMore: Bool?

        var isMore: Bool { hasMore ?? true }
    }

    private let transport = MockTransport()
    private var client: HTTPClient { HTTPClient(baseURL: exampleBase, transport: transport, interceptors: []) }

    @Test func aCursorLeadsToTheNextPageAndNilIsTheEnd() async throws {
        let pages = [
            "": Feed(items: [1, 2], nextCursor: "b c"), "b c": Feed(items: [], nextCursor: "d"), "d": Feed(items: [3]),
        ]
        let transport = responding { request in pages[cursor(of: request)] }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        var found: [Feed] = []
        for try await page in client.pages(
            Endpoint<Feed>.get("/feed", query: ["n": 2]),
            next: \.nextCursor,
            query: "cursor"
        ) {
            found.append(page)
        }
        #expect(found.map(\.items) == [[1, 2], [], [3]])
        #expect(transport.requests.map { $0.url.query } == ["n=2", "n=2&cursor=b%20c", "n=2&cursor=d"])
        var items: [Int] = []
        for try await item in client.pages(Endpoint<Feed>.get("/feed"), next: \.nextCursor, query: "cursor").items {
            items.append(item)
        }
        #expect(items == [1, 2, 3])
    }

    /// Many services send an empty cursor at the end, and give the first page again for it.
    @Test func anEmptyCursorIsTheEnd() async throws {
        transport.stub(.get, "/v1/feed", .json(Feed(items: [1], nextCursor: "", hasMore: true)))
        let endpoint = Endpoint<Feed>.get("/feed")
        var found: [[Int]] = []
        for try await page in client.pages(endpoint, next: \.nextCursor, query: "cursor") { found.append(page.items) }
        for try await page in client.pages(endpoint, next: \.nextCursor, hasMore: \.isMore, query: "cursor") {
            found.append(page.items)
        }
        #expect(found == [[1], [1]])
        #expect(transport.requests.map { $0.url.query } == [nil, nil])
    }

    @Test func aPageWithoutMoreIsTheLast() async throws {
        transport.stub(.get, "/v1/feed", .json(Feed(items: [1], nextCursor: "again", hasMore: false)))
        var count = 0
        for try await _ in client.pages(
            Endpoint<Feed>.get("/feed"),
            next: \.nextCursor,
            hasMore: \.isMore,
            query: "cursor"
        ) {
            count += 1
        }
        #expect(count == 1)
    }

    @Test func pagesInACircleAreAnError() async throws {
        let pages = [
            "": Feed(items: [1], nextCursor: "a"), "a": Feed(items: [2], nextCursor: "b"),
            "b": Feed(items: [3], nextCursor: "a"),
        ]
        let transport = responding { request in pages[cursor(of: request)] }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        var items: [Int] = []
        let error = await #expect(throws: NetKitError.self) {
            for try await page in client.pages(Endpoint<Feed>.get("/feed"), next: \.nextCursor, query: "cursor") {
                items += page.items
            }
        }
        #expect(items == [1, 2, 3])
        #expect(error?.code == .invalidResponse)
        let place = "page 4 would be GET /feed with the query, header fields and body of an earlier one."
        let hint = "Check the link or cursor of the page before it."
        #expect(error?.message == "The pages form a loop: \(place) \(hint)")
        #expect(transport.requests.count == 3)
    }

    /// The requests of these pages differ in a field only.
    @Test func aFieldMayNameThePage() async throws {
        let transport = MockTransport { request, _ in
            let next: HTTPHeaders = request.headers["Range"] == "id ]2.." ? [:] : ["Next-Range": "id ]2.."]
            return HTTPResponse(status: 206, headers: next, body: ResponseBody(Data("[1]".utf8)))
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let pages = client.pages(Endpoint<[Int]>.get("/list").withResponse) { page, endpoint in
            page.1.headers["Next-Range"].map { range in
                var endpoint = endpoint
                endpoint.headers["Range"] = range
                return endpoint
            }
        }
        var count = 0
        for try await _ in pages { count += 1 }
        #expect(count == 2)
        #expect(transport.requests.map { $0.headers["Range"] } == [nil, "id ]2.."])
    }

    @Test func moreThanTheBoundIsAnError() async throws {
        let transport = responding { request in
            let number = Int(cursor(of: request)) ?? 0
            return Feed(items: [number], nextCursor: "\(number + 1)")
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        var count = 0
        let error = await #expect(throws: NetKitError.self) {
            for try await _ in client.pages(
                Endpoint<Feed>.get("/feed"),
                next: \.nextCursor,
                query: "cursor",
                maxPages: 5
            ) {
                count += 1
            }
        }
        #expect(count == 5)
        #expect(error?.message.contains("more than 5 pages") == true)
        count = 0
        for try await _ in client.pages(Endpoint<Feed>.get("/feed"), next: \.nextCursor, query: "cursor", maxPages: 5) {
            count += 1
            if count == 2 { break }
        }
        #expect(transport.requests.count == 7)
    }

    @Test func numbersAndOffsetsCountUp() async throws {
        let transport = responding { request in
            let items = URLComponents(string: request.url.absoluteString)?.queryItems ?? []
            let page = items.first { $0.name == "page" }?.value.flatMap { Int($0) }
            let start = items.first { $0.name == "offset" }?.value.flatMap { Int($0) }
            let offset = page.map { ($0 - 1) * 2 } ?? start ?? 0
            return Feed(items: Array((0..<5).dropFirst(offset).prefix(2)))
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        var items: [Int] = []
        for try await item in client.pages(Endpoint<Feed>.get("/feed"), number: "page", items: \.items).items {
            items.append(item)
        }
        for try await item in client.pages(
            Endpoint<Feed>.get("/feed"),
            offset: "offset",
            count: (2, query: "limit"),
            items: \.items
        )
        .items {
            items.append(item)
        }
        #expect(items == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
        #expect(
            transport.requests.map { $0.url.query } == [
                "page=1", "page=2", "page=3", "page=4", "limit=2&offset=0", "limit=2&offset=2", "limit=2&offset=4",
            ]
        )
    }

    @Test func numbersMayBeginBelowZero() async throws {
        let transport = responding { _ in Feed(items: [1]) }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let pages = client.pages(Endpoint<Feed>.get("/feed"), number: "page", from: -2, items: \.items)
        var count = 0
        for try await _ in pages {
            count += 1
            if count == 4 { break }
        }
        #expect(transport.requests.map { $0.url.query } == ["page=-2", "page=-1", "page=0", "page=1"])
    }

    @Test func aFunctionMayMakeTheNextPage() async throws {
        transport.stub(.post, "/v1/search", .json(Feed(items: [1], nextCursor: "x")), .json(Feed(items: [2])))
        let first = Endpoint<Feed>.post("/search", json: ["q": "a"])
        var items: [Int] = []
        let pages = client.pages(first) { page, endpoint in
            page.nextCursor.map { next in
                var endpoint = endpoint
                endpoint.body = .json(["q": "a", "after": next], coder: nil)
                return endpoint
            }
        }
        for try await item in pages.items { items.append(item) }
        #expect(items == [1, 2])
        #expect(transport.requests.count == 2)
    }

    @Test func linksLeadToTheNextPage() async throws {
        transport.stub(
            .get,
            "/v1/list",
            .json([1, 2]).header("Link", "</v1/list?page=2>; rel=\"last next\", <x>; rel=prev")
        )
        transport.stub(.get, "/v1/list", query: ["page": "2"], .json([3]))
        var items: [Int] = []
        for try await item in client.linkedPages(Endpoint<[Int]>.get("/list", headers: ["X-A": "1"])).items {
            items.append(item)
        }
        #expect(items == [1, 2, 3])
        #expect(
            transport.requests.map(\.url.absoluteString) == [
                "https://api.example.com/v1/list", "https://api.example.com/v1/list?page=2",
            ]
        )
        #expect(transport.requests.map { $0.headers["X-A"] } == ["1", "1"])
    }

    @Test(arguments: [
        "<https://evil.example/v1/list>; rel=next", "<http://api.example.com/v1/list>; rel=next", "<ftp://x>; rel=next",
    ])
    func aLinkToAnotherOriginIsRefused(_ link: String) async throws {
        transport.stub(.get, "/v1/list", .json([1]).header("Link", link))
        var pages = client.linkedPages(Endpoint<[Int]>.get("/list")).makeAsyncIterator()
        #expect(try await pages.next() == [1])
        let error = await #expect(throws: NetKitError.self) { try await pages.next() }
        #expect(error?.code == .redirect)
        #expect(try await pages.next() == nil)
        #expect(transport.requests.count == 1)
    }

    /// The first page was requested by its path, and the link names its whole URL.
    @Test func aLinkToTheFirstPageIsALoop() async throws {
        transport.stub(.get, "/v1/list", .json([1]).header("Link", "<https://api.example.com/v1/list?n=1>; rel=next"))
        var pages = client.linkedPages(Endpoint<[Int]>.get("/list", query: ["n": 1])).makeAsyncIterator()
        #expect(try await pages.next() == [1])
        let error = await #expect(throws: NetKitError.self) { try await pages.next() }
        #expect(error?.code == .invalidResponse)
        #expect(error?.message.contains("page 2 would be GET https://api.example.com/v1/list with") == true)
        #expect(transport.requests.count == 1)
    }

    /// A redirect of the first page to a foreign host does not lead the following requests there.
    @Test func aLinkIsHeldAgainstTheOriginThatWasAsked() async throws {
        let transport = MockTransport { request, _ in
            guard request.url.host() == "evil.example" else {
                return HTTPResponse(status: 302, headers: ["Location": "https://evil.example/list"])
            }
            let headers: HTTPHeaders = ["Link": "</list?page=2>; rel=next"]
            return HTTPResponse(status: 200, headers: headers, body: ResponseBody(Data("[1]".utf8)))
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let error = await #expect(throws: NetKitError.self) {
            for try await _ in client.linkedPages(Endpoint<[Int]>.get("/list", headers: ["X-Own": "secret"])) {}
        }
        #expect(error?.code == .redirect)
        #expect(transport.requests.count == 2)
    }

    @Test func manyCallsKeepTheirOrderAndTheirFailures() async throws {
        let running = Locked((now: 0, most: 0))
        let transport = MockTransport { request, _ in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            defer { running.withLock { $0.now -= 1 } }
            await Task.yield()
            let number = Int(request.url.lastPathComponent) ?? 0
            return number == 3
                ? HTTPResponse(status: 500) : HTTPResponse(status: 200, body: ResponseBody(Data("\(number)".utf8)))
        }
        let client = HTTPClient.testing(transport)
        let results = await client.sendAll((0..<20).map { Endpoint<Int>.get("/\($0)") }, maxConcurrent: 3)
        #expect(results.map { try? $0.get() } == (0..<20).map { $0 == 3 ? nil : $0 })
        #expect(running.withLock { $0.most } <= 3)
        #expect(await client.sendAll([Endpoint<Int>]()).isEmpty)
        #expect(await client.sendAll([Endpoint<Int>.get("/1")], maxConcurrent: 0).count == 1)
    }

    @Test func aCancelledBatchEndsEveryCall() async throws {
        transport.stub(.get, "/**", .stalled)
        let client = client
        let task = Task { await client.sendAll((0..<5).map { Endpoint<Void>.get("/\($0)") }, maxConcurrent: 2) }
        await transport.waitForRequests(2)
        task.cancel()
        let results = await task.value
        #expect(results.count == 5)
        for result in results { #expect(throws: CancellationError.self) { try result.get() } }
    }
}

/// Returns a transport that responds with pages made by a function.
private func responding<Page: Encodable & Sendable>(
    _ make: @escaping @Sendable (HTTPRequest) -> Page?
) -> MockTransport {
    MockTransport { request, _ in
        guard let page = make(request) else { return HTTPResponse(status: 404) }
        return HTTPResponse(status: 200, body: ResponseBody(try JSONEncoder().encode(page)))
    }
}

private func cursor(of request: HTTPRequest) -> String {
    URLComponents(string: request.url.absoluteString)?.queryItems?.first { $0.name == "cursor" }?.value ?? ""
}
