import Foundation
import NetKit
import NetKitTesting
import Testing

struct EndpointMemberTests {
    private struct User: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    private struct Refusal: Decodable, Error, Equatable, Sendable { var reason: String }

    private struct Lines: EndpointResponse {
        static var accept: String? { "text/csv" }
        let lines: [String]

        init(reading response: HTTPResponse, settings: PayloadSettings) async throws {
            lines = try await response.body.text(upTo: settings.maxBufferedBytes).split(separator: "\n").map(
                String.init
            )
        }
    }

    /// A response that could be read as JSON, but is not.
    private struct Both: EndpointResponse, Decodable {
        let size: Int

        init(reading response: HTTPResponse, settings: PayloadSettings) async throws {
            size = try await response.body.collect(upTo: settings.maxBufferedBytes).count
        }
    }

    private struct FindBoth: APIRequest {
        typealias Response = Both
        var path: RequestPath { "/csv" }
    }

    private struct FindUsers: APIRequest {
        typealias Response = [User]
        var name: String
        var path: RequestPath { "/users" }
        var queryParameters: QueryBuilder { ["name": name] }
    }

    private struct Forget: APIRequest {
        typealias Response = Void
        var id: String
        var method: HTTPMethod { .delete }
        var path: RequestPath { "/users/\(id)" }
        var headers: HTTPHeaders { ["X-Why": "asked"] }
        var body: HTTPBody? { .json(["hard": true]) }
        var requiresAuth: Bool { false }
        var priority: TaskPriority { .high }
        var timeout: Duration? { .seconds(3) }
        var idempotencyKey: IdempotencyKey? { .value("once") }
    }

    private struct Whole: APIRequest {
        typealias Response = HTTPResponse
        var path: RequestPath { "/users" }
    }

    private let transport = MockTransport()

    private func client(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        change(&configuration)
        return HTTPClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
    }

    private func failure<Response: Sendable>(_ endpoint: Endpoint<Response>) async -> NetKitError? {
        await #expect(throws: NetKitError.self) { _ = try await client().send(endpoint) }
    }

    @Test func theInitializerSetsEveryMember() async throws {
        transport.stub(.post, "/v1/users", .json(User(id: 1, name: "Ada"), status: 201))
        let endpoint = Endpoint<User>(
            path: "/users",
            method: .post,
            query: ["notify": true],
            headers: ["X-A": "1"],
            body: .json(["name": "Ada"]),
            requiresAuth: false,
            timeout: .seconds(3),
            priority: .high,
            idempotencyKey: .value("k"),
            acceptedStatuses: [201]
        )
        #expect(try await client().send(endpoint) == User(id: 1, name: "Ada"))
        #expect(transport.requests.map(\.url.absoluteString) == ["https://api.example.com/v1/users?notify=true"])
        #expect(transport.requests.first?.headers["Idempotency-Key"] == "k")
        #expect(!endpoint.requiresAuth)
        let items = [URLQueryItem(name: "q", value: "a b")]
        #expect(Endpoint<Void>(path: "/x", queryItems: items).request.url.absoluteString == "/x?q=a%20b")
        let cached = Endpoint<User>(
            path: "/x",
            method: .get,
            headers: ["X-A": "1"],
            queryItems: items,
            body: nil,
            cachePolicy: .cacheFirst.lasting(.seconds(60))
        )
        #expect(cached.cachePolicy?.ttl == .seconds(60))
        #expect(cached.request.url.absoluteString == "/x?q=a%20b")
        let both = Endpoint<HTTPResponse>(path: "/x", query: ["p": 1], queryItems: items)
        #expect(both.request.url.absoluteString == "/x?p=1&q=a%20b")
        #expect(Endpoint<HTTPResponse>(path: "/x", method: .head).request.method == .head)
    }

    private struct Feature: CallTag, Equatable { var name: String }

    /// Every member differs from its default, so one that the initializer lacks is noticed.
    @Test func theInitializerTakesEveryMember() {
        var tags = CallTags()
        tags[Feature.self] = Feature(name: "a")
        let endpoint = Endpoint<User>(
            path: "/users",
            method: .post,
            query: ["notify": true],
            headers: ["X-A": "1"],
            body: .text("a"),
            requiresAuth: false,
            timeout: .seconds(3),
            priority: .high,
            idempotencyKey: .value("k"),
            cachePolicy: .cacheFirst,
            retry: RetryPolicy(maxAttempts: 7),
            acceptedStatuses: [201],
            json: .snakeCase,
            errorBody: Refusal.self,
            tags: tags
        )
        let members = Mirror(reflecting: endpoint).children
        let defaults = Mirror(reflecting: Endpoint<User>(path: "/")).children
        for (member, other) in zip(members, defaults) where member.label != "reader" {
            #expect("\(member.value)" != "\(other.value)", "the initializer lacks \(member.label ?? "")")
        }
        #expect(members.count > 12)
        #expect(endpoint.retry.maxAttempts == 7)
        #expect(endpoint.tags[Feature.self] == Feature(name: "a"))
    }

