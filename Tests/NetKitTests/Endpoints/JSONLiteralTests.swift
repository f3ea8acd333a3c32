import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of literals of JSON whose values differ in type, wherever a value is encoded.
struct JSONLiteralTests {
    private struct Item: Codable, Equatable, Sendable { var id: Int }

    private struct Size: EndpointResponse {
        let size: Int

        init(reading response: HTTPResponse, settings: PayloadSettings) async throws {
            size = try await response.body.collect(upTo: settings.maxBufferedBytes).count
        }
    }

    private static let expected: JSONValue = .object(["name": .string("Ada"), "age": .integer(36)])

    private let transport = MockTransport()

    private var client: HTTPClient { HTTPClient(baseURL: exampleBase, transport: transport, interceptors: []) }

    private func bodies() throws -> [JSONValue] { try transport.requests.map { try $0.json(JSONValue.self) } }

    @Test func verbsTakeThem() async throws {
        transport.stub(nil, "/items", .json(["id": 7, "name": "Ada"]))
        try await client.post("/items", json: ["name": "Ada", "age": 36])
        try await client.put("/items", json: ["name": "Ada", "age": 36])
        try await client.patch("/items", json: ["name": "Ada", "age": 36])
        #expect(try await client.post("/items", json: ["name": "Ada", "age": 36], as: Item.self).id == 7)
        #expect(try await client.put("/items", json: ["name": "Ada", "age": 36], as: Item.self).id == 7)
        #expect(try await client.patch("/items", json: ["name": "Ada", "age": 36], as: Item.self).id == 7)
        let methods: [HTTPMethod] = [.post, .put, .patch]
        #expect(transport.requests.map(\.method) == methods + methods)
        #expect(try bodies().allSatisfy { $0 == Self.expected })
    }

    @Test func endpointsOfEachKindTakeThem() async throws {
        transport.stub(nil, "/items", .data(Data(#"{"id":7}"#.utf8)))
        let items: [Endpoint<Item>] = [
            .post("/items", json: ["name": "Ada", "age": 36]), .put("/items", json: ["name": "Ada", "age": 36]),
            .patch("/items", json: ["name": "Ada", "age": 36]),
        ]
        let nothings: [Endpoint<Void>] = [
            .post("/items", json: ["name": "Ada", "age": 36]), .put("/items", json: ["name": "Ada", "age": 36]),
            .patch("/items", json: ["name": "Ada", "age": 36]),
        ]
        let responses: [Endpoint<HTTPResponse>] = [
            .post("/items", json: ["name": "Ada", "age": 36]), .put("/items", json: ["name": "Ada", "age": 36]),
            .patch("/items", json: ["name": "Ada", "age": 36]),
        ]
        let sizes: [Endpoint<Size>] = [
            .post("/items", json: ["name": "Ada", "age": 36]), .put("/items", json: ["name": "Ada", "age": 36]),
            .patch("/items", json: ["name": "Ada", "age": 36]),
        ]
        for item in items { #expect(try await client.send(item).id == 7) }
        for nothing in nothings { try await client.send(nothing) }
        for response in responses { #expect(try await client.send(response).status == .ok) }
        for size in sizes { #expect(try await client.send(size).size == 8) }
        // Without a type, the result is `Void`.
        try await client.send(.post("/items", json: ["name": "Ada", "age": 36]))
        let methods: [HTTPMethod] = [.post, .put, .patch]
        #expect(transport.requests.map(\.method) == methods + methods + methods + methods + [.post])
        #expect(try bodies().allSatisfy { $0 == Self.expected })
    }

    @Test func bodiesAndFormsTakeThem() async throws {
        transport.stub(nil, "/items", .status(201))
        try await client.post("/items", body: .json(["name": "Ada", "age": 36]))
        #expect(try bodies() == [Self.expected])
        #expect(transport.requests.first?.headers["Content-Type"] == "application/json")
        try await client.post("/items", multipart: MultipartForm { $0.json("data", ["a": 1, "b": nil]) })
        #expect(transport.requests.last?.bodyText.contains("null") == true)
    }

    @Test func stubsGiveThem() async throws {
        transport.stub(.get, "/items", .json(["code": 17, "text": "no", "tags": ["a", nil, true]], status: 404))
        let response = try await client.send(HTTPRequest(.get, "/items"))
        #expect(response.status == .notFound)
        #expect(response.headers["Content-Type"] == "application/json")
        let value: JSONValue = try await response.json()
        #expect(value["tags"] == ["a", nil, true])
    }

    @Test func aServerReplyTakesALiteral() {
        let reply = ServerReply.json(["code": 17, "text": "no"], status: 404)
        let request = ServerRequest(.get, target: "/", headers: [:], body: Data())
        let sent = reply.script(for: request).map { step in
            if case .send(let data) = step { String(decoding: data, as: UTF8.self) } else { "" }
        }
        #expect(sent.joined().contains(#""code":17"#))
    }

    @Test func nilIsNoBodyAndNullIsOne() async throws {
        transport.stub(nil, "/items", .status(201))
        let (none, null): (JSONValue?, JSONValue?) = (nil, .null)
        try await client.post("/items", json: nil)
        try await client.put("/items", json: none)
        try await client.send(.patch("/items", json: nil))
        #expect(transport.requests.map(\.bodyText) == ["", "", ""])
        #expect(transport.requests.allSatisfy { $0.headers["Content-Type"] == nil })
        try await client.post("/items", json: .null)
        try await client.put("/items", json: null)
        try await client.send(.patch("/items", json: .null))
        #expect(transport.requests.suffix(3).map(\.bodyText) == ["null", "null", "null"])
    }

    @Test func emptyAndPlainLiteralsAreJSON() async throws {
        transport.stub(nil, "/items", .status(201))
        try await client.post("/items", json: [:])
        try await client.post("/items", json: [])
        try await client.post("/items", json: [1, "a", nil])
        try await client.post("/items", json: "a")
        try await client.post("/items", json: true)
        #expect(transport.requests.map(\.bodyText) == ["{}", "[]", #"[1,"a",null]"#, #""a""#, "true"])
    }

    /// A value of a type of its own, and a dictionary of values of one type, are encoded as before.
    @Test func otherValuesKeepTheirTypes() async throws {
        transport.stub(nil, "/items", .status(201))
        let value: JSONValue = ["id": 8]
        try await client.post("/items", json: Item(id: 7))
        try await client.post("/items", json: ["id": 7])
        try await client.post("/items", json: value)
        try await client.post("/items", json: [1, 2])
        #expect(transport.requests.map(\.bodyText) == [#"{"id":7}"#, #"{"id":7}"#, #"{"id":8}"#, "[1,2]"])
    }
}
