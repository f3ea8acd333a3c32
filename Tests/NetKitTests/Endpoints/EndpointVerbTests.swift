import Foundation
import NetKit
import Testing

/// Tests of each verb for each kind of result: the request, and the result.
struct EndpointVerbTests {
    private struct Item: Codable, Equatable, Sendable {
        var name: String
    }

    private let transport = MockTransport()
    private let client: HTTPClient
    private let query: QueryBuilder = ["q": "1"]
    private let headers: HTTPHeaders = ["X-A": "1"]
    private let ada = Item(name: "Ada")

    init() {
        client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport)
        transport.stub(nil, "/x", query: ["q": "1"], headers: ["X-A": "1"], .json(Item(name: "Bob")))
    }

    /// Method, body, media type and accepted type of the last request.
    private func sent() throws -> [String?] {
        let request = try #require(transport.requests.last)
        let headers = request.headers
        return [request.method.rawValue, request.bodyText, headers["Content-Type"], headers["Accept"]]
    }

    private static let json = #"{"name":"Ada"}"#
    private static let media = "application/json"
    private static let plain = "text/plain; charset=utf-8"

    @Test func verbsThatGiveADecodedValue() async throws {
        let endpoints: [(Endpoint<Item>, [String?])] = [
            (.get("/x", query: query, headers: headers), ["GET", "", nil, Self.media]),
            (.delete("/x", query: query, headers: headers), ["DELETE", "", nil, Self.media]),
            (.post("/x", query: query, headers: headers), ["POST", "", nil, Self.media]),
            (.post("/x", query: query, headers: headers, body: .text("b")), ["POST", "b", Self.plain, Self.media]),
            (.post("/x", query: query, headers: headers, json: ada), ["POST", Self.json, Self.media, Self.media]),
            (.put("/x", query: query, headers: headers, body: .text("b")), ["PUT", "b", Self.plain, Self.media]),
            (.put("/x", query: query, headers: headers, json: ada), ["PUT", Self.json, Self.media, Self.media]),
            (.patch("/x", query: query, headers: headers, body: .text("b")), ["PATCH", "b", Self.plain, Self.media]),
            (.patch("/x", query: query, headers: headers, json: ada), ["PATCH", Self.json, Self.media, Self.media]),
        ]
        for (endpoint, expected) in endpoints {
            #expect(try await client.send(endpoint) == Item(name: "Bob"))
            #expect(try sent() == expected)
        }
    }

    @Test func verbsThatGiveNothing() async throws {
        let endpoints: [(Endpoint<Void>, [String?])] = [
            (.get("/x", query: query, headers: headers), ["GET", "", nil, nil]),
            (.head("/x", query: query, headers: headers), ["HEAD", "", nil, nil]),
            (.delete("/x", query: query, headers: headers), ["DELETE", "", nil, nil]),
            (.post("/x", query: query, headers: headers, body: .text("b")), ["POST", "b", Self.plain, nil]),
            (.post("/x", query: query, headers: headers, json: ada), ["POST", Self.json, Self.media, nil]),
            (.put("/x", query: query, headers: headers, body: .text("b")), ["PUT", "b", Self.plain, nil]),
            (.put("/x", query: query, headers: headers, json: ada), ["PUT", Self.json, Self.media, nil]),
            (.patch("/x", query: query, headers: headers, body: .text("b")), ["PATCH", "b", Self.plain, nil]),
            (.patch("/x", query: query, headers: headers, json: ada), ["PATCH", Self.json, Self.media, nil]),
        ]
        for (endpoint, expected) in endpoints {
            try await client.send(endpoint)
            #expect(try sent() == expected)
        }
    }

    @Test func verbsThatGiveTheResponseAsItIs() async throws {
        let endpoints: [(Endpoint<HTTPResponse>, [String?])] = [
            (.get("/x", query: query, headers: headers), ["GET", "", nil, nil]),
            (.head("/x", query: query, headers: headers), ["HEAD", "", nil, nil]),
            (.delete("/x", query: query, headers: headers), ["DELETE", "", nil, nil]),
            (.post("/x", query: query, headers: headers, body: .text("b")), ["POST", "b", Self.plain, nil]),
            (.post("/x", query: query, headers: headers, json: ada), ["POST", Self.json, Self.media, nil]),
            (.put("/x", query: query, headers: headers, body: .text("b")), ["PUT", "b", Self.plain, nil]),
            (.put("/x", query: query, headers: headers, json: ada), ["PUT", Self.json, Self.media, nil]),
            (.patch("/x", query: query, headers: headers, body: .text("b")), ["PATCH", "b", Self.plain, nil]),
            (.patch("/x", query: query, headers: headers, json: ada), ["PATCH", Self.json, Self.media, nil]),
        ]
        for (endpoint, expected) in endpoints {
            let response = try await client.send(endpoint)
            #expect(response.headers["Content-Type"] == "application/json")
            let body = expected.first == "HEAD" ? "" : #"{"name":"Bob"}"#
            #expect(response.body.buffered == Data(body.utf8))
            #expect(try sent() == expected)
        }
    }

    @Test func dataAndTextAreTheBodyItself() async throws {
        let data: Data = try await client.send(.get("/x", query: query, headers: headers))
        #expect(data == Data(#"{"name":"Bob"}"#.utf8))
        #expect(try sent() == ["GET", "", nil, nil])
        let text: String = try await client.send(.post("/x", query: query, headers: headers, json: ada))
        #expect(text == #"{"name":"Bob"}"#)
        #expect(try sent() == ["POST", Self.json, Self.media, nil])
    }

    @Test func anOptionalValueIsJSONLikeAnyOther() async throws {
        transport.stub(.get, "/null", .data(Data("null".utf8)))
        transport.stub(.get, "/text", .data(Data(#""a""#.utf8)))
        transport.stub(.get, "/data", .data(Data(#""AQI=""#.utf8)))
        let none: String? = try await client.send(.get("/null"))
        #expect(none == nil)
        let text: String? = try await client.send(.get("/text"))
        #expect(text == "a")
        let data: Data? = try await client.send(.get("/data"))
        #expect(data == Data([1, 2]))
    }

    @Test func aResultWithoutUseIsNothing() async throws {
        let nothing: Void = try await client.send(.delete("/x", query: query, headers: headers))
        #expect(nothing == ())
        #expect(transport.requests.map(\.method) == [.delete])
    }

    @Test func aCallWithoutAUsedResultReturnsNothing() async throws {
        let transport = MockTransport()
        transport.stub(.delete, "/users/42", .status(204))
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport)
        try await client.send(.delete("/users/42"))
        #expect(try await client.send(.delete("/users/42")).status == .noContent)
        #expect(transport.requests.count == 2)
    }
}