    @Test func eachInitializerTakesARetryPolicy() {
        let retry = RetryPolicy(maxAttempts: 7)
        #expect(Endpoint<Void>(path: "/", retry: retry).retry.maxAttempts == 7)
        #expect(Endpoint<HTTPResponse>(path: "/", retry: retry).retry.maxAttempts == 7)
        #expect(Endpoint<Lines>(path: "/", retry: retry).retry.maxAttempts == 7)
        #expect(Endpoint<User>(path: "/").retry.maxAttempts == RetryPolicy.standard.maxAttempts)
    }

    @Test func queriesAreItemsOrBuilders() throws {
        let items = [URLQueryItem(name: "a", value: "1")]
        #expect(Endpoint<User>.get("/x", query: QueryBuilder(items)).request.url.query == "a=1")
        #expect(Endpoint<User>.get("/x", query: ["a": 1, "b": nil, "c": [1, 2]]).request.url.query == "a=1&c=1&c=2")
        #expect(Endpoint<Void>.post("/x", query: [URLQueryItem(name: "a", value: "1")]).request.url.query == "a=1")
        #expect(HTTPRequest(.get, "/x", query: QueryBuilder(items)).url.query == "a=1")
        #expect(HTTPRequest(.get, "/x", query: ["a": "b c"]).url.absoluteString == "/x?a=b%20c")
    }

    @Test(arguments: [("", HTTPStatus.ok), ("", 204), ("null", .ok)])
    func anOptionalIsNilWithoutABody(_ body: String, _ status: HTTPStatus) async throws {
        transport.stub(.get, "/v1/user", .data(Data(body.utf8), status: status))
        let user: User? = try await client().send(.get("/user"))
        #expect(user == nil)
    }

