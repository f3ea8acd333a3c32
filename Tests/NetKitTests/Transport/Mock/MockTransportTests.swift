import Foundation
import NetKit
import Testing

/// Tests of which stub responds, and with which of its responses.
struct MockTransportTests {
    private let transport = MockTransport()
    private let client: HTTPClient

    init() {
        client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
    }

    private func status(
        _ method: HTTPMethod,
        _ path: RequestPath,
        query: QueryBuilder = [],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil
    ) async throws -> Int {
        let request = HTTPRequest(method, path, query: query, headers: headers, body: body)
        return try await client.send(request).status.code
    }

    @Test func responsesAreReturnedInTurnAndTheLastOneIsRepeated() async throws {
        transport.stub(.get, "/flaky", .status(503), .status(429), .status(200))
        var codes: [Int] = []
        for _ in 0..<5 { codes.append(try await status(.get, "/flaky")) }
        #expect(codes == [503, 429, 200, 200, 200])
    }

    @Test func aStubWithoutResponsesReturnsOK() async throws {
        transport.stub(.get, "/a")
        #expect(try await status(.get, "/a") == 200)
        #expect(try await status(.get, "/a") == 200)
    }

    @Test func theStubsThatHaveNotRespondedAreNamed() async throws {
        transport.stub(.get, "/a", .status(200), .status(503))
        transport.stub(.post, "/b", query: ["x": "1"], .status(200))
        transport.stub(nil, "/c")
        #expect(transport.unused == ["GET /a", "POST /b with query x", "any method /c"])
        _ = try await status(.get, "/a")
        _ = try await status(.delete, "/c")
        #expect(transport.unused == ["POST /b with query x"])
    }

    @Test func theLastStubThatMatchesWins() async throws {
        transport.stub(nil, "/**", .status(404))
        transport.stub(.get, "/users/*", .status(200))
        transport.stub(.get, "/users/7", .status(418))
        #expect(try await status(.get, "/users/7") == 418)
        #expect(try await status(.get, "/users/8") == 200)
        #expect(try await status(.post, "/users/7") == 404)
        transport.stub(.get, "/users/*", .status(204))
        #expect(try await status(.get, "/users/7") == 204)
    }

    @Test func eachStubHasItsOwnSequence() async throws {
        transport.stub(.get, "/a", .status(201), .status(202))
        transport.stub(.get, "/b", .status(203), .status(204))
        var codes: [Int] = []
        for path in ["/a", "/b", "/a", "/b"] { codes.append(try await status(.get, RequestPath(raw: path))) }
        #expect(codes == [201, 203, 202, 204])
    }

    @Test func theMethodHasToMatch() async throws {
        transport.stub(.post, "/a", .status(201))
        transport.stub("PURGE", "/a", .status(204))
        #expect(try await status(.post, "/a") == 201)
        #expect(try await status("PURGE", "/a") == 204)
        await #expect(throws: NetKitError.self) { try await status(.get, "/a") }
    }

    @Test func decodedQueryItemsHaveToMatchAmongOthers() async throws {
        transport.stub(.get, "/search", .status(200))
        transport.stub(.get, "/search", query: ["q": "a b&c", "page": "2"], .status(206))
        let items = [URLQueryItem(name: "q", value: "a b&c"), URLQueryItem(name: "x", value: "1")]
        #expect(try await status(.get, "/search", query: QueryBuilder(items)) == 200)
        let page = [URLQueryItem(name: "page", value: "1"), URLQueryItem(name: "page", value: "2")]
        #expect(try await status(.get, "/search", query: QueryBuilder(items + page)) == 206)
    }

    @Test func headersHaveToMatchIgnoringTheCaseOfNames() async throws {
        transport.stub(.get, "/a", .status(401))
        transport.stub(.get, "/a", headers: ["Authorization": "Bearer t"], .status(200))
        #expect(try await status(.get, "/a") == 401)
        #expect(try await status(.get, "/a", headers: ["authorization": "Bearer t"]) == 200)
        #expect(try await status(.get, "/a", headers: ["authorization": "bearer t"]) == 401)
    }

    @Test func theBodyHasToMatch() async throws {
        transport.stub(.post, "/a", .status(422))
        transport.stub(.post, "/a", body: { $0 == Data(#"{"name":"Ada"}"#.utf8) }, .status(201))
        #expect(try await status(.post, "/a", body: .json(["name": "Ada"])) == 201)
        #expect(try await status(.post, "/a", body: .json(["name": "Bob"])) == 422)
        #expect(try await status(.post, "/a") == 422)
    }

    /// A matcher is the user's code and may use the transport itself.
    @Test func aBodyMatcherCanUseTheTransport() async throws {
        let transport = transport
        transport.stub(.post, "/a", .status(201))
        transport.stub(.post, "/a", body: { _ in !transport.requests.isEmpty }, .status(409))
        #expect(try await status(.post, "/a") == 201)
        #expect(try await status(.post, "/a") == 409)
    }

    @Test func aHandlerRespondsWithoutAMatchingStub() async throws {
        let transport = MockTransport { request, _ in
            HTTPResponse(status: 418, headers: ["X-Path": request.url.path()])
        }
        transport.stub(.get, "/a", .status(200))
        let client = HTTPClient(baseURL: client.baseURL, transport: transport, interceptors: [])
        #expect(try await client.send(HTTPRequest(.get, "/a")).status == 200)
        let other = try await client.send(HTTPRequest(.get, "/b"))
        #expect(other.status == 418)
        #expect(other.headers["X-Path"] == "/v1/b")
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [(HTTPMethod.head, HTTPStatus.ok), (.get, .noContent), (.get, .notModified)])
    func someResponsesOfAHandlerHaveNoBody(method: HTTPMethod, status: HTTPStatus) async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: status, body: ResponseBody(Data("hello".utf8))) }
        let client = HTTPClient(baseURL: client.baseURL, transport: transport, interceptors: [])
        let response = try await client.send(HTTPRequest(method, "/a"))
        #expect(response.status == status)
        #expect(try await response.body.collect(upTo: 100) == Data())
    }

    @Test func aStubCanBeAddedWhileRequestsRun() async throws {
        transport.stub(.get, "/a", .status(503))
        #expect(try await status(.get, "/a") == 503)
        transport.stub(.get, "/a", .status(200))
        #expect(try await status(.get, "/a") == 200)
    }

    @Test func hasASummary() {
        #expect(transport.summary == "MockTransport")
    }

    @Test func aThousandConcurrentRequestsTakeOneResponseEach() async throws {
        transport.stub(.get, "/once", .status(201), .status(202), .status(200))
        let client = client
        let codes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 {
                group.addTask { try await client.send(HTTPRequest(.get, "/once")).status.code }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == 201 } == 1)
        #expect(codes.count { $0 == 202 } == 1)
        #expect(codes.count { $0 == 200 } == 998)
        #expect(transport.requests.count == 1000)
        #expect(Set(transport.requests.map(\.callID)).count == 1000)
    }

    @Test func anErrorOfAHandlerIsMappedLikeAStubsFailure() async throws {
        let transport = MockTransport { _, context in
            context.attempt.noteConnecting()
            throw URLError(.timedOut)
        }
        let client = HTTPClient(baseURL: client.baseURL, transport: transport, interceptors: [])
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/a")) }
        #expect(error?.code == .timeout)
        #expect(error?.outcome == .notSent)
        #expect((error?.cause as? URLError)?.code == .timedOut)
        #expect(error?.attempts == 1)
    }
}
