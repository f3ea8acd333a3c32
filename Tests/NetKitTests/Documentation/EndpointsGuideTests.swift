import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// The examples of the page on endpoints, compiled and run.
@Suite(.needsTheMachine)
struct EndpointsGuideTests {
    private let transport = MockTransport()
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    private var client: HTTPClient { HTTPClient(baseURL: exampleBase, transport: transport, interceptors: []) }

    private struct Filter: Encodable {
        struct Range: Encodable { var from: Int }

        var name: String
        var range: Range
    }

    @Test func endpointsAreSent() async throws {
        transport.stub(.get, "/v1/people/42", .json(Person(id: 42, name: "Ada")))
        transport.stub(.post, "/v1/people", .json(Person(id: 43, name: "Ada"), status: 201))
        transport.stub(.delete, "/v1/people/42", .status(204))
        transport.stub(.get, "/v1/people/current", .status(204))
        // GUIDE: begin
        let person = try await client.send(.person("42"))
        let created = try await client.send(.create(NewPerson(name: "Ada")))
        let nothing: Void = try await client.send(.delete("/people/42"))
        let current: Person? = try await client.send(.get("/people/current"))  // nil for 204 or an empty body
        // GUIDE: end
        #expect(person.id == 42 && created.id == 43 && current == nil)
        #expect(nothing == ())
    }

    @Test func callsFitOnALine() async throws {
        transport.stub(.get, "/v1/people/42", .json(Person(id: 42, name: "Ada")))
        transport.stub(.post, "/v1/people", .json(Person(id: 43, name: "Ada"), status: 201))
        transport.stub(.post, "/v1/login", .status(204))
        transport.stub(.get, "/v1/people/7", .status(404))
        // GUIDE: begin
        let person = try await client.get("/people/42", as: Person.self)
        let created: Person = try await client.post("/people", json: NewPerson(name: "Ada"))
        let response = try await client.get("/people/42")  // the response, if no type is named
        let same: Person = try await response.json()
        try await client.post("/login", form: ["user": "ada"])
        let other = try await client.get("/people/7", as: Person.self, nilFor: .notFound, timeout: .seconds(2))
        // GUIDE: end
        #expect(other == nil)
        #expect(person.id == 42 && created.id == 43 && same.id == 42)
        #expect(transport.requests.dropLast().last?.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func aCallReturnsMoreThanItsValue() async throws {
        transport.stub(.get, "/v1/people/42", .json(Person(id: 42, name: "Ada")))
        transport.stub(.get, "/v1/people/7", .status(404))
        enum Lookup: Equatable, Sendable {
            case found(Person)
            case missing
        }
        // GUIDE: begin
        let (person, response) = try await client.send(.person("42"))
        let missing = try await client.send(.person("7"), nilFor: .notFound)
        let lookup = try await client.send(
            .get("/people/7"),
            cases: [.status(200, Lookup.found), .status(404, .missing)]
        )
        let quick = try await client.send(.person("42"), timeout: .seconds(2))
        // GUIDE: end
        #expect(person.id == 42 && quick.id == 42 && response.status == .ok)
        #expect(missing == nil && lookup == .missing)
    }

    @Test func everyMemberCanBeSet() async throws {
        // GUIDE: begin
        let endpoint = Endpoint<Person>(
            path: "/people/42",
            method: .patch,
            query: ["notify": true],
            headers: ["If-Match": "\"7\""],
            body: .json(["name": "Grace"]),
            timeout: .seconds(3),
            idempotencyKey: .automatic,
            retry: RetryPolicy(maxAttempts: 5),
            acceptedStatuses: .successful.adding(304)
        )
        // GUIDE: end
        transport.stub(.patch, "/v1/people/42", .json(Person(id: 42, name: "Grace")))
        #expect(try await client.send(endpoint).name == "Grace")
        transport.stub(.get, "/v1/people", .json([Person(id: 1, name: "Ada")]))
        #expect(try await client.send(FindPeople(name: "Ada")).count == 1)
        #expect(transport.requests.last?.url.query == "name=Ada")
    }

