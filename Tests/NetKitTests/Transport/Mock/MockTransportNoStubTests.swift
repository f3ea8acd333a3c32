import Foundation
import NetKit
import Testing

/// Tests of the message for a request without a matching stub.
struct MockTransportNoStubTests {
    private let transport = MockTransport()

    private func message(_ request: HTTPRequest) async throws -> String {
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1"), transport: transport)
        let error = try #require(await #expect(throws: NetKitError.self) { try await client.send(request) })
        #expect(error.code == .noStub)
        #expect(error.outcome == .notSent)
        return error.message
    }

    @Test func saysThatThereAreNoStubs() async throws {
        #expect(
            try await message(HTTPRequest(.get, "/a?x=1"))
                == "No stub matches GET /v1/a?x=…: there are none. Call `stub` first."
        )
    }

    @Test func listsTheStubsWithTheirDifferences() async throws {
        transport.stub(.get, "/a", .status(200))
        transport.stub(nil, "/b/*", query: ["y": "1", "x": "2"], headers: ["X-B": "1", "X-A": "2"], .status(200))
        transport.stub(.put, "/c", body: { _ in false }, .status(200))
        #expect(
            try await message(HTTPRequest(.get, "/d"))
                == "No stub matches GET /v1/d. The nearest: GET /a (the path differs); "
                + "any method /b/* with query x, y with headers X-A, X-B (the path differs); "
                + "PUT /c with a body matcher (the path differs)."
        )
    }

    @Test func aDifferentPathIsFartherThanADifferentMethod() async throws {
        transport.stub(.get, "/b", .status(200))
        transport.stub(.post, "/a", .status(200))
        #expect(
            try await message(HTTPRequest(.get, "/a"))
                == "No stub matches GET /v1/a. The nearest: POST /a (the method is POST); GET /b (the path differs)."
        )
    }

    @Test func aPathWithTheSameMethodIsCloser() async throws {
        transport.stub(.post, "/b", .status(200))
        transport.stub(.get, "/c", .status(200))
        #expect(try await message(HTTPRequest(.get, "/a")).contains("The nearest: GET /c (the path differs);"))
    }

    /// Of paths that differ, the most similar one comes first, whatever their order.
    @Test(arguments: [
        ("/users/42", "/user/42"), ("/users/*", "/user/42"), ("/users/42", "/users/42/"),
        ("/users/**", "/user/42/posts/7"),
        ("https://api.example.com/v1/users/*", "/user/42"),
    ])
    func theMostSimilarPathIsTheNearest(_ pattern: String, _ path: String) async throws {
        for pattern in ["/down", "/reports/*", pattern, "/slow"] { transport.stub(.get, pattern, .status(200)) }
        let text = try await message(HTTPRequest(.get, RequestPath(raw: path)))
        #expect(text.contains("The nearest: GET \(pattern) (the path differs);"))
    }

    @Test func threeOfManyAreNamed() async throws {
        for name in ["a", "b", "c", "d", "e"] { transport.stub(.get, "/\(name)", .status(200)) }
        #expect(try await message(HTTPRequest(.get, "/x")).hasSuffix("GET /c (the path differs); 2 more."))
    }

    @Test func aQueryInThePathCounts() async throws {
        transport.stub(.get, "/items?limit=2&tag=a%20b", .status(200))
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1"), transport: transport)
        let request = HTTPRequest(.get, "/items", query: ["tag": "a b", "limit": 2, "page": 1])
        #expect(try await client.send(request).status == .ok)
        #expect(
            try await message(HTTPRequest(.get, "/items?limit=3&tag=a%20b")).contains(
                "GET /items?limit=2&tag=a%20b (the query item limit is not as wanted)"
            )
        )
        #expect(try await message(HTTPRequest(.get, "/items?limit=2")).contains("(the query item tag is missing)"))
    }

    @Test func aQueryItemIsCloserThanAMethod() async throws {
        transport.stub(.post, "/a", .status(200))
        transport.stub(.get, "/a", query: ["page": "2"], .status(200))
        #expect(
            try await message(HTTPRequest(.get, "/a?page=1"))
                .contains("The nearest: GET /a with query page (the query item page is not as wanted);")
        )
    }

    @Test func aHeaderIsNamedWithoutItsValue() async throws {
        transport.stub(.get, "/a", headers: ["Authorization": "Bearer secret"], .status(200))
        let message = try await message(HTTPRequest(.get, "/a", headers: ["Authorization": "Bearer hidden"]))
        #expect(message.contains("GET /a with headers Authorization (the header Authorization is not as wanted)."))
        #expect(!message.contains("secret"))
        #expect(!message.contains("hidden"))
    }

    @Test func aBodyIsTheClosestMismatch() async throws {
        transport.stub(.post, "/a", headers: ["X-A": "1"], .status(200))
        transport.stub(.post, "/a", body: { _ in false }, .status(200))
        #expect(
            try await message(HTTPRequest(.post, "/a", body: .text("x")))
                .contains("The nearest: POST /a with a body matcher (the body is not as wanted);")
        )
    }

    @Test func theRequestIsRecordedAnyway() async throws {
        _ = try await message(HTTPRequest(.get, "/a"))
        #expect(transport.requests.map { $0.url.path() } == ["/v1/a"])
    }
}
