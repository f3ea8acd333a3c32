import Foundation
import NetKit
import Testing

struct APIProblemTests {
    private struct Refusal: Decodable, Error, Equatable, Sendable { var reason: String }
    private struct Other: Decodable, Equatable { var reason: String }

    private static let text = """
        {"type":"https://example.com/probs/out-of-credit","title":"You do not have enough credit.","status":403,
        "detail":"Your balance is 30.","instance":"/account/12345/msgs/abc","balance":30,"accounts":["/a/1"]}
        """

    private let transport = MockTransport()

    private func client(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        change(&configuration)
        return HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
    }

    private func failure<Response: Sendable>(_ client: HTTPClient, _ endpoint: Endpoint<Response>) async throws
        -> NetKitError
    {
        try #require(await #expect(throws: NetKitError.self) { _ = try await client.send(endpoint) })
    }

    private func stub(_ text: String, _ type: String, _ status: HTTPStatus = 403) {
        transport.stub(.get, "/a", .data(Data(text.utf8), status: status, contentType: type))
    }

    /// For any type that the endpoint expects.
    @Test func isDecodedForEveryEndpoint() async throws {
        stub(Self.text, "application/problem+json; charset=utf-8")
        let client = client()
        let errors = [
            try await failure(client, Endpoint<Void>.get("/a")), try await failure(client, Endpoint<[Int]>.get("/a")),
            try await failure(client, Endpoint<Data>.get("/a")),
            try await failure(client, Endpoint<HTTPResponse>.get("/a")),
            try await failure(client, Endpoint<DynamicResponse>.get("/a")),
        ]
        for error in errors {
            let problem = try #require(error.problem)
            #expect(problem.type == "https://example.com/probs/out-of-credit")
            #expect(problem.title == "You do not have enough credit.")
            #expect(problem.status == 403)
            #expect(problem.detail == "Your balance is 30.")
            #expect(problem.instance == "/account/12345/msgs/abc")
            #expect(problem["balance"]?.int == 30)
            #expect(problem["accounts"] == ["/a/1"])
            #expect(problem.extensions.count == 2)
            #expect(
                error.message
                    == "The server responded with 403 Forbidden: You do not have enough credit. – Your balance is 30."
            )
            #expect(!error.description.contains("/account"))
        }
    }

    @Test(arguments: ["application/json", "text/html", "application/problem+xml"])
    func anotherContentTypeIsNoProblem(_ type: String) async throws {
        stub(Self.text, type)
        let error = try await failure(client(), Endpoint<Void>.get("/a"))
        #expect(error.problem == nil)
        #expect(error.body(as: APIProblem.self)?.status == 403)
    }

    @Test(arguments: ["", "[]", "\"x\"", "{", "<problem/>"])
    func invalidTextIsNil(_ text: String) async throws {
        stub(text, "application/problem+json")
        #expect(try await failure(client(), Endpoint<Void>.get("/a")).problem == nil)
    }

    @Test func membersOfTheWrongTypeAreLeftOut() throws {
        let text = #"{"type":7,"title":[],"status":"403","detail":null,"instance":{},"x":null}"#
        let problem = try JSONDecoder().decode(APIProblem.self, from: Data(text.utf8))
        #expect(problem == APIProblem(extensions: ["x": nil]))
        #expect(try JSONDecoder().decode(APIProblem.self, from: Data(#"{"status":40000}"#.utf8)).status == nil)
    }

    @Test func comesBackAsItWasWritten() throws {
        let problem = APIProblem(type: "a", title: "b", status: 400, detail: "c", instance: "d", extensions: ["e": [1]])
        #expect(try JSONDecoder().decode(APIProblem.self, from: JSONEncoder().encode(problem)) == problem)
    }

    @Test func theClientOrTheEndpointNamesItsErrorBody() async throws {
        stub(#"{"reason":"no"}"#, "application/json")
        let named = client { $0.errorBody = Refusal.self }
        let error = try await failure(named, Endpoint<Void>.get("/a"))
        #expect(error.body(as: Refusal.self) == Refusal(reason: "no"))
        #expect(error.cause as? Refusal == Refusal(reason: "no"))
        var endpoint = Endpoint<Void>.get("/a")
        endpoint.errorBody = Refusal.self
        #expect(try await failure(client(), endpoint).cause as? Refusal == Refusal(reason: "no"))
        let plain = try await failure(client(), Endpoint<Void>.get("/a"))
        #expect(plain.cause == nil)
        #expect(plain.body(as: Other.self) == Other(reason: "no"))
        #expect(plain.body(as: [Int].self) == nil)
        #expect(plain.response?.excerpt(upTo: 5) == #"{"rea…"#)
    }

    @Test func itsBodyIsReadByTheCoderOfTheCall() async throws {
        struct Snake: Decodable, Equatable, Sendable { var errorCode: Int }
        stub(#"{"error_code":7}"#, "application/json")
        var endpoint = Endpoint<Void>.get("/a")
        endpoint.json = .snakeCase
        #expect(try await failure(client(), endpoint).body(as: Snake.self) == Snake(errorCode: 7))
        #expect(try await failure(client(), Endpoint<Void>.get("/a")).body(as: Snake.self) == nil)
        endpoint.errorBody = Snake.self
        #expect(try await failure(client(), endpoint).body() == Snake(errorCode: 7))
    }
}