    /// The table of bases and paths.
    @Test(arguments: [
        ("https://api.com", "/v1", "https://api.com/v1"), ("https://api.com/v1/", "users", "https://api.com/v1/users"),
        ("https://api.com/v1", "//users/", "https://api.com/v1/users/"),
        ("https://api.com/v1/", "", "https://api.com/v1/"),
        ("https://api.com/v1?key=1", "/users?page=2", "https://api.com/v1/users?key=1&page=2"),
    ])
    func basesAndPathsAreJoined(_ base: String, _ path: String, _ joined: String) async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: 200) }
        let client = HTTPClient(baseURL: URL(string: base), transport: transport, interceptors: [])
        _ = try await client.send(HTTPRequest(.get, RequestPath(raw: path)))
        #expect(transport.requests.map(\.url.absoluteString) == [joined])
        let shown = "| `\(base)` | \(path.isEmpty ? "" : "`\(path)` ")| `\(joined)` |"
        #expect(try GuidePage("Endpoints").text.contains(shown))
    }

    @Test func valuesAreInterpolated() async throws {
        transport.stub(.get, "/v1/people/42", .json(Person(id: 42, name: "Ada")))
        transport.stub(.get, "/v1/people?after=42", .json([Person(id: 43, name: "Grace")]))
        let (id, link) = ("42", "/people?after=42")
        // GUIDE: begin
        let person: Person = try await client.get("/people/\(id)")  // not "/people/" + id
        let next: [Person] = try await client.get("\(raw: link)")  // a whole path
        // GUIDE: end
        #expect(person.id == 42 && next.map(\.id) == [43])
    }

    @Test func jsonIsALiteral() async throws {
        transport.stub(.post, "/v1/people", .status(201))
        let (name, age) = ("Ada", 36)
        // GUIDE: begin
        try await client.post("/people", json: ["name": "Ada", "age": 36, "tags": ["new", nil]])
        try await client.post("/people", json: ["name": .string(name), "age": .integer(age), "isNew": true])
        // GUIDE: end
        let bodies = try transport.requests.map { try $0.json(JSONValue.self) }
        #expect(
            bodies == [
                ["name": "Ada", "age": 36, "tags": ["new", nil]], ["name": "Ada", "age": 36, "isNew": true],
            ]
        )
    }

    @Test func queriesAreWritten() {
        // GUIDE: begin
        let query: QueryBuilder = ["q": "salt & pepper", "page": 2, "cursor": nil, "tag": ["a", "b"]]
        #expect(query.encoded == "q=salt%20%26%20pepper&page=2&tag=a&tag=b")

        let comma = QueryBuilder(format: QueryFormat(lists: .comma, dates: .secondsSince1970))
        #expect(comma.adding("id", [1, 2]).adding("since", date).encoded == "id=1%2C2&since=1700000000")

        let encoded = QueryBuilder(encoding: Filter(name: "Ada", range: .init(from: 1)))
        #expect(encoded.encoded == "name=Ada&range%5Bfrom%5D=1")
        // GUIDE: end
    }

    @Test func datesCanBeNumbers() async throws {
        struct Event: Codable, Sendable, Equatable { var startedAt: Date }
        // GUIDE: begin
        var configuration = HTTPClient.Configuration()
        configuration.json = .snakeCase.with(
            encoder: { $0.dateEncodingStrategy = .secondsSince1970 },
            decoder: { $0.dateDecodingStrategy = .secondsSince1970 }
        )
        // GUIDE: end
        transport.stub(.post, "/v1/events", .jsonText(#"{"started_at":1700000000}"#))
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
        let event: Event = try await client.post("/events", json: Event(startedAt: date))
        #expect(event.startedAt == date)
        #expect(transport.requests.first?.bodyText == #"{"started_at":1700000000}"#)
    }

    @Test func oneBadElementDoesNotLoseAPage() async throws {
        // GUIDE: begin
        struct Page: Decodable, Sendable {
            @LossyArray var people: [Person]
            @Defaulted<DefaultFalse> var isLast: Bool
        }
        // GUIDE: end
        transport.stub(.get, "/v1/page", .data(Data(#"{"people":[{"id":1,"name":"Ada"},{"id":2}]}"#.utf8)))
        let page = try await client.send(Endpoint<Page>.get("/page"))
        #expect(page.people.map(\.id) == [1])
        #expect(!page.isLast)
    }

    @Test func errorsSayWhere() async throws {
        transport.stub(.get, "/v1/people", .data(Data(#"[{"id":1,"name":null}]"#.utf8)))
        let printed = Notebook<String>()
        func print(_ text: String) { printed.add(text) }
        // GUIDE: begin
        do {
            _ = try await client.send(Endpoint<[Person]>.get("/people"))
        } catch let error as NetKitError {
            print(error.message)  // … [3].name: expected String, found null.
            print(error.response?.excerpt(upTo: 200) ?? "")
        }
        // GUIDE: end
        #expect(printed.entries.first?.hasSuffix("[0].name: expected String, found null.") == true)
        #expect(printed.entries.last?.hasPrefix("[{") == true)
    }

    @Test func errorBodiesAreTyped() async throws {
        // GUIDE: begin
        struct Refusal: Decodable, Error { var reason: String }

        var configuration = HTTPClient.Configuration()
        configuration.errorBody = Refusal.self
        // GUIDE: end
        transport.stub(
            .get,
            "/v1/a",
            .data(Data(#"{"reason":"no","balance":3}"#.utf8), status: 403, contentType: "application/problem+json")
        )
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
        let error = try #require(
            await #expect(throws: NetKitError.self) { try await client.send(Endpoint<Data>.get("/a")) }
        )
        // GUIDE: begin
        let problem = error.problem  // type, title, status, detail, instance, and problem["balance"]?.int
        let refusal = error.body(as: Refusal.self)  // also the error's `cause`
        let fields = error.body(as: [String: JSONValue].self)
        // GUIDE: end
        #expect(fields?["balance"] == 3)
        #expect(problem?["balance"]?.int == 3)
        #expect(refusal?.reason == "no")
        #expect((error.cause as? Refusal)?.reason == "no")
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Endpoints").shows(#filePath))
    }
}

struct Person: Codable, Sendable, Equatable {
    var id: Int
    var name: String
}

struct NewPerson: Codable, Sendable { var name: String }

// GUIDE: begin
extension Endpoint where Response == Person {
    static func person(_ id: String) -> Self { .get("/people/\(id)") }
    static func create(_ person: NewPerson) -> Self { .post("/people", json: person) }
}
// GUIDE: end

// GUIDE: begin
struct FindPeople { var name: String }

extension FindPeople: APIRequest {
    typealias Response = [Person]
    var path: RequestPath { "/people" }
    var queryParameters: QueryBuilder { ["name": name] }
}
// GUIDE: end
