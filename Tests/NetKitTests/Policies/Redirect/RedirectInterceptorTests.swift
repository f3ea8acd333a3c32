import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of redirects through a client, over a mock.
struct RedirectInterceptorTests {
    private let transport = MockTransport()

    private func client(_ policy: RedirectPolicy = .standard) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirects = policy
        return HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            configuration: configuration
        )
    }

    /// `/0` leads to `/1` and so on; the last one responds with 200.
    private func stubChain(of hops: Int) {
        transport.stub(
            .get,
            "/*",
            .respond { request, _ in
                let number = Int(request.url.lastPathComponent) ?? 0
                if number == hops { return HTTPResponse(status: 200) }
                return HTTPResponse(status: 302, headers: ["Location": "/\(number + 1)"])
            }
        )
    }

    @Test func theResponseHasItsURLAndTheRedirectsBeforeIt() async throws {
        transport.stub(.get, "/a", .redirect(to: "b?x=1", status: 301))
        transport.stub(.get, "/b", .redirect(to: "https://cdn.example.com/c", status: 307))
        transport.stub(.get, "https://cdn.example.com/c", .text("there"))
        let response = try await client().send(HTTPRequest(.get, "/a"))
        let a = try #require(URL(string: "https://api.example.com/a"))
        let b = try #require(URL(string: "https://api.example.com/b?x=1"))
        let c = try #require(URL(string: "https://cdn.example.com/c"))
        #expect(response.url == c)
        #expect(
            response.history == [
                RedirectHop(status: 301, from: a, to: b), RedirectHop(status: 307, from: b, to: c),
            ]
        )
        #expect(try await response.body.text(upTo: 100) == "there")
        #expect(transport.requests.map(\.url) == [a, b, c])
        #expect(transport.requests.map(\.attempt) == [1, 2, 3])
    }

    /// The progress starts again only if the body is sent again.
    @Test(arguments: [(303, 1), (307, 2)] as [(HTTPStatus, Int)])
    func theProgressIsThatOfTheBody(_ status: HTTPStatus, attempt: Int) async throws {
        transport.stub(.post, "/a", .redirect(to: "/b", status: status))
        transport.stub(nil, "/b", .status(404))
        let updates = TransferUpdates()
        let request = HTTPRequest(.post, "/a", body: .text("12345"))
        _ = try await client().send(request, options: CallOptions(progress: updates))
        #expect(updates.current.completed == 5)
        #expect(updates.current.total == 5)
        #expect(updates.current.attempt == attempt)
    }

    @Test func aResponseWithoutRedirectHasNoHistory() async throws {
        transport.stub(.get, "/a", .status(200))
        #expect(try await client().send(HTTPRequest(.get, "/a")).history.isEmpty)
    }

    @Test func twentyHopsAreFollowed() async throws {
        stubChain(of: 20)
        let response = try await client().send(HTTPRequest(.get, "/0"))
        #expect(response.status == 200)
        #expect(response.history.count == 20)
        #expect(transport.requests.count == 21)
    }

    @Test func twentyOneHopsAreNot() async throws {
        stubChain(of: 21)
        let error = await #expect(throws: NetKitError.self) { try await client().send(HTTPRequest(.get, "/0")) }
        #expect(error?.code == .redirect)
        let last = "the last one led to https://api.example.com/21. Raise `redirects.maxHops` to follow more."
        #expect(error?.message == "More than 20 redirects; \(last)")
        #expect(error?.outcome == .answered)
        #expect(error?.attempts == 21)
        #expect(error?.requestLine == "GET https://api.example.com/0")
        #expect(transport.requests.count == 21)
    }

    @Test func theErrorOfAHopNamesItsURL() async throws {
        transport.stub(.get, "/a", .redirect(to: "https://cdn.example.com/c?state=s3cret"))
        transport.stub(.get, "https://cdn.example.com/c", .failure(URLError(.serverCertificateUntrusted)))
        let error = await #expect(throws: NetKitError.self) { try await client().send(HTTPRequest(.get, "/a")) }
        #expect(error?.code == .tls)
        #expect(error?.requestLine == "GET https://api.example.com/a")
        #expect(error?.message.hasSuffix(" The request was redirected to https://cdn.example.com/c.") == true)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test func theErrorOfAStreamedBodyNamesTheURLOfItsHop() async throws {
        transport.stub(.get, "/a", .redirect(to: "https://cdn.example.com/c?state=s3cret"))
        let broken = MockResponse.stream([Data("x".utf8)], failingWith: URLError(.networkConnectionLost))
        transport.stub(.get, "https://cdn.example.com/c", broken)
        let response = try await client().send(HTTPRequest(.get, "/a"), options: CallOptions(delivery: .streamed))
        let error = await #expect(throws: NetKitError.self) { try await response.body.collect(upTo: 10) }
        #expect(error?.code == .connectionLost)
        #expect(error?.outcome == .answered)
        #expect(error?.requestLine == "GET https://api.example.com/a")
        #expect(error?.message.hasSuffix(" The request was redirected to https://cdn.example.com/c.") == true)
    }

    /// The second response is larger than the client buffers.
    @Test(
        arguments: [
            (.status(503), false), (.text("far too much", status: 503), false),
            (.stream([Data("x".utf8)], status: 503), true),
        ] as [(MockResponse, Bool)]
    )
    func theErrorOfAStatusNamesTheURLThatResponded(response: MockResponse, isStreamed: Bool) async throws {
        transport.stub(.get, "/a", .redirect(to: "https://cdn.example.com/c?state=s3cret"))
        transport.stub(.get, "https://cdn.example.com/c", response)
        var configuration = HTTPClient.Configuration()
        configuration.maxBufferedBytes = 8
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
        let options = isStreamed ? CallOptions(delivery: .streamed) : CallOptions()
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(Endpoint<Void>.get("/a"), options: options)
        }
        #expect(error?.requestLine == "GET https://api.example.com/a")
        #expect(
            error?.message
                == "The server responded with 503 Service Unavailable. "
                + "The request was redirected to https://cdn.example.com/c."
        )
    }

    @Test func anErrorBeforeARedirectNamesNoOther() async throws {
        transport.stub(.get, "/a", .failure(URLError(.serverCertificateUntrusted)))
        let error = await #expect(throws: NetKitError.self) { try await client().send(HTTPRequest(.get, "/a")) }
        #expect(error?.message.contains("redirected") == false)
    }

    @Test func aLoopEndsAtTheFirstRepeatedURL() async throws {
        transport.stub(.get, "/a", .redirect(to: "/b"))
        transport.stub(.get, "/b", .redirect(to: "/c"))
        transport.stub(.get, "/c", .redirect(to: "/a"))
        let error = await #expect(throws: NetKitError.self) { try await client().send(HTTPRequest(.get, "/a")) }
        #expect(error?.message == "The redirects form a loop at https://api.example.com/a.")
        #expect(transport.requests.count == 3)
    }

    @Test func withoutFollowingTheRedirectIsTheResponse() async throws {
        transport.stub(.get, "/a", .text("see there", status: 302).header("Location", "/b"))
        let response = try await client(.none).send(HTTPRequest(.get, "/a"))
        #expect(response.status == 302)
        #expect(response.headers["Location"] == "/b")
        #expect(try await response.body.text(upTo: 100) == "see there")
        #expect(response.history.isEmpty)
    }

    @Test(arguments: [RedirectedBody.bytes, .replayableStream], [307, 308] as [HTTPStatus])
    func aBodyThatCanReplayArrivesTheSame(kind: RedirectedBody, status: HTTPStatus) async throws {
        transport.stub(.put, "/a", .redirect(to: "/b", status: status))
        transport.stub(.put, "/b", .status(201))
        let request = HTTPRequest(.put, "/a", headers: ["Content-Type": "text/plain"], body: kind.body)
        #expect(try await client().send(request).status == 201)
        #expect(transport.requests.map(\.bodyText) == ["body", "body"])
        #expect(transport.requests.map(\.headers) == [["Content-Type": "text/plain"], ["Content-Type": "text/plain"]])
    }

    @Test func aFileArrivesTheSame() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("0123456789".utf8), to: "file")
        transport.stub(.post, "/a", .redirect(to: "/b", status: 308))
        transport.stub(.post, "/b", .status(201))
        let body = HTTPBody.file(at: file, offset: 3, length: 4, contentType: "text/plain")
        #expect(try await client().send(HTTPRequest(.post, "/a", body: body)).status == 201)
        #expect(transport.requests.map(\.bodyText) == ["3456", "3456"])
    }

    @Test func aStreamThatCannotReplayGivesTheRedirectWithItsBodyUnread() async throws {
        transport.stub(
            .post,
            "/a",
            .stream([Data("see ".utf8), Data("there".utf8)], status: 307).header("Location", "/b")
        )
        let response = try await client().send(HTTPRequest(.post, "/a", body: RedirectedBody.oneShotStream.body))
        #expect(response.status == 307)
        #expect(response.headers["Location"] == "/b")
        #expect(response.history.isEmpty)
        #expect(!response.body.isConsumed)
        #expect(try await response.body.text(upTo: 100) == "see there")
        #expect(transport.requests.map(\.bodyText) == ["body"])
    }

    @Test func aStreamThatIsNotNeededAgainDoesNotStandInTheWay() async throws {
        transport.stub(.post, "/a", .redirect(to: "/b", status: 303))
        transport.stub(.get, "/b", .status(200))
        let response = try await client().send(HTTPRequest(.post, "/a", body: RedirectedBody.oneShotStream.body))
        #expect(response.status == 200)
        #expect(transport.requests.map(\.bodyText) == ["body", ""])
    }

    @Test func theRedirectsOwnBodyIsGivenUpBeforeTheNextRequest() async throws {
        let pipe = BodyPipe()
        let transport = ScriptedTransport { request, _ in
            guard request.url.path() == "/a" else { return HTTPResponse(status: pipe.isCancelled ? 200 : 409) }
            return HTTPResponse(status: 302, headers: ["Location": "/b"], body: ResponseBody(source: pipe))
        }
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport)
        #expect(try await client.send(HTTPRequest(.get, "/a")).status == 200)
    }

    @Test func aRefusedRedirectsBodyIsGivenUp() async throws {
        let pipe = BodyPipe()
        let transport = ScriptedTransport { _, _ in
            HTTPResponse(status: 302, headers: ["Location": "ftp://a/"], body: ResponseBody(source: pipe))
        }
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport)
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/a")) }
        #expect(error?.code == .redirect)
        #expect(pipe.isCancelled)
    }

    @Test func theIdempotencyKeyIsTheSameOnEachHop() async throws {
        transport.stub(.post, "/a", .redirect(to: "/b", status: 307))
        transport.stub(.post, "/b", .status(201))
        let options = CallOptions(idempotencyKey: .value("k-1"))
        _ = try await client().send(HTTPRequest(.post, "/a", body: .text("x")), options: options)
        #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == ["k-1", "k-1"])
    }

    @Test func theTransportsHistoryFollowsTheClients() async throws {
        let x = try #require(URL(string: "https://x.example/"))
        let inner = RedirectHop(status: 301, from: x, to: x)
        transport.stub(.get, "/a", .redirect(to: "/b"))
        transport.stub(.get, "/b", .respond { _, _ in HTTPResponse(status: 200, history: [inner]) })
        let response = try await client().send(HTTPRequest(.get, "/a"))
        #expect(response.history.map(\.status) == [302, 301])
    }

    @Test(
        arguments: [
            (.standard, "redirects: up to 20, never from https to http"),
            (RedirectPolicy(maxHops: 3, allowsDowngrade: true), "redirects: up to 3, https to http too"),
            (.none, "redirects are not followed"),
        ] as [(RedirectPolicy, String)]
    )
    func summarizesItsPolicy(policy: RedirectPolicy, summary: String) {
        let interceptor = RedirectInterceptor(policy)
        #expect(interceptor.summary == summary)
        #expect(interceptor.stage == .redirect)
        #expect(interceptor.policy == policy)
    }
}
