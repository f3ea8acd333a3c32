import Foundation
import NetKit
import Testing

struct EndpointErrorTests {
    private struct Team: Codable, Sendable {
        struct Member: Codable, Sendable {
            var name: String
            var age: Int?
        }

        var members: [Member]
    }

    private struct Unwritable: Encodable, Sendable {
        struct Reason: Error, Equatable {}

        func encode(to encoder: any Encoder) throws { throw Reason() }
    }

    private let transport = MockTransport()
    private let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration()
        configuration.maxBufferedBytes = 100
        configuration.maxErrorBodyBytes = 10
        client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
    }

    private func failure<Response: Sendable>(_ endpoint: Endpoint<Response>) async throws -> NetKitError {
        let client = client
        return try #require(await #expect(throws: NetKitError.self) { _ = try await client.send(endpoint) })
    }

    @Test func anEncodingErrorIsThrownBySend() async throws {
        let endpoint: Endpoint<Void> = .post("/a", json: ["list": [1, Double.nan]])
        let error = try await failure(endpoint)
        #expect(error.code == .encoding)
        #expect(error.outcome == .notSent)
        #expect(error.cause is EncodingError)
        #expect(error.message.contains("list"))
        #expect(error.requestLine == "POST https://api.example.com/a" || error.requestLine == "POST /a")
        #expect(transport.requests.isEmpty)
    }

    @Test func anErrorOfABodyThatIsReadAgainNamesTheCall() async throws {
        transport.stub(.get, "/team", .text(#"{"members":[]}"#))
        let (_, response): (Team, HTTPResponse) = try await client.send(Endpoint<Team>.get("/team"))
        let error = await #expect(throws: NetKitError.self) { try await response.body.json([Int].self, upTo: 100) }
        #expect(error?.code == .decoding)
        #expect(error?.requestLine == "GET https://api.example.com/team")
        #expect(error?.attempts == 1)
    }

    @Test func anErrorOfEncodingIsTheCause() async throws {
        let endpoint: Endpoint<Void> = .put("/a", json: Unwritable())
        let error = try await failure(endpoint)
        #expect(error.code == .encoding)
        #expect(error.cause as? Unwritable.Reason == Unwritable.Reason())
    }

    @Test(arguments: [
        (
            "<!DOCTYPE html>\n<title>Sign\u{202E} in</title>" + String(repeating: "x", count: 200), "text/html",
            "text/html with status 200: “<!DOCTYPE html> <title>Sign\u{FFFD} in</title>\(String(repeating: "x", count: 41))…”. "
                + "A proxy, a login page or a wrong base URL may have responded."
        ),
        ("Not yet", "text/plain", "text/plain with status 200. Check the URL."),
        (
            "access_token=s3cret", "application/x-www-form-urlencoded",
            "application/x-www-form-urlencoded with status 200. Check the URL."
        ),
        ("eyJhbGciOiJub25lIn0.e30.", "application/jwt", "application/jwt with status 200. Check the URL."),
        (
            "access_token=s3cret", "text/html",
            "text/html with status 200. A proxy, a login page or a wrong base URL may have responded."
        ),
    ])
    func contentInPlaceOfJSONIsDescribed(body: String, type: String, expected: String) async throws {
        let transport = MockTransport()
        transport.stub(.get, "/team", .data(Data(body.utf8), contentType: type))
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport)
        let error = await #expect(throws: NetKitError.self) { _ = try await client.get("/team", as: Team.self) }
        #expect(error?.message == "The body is not the expected Team, but \(expected)")
    }

    @Test func aTextThatBeginsAsANumberIsContentInPlaceOfJSON() async throws {
        transport.stub(.get, "/count", .data(Data("10.0.0.1".utf8), contentType: "text/plain"))
        let error = try await failure(Endpoint<Int>.get("/count"))
        #expect(
            error.message == "The body is not the expected Int, but text/plain with status 200. Check the URL."
        )
    }

    @Test(
        arguments: [
            (#"{"members":[{"name":"a"},{"name":7}]}"#, "members[1].name", "expected String, found a number"),
            (#"{"members":[{"name":"a"},{}]}"#, "members[1].name", "the key is missing"),
            (#"{"members":[{"name":null}]}"#, "members[0].name", "expected String, found null"),
            (#"{"members":{}}"#, "members", "expected an array, found an object"),
            (#"{"members":[{"name":"#, "", "it is not JSON"),
            ("", "", "it is empty; if that is allowed, name an optional type or Void"),
        ]
    )
    func aDecodingErrorNamesThePlace(body: String, path: String, reason: String) async throws {
        transport.stub(.get, "/team", .text(body))
        let error = try await failure(Endpoint<Team>.get("/team"))
        #expect(error.code == .decoding)
        #expect(error.codingPath == path)
        #expect(error.message == "The body is not the expected Team: \(path.isEmpty ? "" : "\(path): ")\(reason).")
        #expect(error.outcome == .answered)
        #expect(error.cause is DecodingError)
        #expect(error.status == 200)
        #expect(error.response?.body == Data(body.utf8.prefix(10)))
        #expect(error.response?.isTruncated == (body.utf8.count > 10))
        #expect(error.requestLine == "GET https://api.example.com/team")
        #expect(error.attempts == 1)
    }

    @Test(arguments: [199, 300, 304, 400, 401, 404, 409, 422, 500, 503] as [HTTPStatus])
    func aStatusOutsideTheSuccessfulOnesIsAServerError(status: HTTPStatus) async throws {
        transport.stub(.get, "/a", .text("why", status: status).header("Retry-After", "2"))
        let errors = [
            try await failure(Endpoint<Team>.get("/a")), try await failure(Endpoint<Void>.get("/a")),
            try await failure(Endpoint<Data>.get("/a")), try await failure(Endpoint<HTTPResponse>.get("/a")),
        ]
        for error in errors {
            #expect(error.code == .server)
            #expect(error.status == status)
            #expect(error.message == "The server responded with \(status).")
            #expect(error.outcome == .answered)
            #expect(error.response?.headers["Retry-After"] == "2")
            #expect(error.response?.body == Data((status == 304 ? "" : "why").utf8))
            #expect(error.response?.isTruncated == false)
            #expect(error.requestLine == "GET https://api.example.com/a")
            #expect(error.attempts == 1)
        }
    }

    @Test(arguments: [200, 201, 204, 226, 299] as [HTTPStatus])
    func everySuccessfulStatusIsAccepted(status: HTTPStatus) async throws {
        transport.stub(.get, "/a", .text("ok", status: status))
        #expect(try await client.send(Endpoint<String>.get("/a")) == (status == 204 ? "" : "ok"))
    }

    @Test(
        arguments: [
            ("0123456789", "0123456789", false), ("0123456789x", "0123456789", true), ("", "", false),
            (String(repeating: "x", count: 100), "xxxxxxxxxx", true),
        ]
    )
    func theBodyOfAnErrorIsKeptUpToItsBound(body: String, kept: String, isTruncated: Bool) async throws {
        transport.stub(.get, "/a", .text(body, status: 500))
        let error = try await failure(Endpoint<Void>.get("/a"))
        #expect(error.response?.body == Data(kept.utf8))
        #expect(error.response?.isTruncated == isTruncated)
        #expect(!error.description.contains("0123"))
    }

    @Test func aStreamedErrorIsGivenUpAfterItsBound() async throws {
        let pipe = BodyPipe()
        pipe.offer(Data("01234567".utf8))
        pipe.offer(Data("89x".utf8))
        let transport = ScriptedTransport { _, _ in HTTPResponse(status: 500, body: ResponseBody(source: pipe)) }
        var configuration = HTTPClient.Configuration()
        configuration.maxErrorBodyBytes = 10
        let client = HTTPClient(transport: transport, interceptors: [], configuration: configuration)
        let error = await #expect(throws: NetKitError.self) {
            let endpoint: Endpoint<Void> = .get("https://api.example.com/a")
            try await client.send(endpoint, options: CallOptions(delivery: .streamed))
        }
        #expect(error?.response?.body == Data("0123456789".utf8))
        #expect(error?.response?.isTruncated == true)
        #expect(pipe.isCancelled)
    }

    @Test func aBodyOverTheBoundIsTooLarge() async throws {
        transport.stub(.get, "/a", .text(String(repeating: "x", count: 101)))
        let error = try await failure(Endpoint<String>.get("/a"))
        #expect(error.code == .bodyTooLarge)
        #expect(error.outcome == .answered)
        let options = CallOptions(delivery: .buffered(upTo: 101))
        #expect(try await client.send(Endpoint<String>.get("/a"), options: options).count == 101)
    }

    @Test(arguments: ["", ".", ".."])
    func aValueThatWouldChangeThePathIsRefused(id: String) async throws {
        let error = try await failure(Endpoint<Void>.get("/users/\(id)"))
        #expect(error.code == .invalidURL)
        #expect(error.outcome == .notSent)
        #expect(transport.requests.isEmpty)
    }
}
