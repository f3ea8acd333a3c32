import Foundation
import NetKit
import NetKitTesting
import Testing

struct ResultTests {
    private struct User: Codable, Equatable, Sendable { var firstName: String }
    private struct Moved: Codable, Equatable, Sendable { var place: String }
    private enum Lookup: Equatable, Sendable {
        case found(User)
        case moved(Moved)
        case missing
    }
    private struct Invalid: Decodable, Equatable {
        struct Field: Decodable, Equatable { var name: String }
        var errors: [Field]
    }

    private static let ada = #"{"first_name":"Ada"}"#
    private let transport = MockTransport()
    private let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration()
        configuration.json = .snakeCase
        client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
    }

    private func stub(_ text: String, _ status: HTTPStatus = 200, _ type: String = "application/json") {
        transport.stub(.get, "/a", .data(Data(text.utf8), status: status, contentType: type))
    }

    @Test func theValueComesWithItsResponse() async throws {
        stub(Self.ada)
        let (user, response) = try await client.send(Endpoint<User>.get("/a"))
        #expect(user == User(firstName: "Ada"))
        #expect(response.status == .ok)
        #expect(response.headers["Content-Type"] == "application/json")
        // The decoded body can be read again.
        #expect(try await response.text() == Self.ada)
    }

    @Test func theResultOfALeadingDotComesWithItsResponse() async throws {
        stub(Self.ada)
        let (user, response): (User, HTTPResponse) = try await client.send(.get("/a"))
        #expect(user.firstName == "Ada")
        #expect(try await response.json(User.self) == user)
    }

    @Test(arguments: [(404, true), (410, true), (200, false)])
    func aStatusBecomesNil(status: Int, isNil: Bool) async throws {
        stub(Self.ada, HTTPStatus(status))
        let user = try await client.send(Endpoint<User>.get("/a"), nilFor: .notFound, .gone)
        #expect((user == nil) == isNil)
    }

    @Test func anotherStatusIsAnErrorBesideNil() async throws {
        stub("", 403)
        let error = await #expect(throws: NetKitError.self) {
            _ = try await client.send(Endpoint<User>.get("/a"), nilFor: .notFound)
        }
        #expect(error?.statusCode == 403)
    }

    @Test(arguments: [
        (200, ResultTests.ada, Lookup.found(User(firstName: "Ada"))),
        (409, #"{"place":"/b"}"#, Lookup.moved(Moved(place: "/b"))),
        (404, "nothing", Lookup.missing),
    ])
    private func theStatusDecidesAboutTheType(status: Int, text: String, expected: Lookup) async throws {
        stub(text, HTTPStatus(status))
        let lookup = try await client.send(
            .get("/a"),
            cases: [.status(200, Lookup.found), .statuses([409, 423], Lookup.moved), .status(404, .missing)]
        )
        #expect(lookup == expected)
        #expect(transport.requests.first?.headers["Accept"] == "application/json")
    }

    @Test func aStatusWithoutACaseIsTheServersError() async throws {
        stub("why", 500)
        let error = await #expect(throws: NetKitError.self) {
            _ = try await client.send(.get("/a"), cases: [.status(200, Lookup.found)])
        }
        #expect(error?.code == .server)
        #expect(error?.response?.excerpt() == "why")
        #expect(error?.requestLine == "GET https://api.example.com/v1/a")
    }

    @Test func aBodyInMemoryIsReadAsOftenAsOneLikes() async throws {
        stub(Self.ada)
        let response = try await client.get("/a")
        #expect(try await response.json(User.self) == User(firstName: "Ada"))
        #expect(try await response.text() == Self.ada)
        #expect(try await response.data().count == 20)
    }

    @Test func aStreamedBodyIsDecodedAsTheClientDoes() async throws {
        stub(Self.ada)
        let response = try await client.send(HTTPRequest(.get, "/a"))
        let user: User = try await response.json()
        #expect(user.firstName == "Ada")
    }

    @Test func aResponseIsDecodedWithTheCoderOfItsEndpoint() async throws {
        stub(Self.ada)
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        var whole = Endpoint<HTTPResponse>.get("/a")
        whole.json = .snakeCase
        let response: HTTPResponse = try await client.send(whole)
        #expect(try await response.json(User.self) == User(firstName: "Ada"))
        var typed = Endpoint<User>.get("/a")
        typed.json = .snakeCase
        let (user, unread) = try await client.send(typed)
        #expect(try await unread.json(User.self) == user)
    }

    @Test func aBodyThatIsReadIntoMemoryIsStillThatOfTheClient() async throws {
        transport.stub(.get, "/a", .stream([Data(Self.ada.utf8)]))
        let response = try await client.send(HTTPRequest(.get, "/a")).buffered(upTo: 100)
        #expect(try await response.json(User.self) == User(firstName: "Ada"))
        let error = await #expect(throws: NetKitError.self) { try await response.json(Moved.self) }
        #expect(error?.requestLine == "GET https://api.example.com/v1/a")
    }

    @Test func aBodyThatIsNoJSONNamesTheRequest() async throws {
        stub("<html>", 200, "text/html")
        let response = try await client.send(HTTPRequest(.get, "/a"))
        let error = await #expect(throws: NetKitError.self) { let _: User = try await response.json() }
        #expect(error?.code == .decoding)
        #expect(error?.requestLine == "GET https://api.example.com/v1/a")
        #expect(error?.response?.excerpt() == "<html>")
    }

    @Test func aTextHasTheCharacterSetOfTheResponse() async throws {
        transport.stub(.get, "/a", .data(Data([0xE9]), contentType: "text/plain; charset=iso-8859-1"))
        #expect(try await client.get("/a").text() == "é")
    }

    @Test func theFieldsOfAProblemAreAType() async throws {
        stub(#"{"title":"Invalid","errors":[{"name":"email"}]}"#, 422, "application/problem+json")
        let error = try #require(await #expect(throws: NetKitError.self) { _ = try await client.get("/a") })
        #expect(try error.problem?.decode(Invalid.self) == Invalid(errors: [.init(name: "email")]))
        let wrong = #expect(throws: NetKitError.self) { _ = try error.problem?.decode(Moved.self) }
        #expect(wrong?.code == .decoding)
        #expect(wrong?.codingPath == "place")
    }

    @Test(arguments: [(503, true), (429, true), (404, false), (501, false)])
    func anErrorSaysWhetherTryingLaterMayHelp(status: Int, isRetryable: Bool) async throws {
        stub("", HTTPStatus(status))
        let error = await #expect(throws: NetKitError.self) { _ = try await client.get("/a") }
        #expect(error?.isRetryable == isRetryable)
    }

    @Test(arguments: [(NetKitError.Code.timeout, true), (.connectionLost, true), (.decoding, false), (.tls, false)])
    func aFailureSaysWhetherTryingLaterMayHelp(code: NetKitError.Code, isRetryable: Bool) {
        #expect(NetKitError(code, "").isRetryable == isRetryable)
    }
}