    @Test func anOptionalIsItsValueWithABody() async throws {
        transport.stub(.get, "/v1/user", .json(User(id: 1, name: "Ada")))
        transport.stub(.get, "/v1/text", .text(#""a""#))
        transport.stub(.get, "/v1/empty", .status(200))
        transport.stub(.get, "/v1/bad", .text("{"))
        let client = client()
        #expect(try await client.send(Endpoint<User?>.get("/user")) == User(id: 1, name: "Ada"))
        #expect(try await client.send(Endpoint<String?>.get("/text")) == "a")
        #expect(try await client.send(Endpoint<String?>.get("/empty")) == nil)
        #expect(try await client.send(Endpoint<Data?>.get("/empty")) == nil)
        #expect(try await client.send(Endpoint<[User]?>.get("/empty")) == nil)
        let error = await #expect(throws: NetKitError.self) { try await client.send(Endpoint<User?>.get("/bad")) }
        #expect(error?.code == .decoding)
    }

    @Test func textIsInTheCharsetTheServerNames() async throws {
        let latin = Data([0x63, 0x61, 0x66, 0xE9])
        transport.stub(.get, "/v1/a", .data(latin, contentType: "text/plain; charset=ISO-8859-1"))
        transport.stub(.get, "/v1/b", .data(Data("café".utf8), contentType: "text/plain"))
        #expect(try await client().send(Endpoint<String>.get("/a")) == "café")
        #expect(try await client().send(Endpoint<String>.get("/b")) == "café")
    }

    @Test func acceptedStatusesAreTheEndpointsOwn() async throws {
        transport.stub(.get, "/v1/user", .json(User(id: 1, name: "Ada"), status: 404))
        var endpoint = Endpoint<User>.get("/user")
        #expect(await failure(endpoint)?.status == 404)
        endpoint.acceptedStatuses = .successful.adding(404)
        #expect(try await client().send(endpoint).id == 1)
        endpoint.acceptedStatuses = [200]
        #expect(await failure(endpoint)?.status == 404)
        endpoint.acceptedStatuses = .any
        #expect(try await client().send(endpoint).id == 1)
    }

    @Test func itsCoderWritesAndReads() async throws {
        struct Note: Codable, Sendable, Equatable { var noteText: String }
        transport.stub(.put, "/v1/note", .data(Data(#"{"note_text":"b"}"#.utf8)))
        var endpoint = Endpoint<Note>.put("/note", json: Note(noteText: "a"))
        endpoint.json = .snakeCase
        #expect(try await client().send(endpoint) == Note(noteText: "b"))
        #expect(transport.requests.map(\.bodyText) == [#"{"note_text":"a"}"#])
    }

    @Test func mapKeepsEverythingElse() async throws {
        transport.stub(.get, "/v1/user", .json(User(id: 1, name: "Ada"), status: 404))
        var endpoint = Endpoint<User>.get("/user")
        endpoint.acceptedStatuses = [404]
        endpoint.timeout = .seconds(3)
        endpoint.requiresAuth = false
        let mapped = endpoint.map { $0.name.uppercased() }
        #expect(mapped.timeout == .seconds(3))
        #expect(!mapped.requiresAuth)
        #expect(mapped.request.headers["Accept"] == "application/json")
        #expect(try await client().send(mapped) == "ADA")
        let failing = endpoint.map { user -> Int in throw Refusal(reason: user.name) }
        let error = await #expect(throws: NetKitError.self) { try await client().send(failing) }
        #expect(error?.code == .custom)
        #expect(error?.cause as? Refusal == Refusal(reason: "Ada"))
        #expect(error?.requestLine == "GET https://api.example.com/v1/user")
    }

    @Test func aCustomTypeReadsTheResponse() async throws {
        transport.stub(.get, "/v1/csv", .text("a\nb"))
        #expect(try await client().send(Endpoint<Lines>.get("/csv")).lines == ["a", "b"])
        #expect(transport.requests.first?.headers["Accept"] == "text/csv")
        #expect(try await client().send(Endpoint<Both>.get("/csv")).size == 3)
        #expect(try await client().send(Endpoint<Both>(path: "/csv")).size == 3)
        #expect(try await client().send(FindBoth()).size == 3)
        let counted = Endpoint(path: "/csv", reader: ResponseReader { response, _ in response.body.length ?? -1 })
        #expect(try await client().send(counted) == 3)
    }

    @Test func anotherBaseIsForOneCall() async throws {
        transport.stub(.get, "/**", .json(User(id: 1, name: "Ada")))
        let endpoint = Endpoint<User>.get("/user", query: ["q": 1])
        let other = try #require(URL(string: "https://other.example.com/v2/"))
        _ = try await client().send(endpoint, baseURL: other)
        _ = try await client().send(endpoint)
        #expect(
            transport.requests.map(\.url.absoluteString) == [
                "https://other.example.com/v2/user?q=1", "https://api.example.com/v1/user?q=1",
            ]
        )
        let file = try #require(URL(string: "ftp://other.example.com"))
        let error = await #expect(throws: NetKitError.self) { try await client().send(endpoint, baseURL: file) }
        #expect(error?.code == .invalidURL)
    }

    @Test func aRequestTypeIsAnEndpoint() async throws {
        transport.stub(.get, "/v1/users", .json([User(id: 1, name: "Ada")]))
        transport.stub(.delete, "/v1/users/*", .status(204))
        let users = try await client().send(FindUsers(name: "A da"))
        #expect(users == [User(id: 1, name: "Ada")])
        try await client().send(Forget(id: "a/b"))
        let response = try await client().send(Whole())
        #expect(response.status == .ok)
        let endpoint = Forget(id: "x").endpoint
        #expect(endpoint.priority == .high)
        #expect(endpoint.timeout == .seconds(3))
        #expect(!endpoint.requiresAuth)
        #expect(
            transport.requests.map { "\($0.method) \($0.url.absoluteString) \($0.bodyText)" } == [
                "GET https://api.example.com/v1/users?name=A%20da ",
                #"DELETE https://api.example.com/v1/users/a%2Fb {"hard":true}"#,
                "GET https://api.example.com/v1/users ",
            ]
        )
        #expect(transport.requests[1].headers["Idempotency-Key"] == "once")
    }

    @Test func itsCachePolicyTravelsAlong() async throws {
        let seen = Locked<[CachePolicy?]>([])
        let transport = MockTransport { _, context in
            seen.withLock { $0.append(context.cachePolicy) }
            return HTTPResponse(status: 200)
        }
        let client = HTTPClient(baseURL: URL(string: "https://a.example"), transport: transport)
        var endpoint = Endpoint<Void>.get("/x")
        try await client.send(endpoint)
        endpoint.cachePolicy = .networkFirst
        try await client.send(endpoint)
        try await client.send(endpoint, options: CallOptions(cachePolicy: .noCache))
        #expect(seen.withLock { $0 } == [nil, .networkFirst, .noCache])
    }

    @Test func itsTagsTravelAlong() async throws {
        struct Feature: CallTag, Equatable { var name: String }
        let seen = Locked<[String?]>([])
        let transport = MockTransport { _, context in
            seen.withLock { $0.append(context.tags[Feature.self]?.name) }
            return HTTPResponse(status: 200)
        }
        let client = HTTPClient(baseURL: URL(string: "https://a.example"), transport: transport)
        var endpoint = Endpoint<Void>.get("/x")
        endpoint.tags[Feature.self] = Feature(name: "endpoint")
        try await client.send(endpoint)
        var options = CallOptions()
        options.tags[Feature.self] = Feature(name: "options")
        try await client.send(endpoint, options: options)
        #expect(seen.withLock { $0 } == ["endpoint", "options"])
    }
}
