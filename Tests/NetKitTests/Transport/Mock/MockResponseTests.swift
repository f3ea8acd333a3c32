import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MockResponseTests {
    private struct Event: Codable, Equatable {
        var name: String
        var at: Date
    }

    private struct Breakdown: Error, Equatable {}

    private let time = TestClock()
    private let transport = MockTransport()

    private var client: HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        return HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
    }

    private func respond(_ stub: MockResponse) async throws -> HTTPResponse {
        transport.stub(.get, "/a", stub)
        return try await client.send(HTTPRequest(.get, "/a"))
    }

    @Test func aStatusHasNoBodyAndNoHeaders() async throws {
        let response = try await respond(.status(.noContent))
        #expect(response.status == 204)
        #expect(response.headers.isEmpty)
        #expect(response.body.buffered == Data())
    }

    @Test func dataHasTheTypeItIsGiven() async throws {
        let plain = try await respond(.data(Data([1, 2, 3])))
        #expect(plain.status == 200)
        #expect(plain.body.buffered == Data([1, 2, 3]))
        #expect(plain.headers.isEmpty)
        let typed = try await respond(.data(Data([1]), status: 203, contentType: "image/png"))
        #expect(typed.status == 203)
        #expect(typed.headers == ["Content-Type": "image/png"])
    }

    @Test func textIsUTF8() async throws {
        let response = try await respond(.text("grüß", status: 404))
        #expect(response.status == 404)
        #expect(response.headers == ["Content-Type": "text/plain; charset=utf-8"])
        #expect(try await response.body.text(upTo: 100) == "grüß")
    }

    @Test func jsonIsDecodedAsTheSameValue() async throws {
        let event = Event(name: "launch", at: Date(timeIntervalSince1970: 1_700_000_000))
        let response = try await respond(.json(event, status: 201))
        #expect(response.status == 201)
        #expect(response.headers == ["Content-Type": "application/json"])
        #expect(
            response.body.buffered.map { String(decoding: $0, as: UTF8.self) }?.contains("2023-11-14T22:13:20Z") == true
        )
        let read: Event = try await client.send(.get("/a"))
        #expect(read == event)
    }

    @Test func aValueThatCannotBeEncodedIsNamed() async throws {
        let prices = ["price": Double.nan]
        let error = await #expect(throws: NetKitError.self) { try await respond(.json(prices)) }
        #expect(error?.code == .encoding)
        #expect(error?.message.hasPrefix("The response of the stub could not be encoded: price: ") == true)
    }

    @Test func aStreamArrivesInPiecesWithItsTrailers() async throws {
        let response = try await respond(
            .stream([Data("a".utf8), Data("bc".utf8)], status: 206, trailers: ["X-T": "1"])
        )
        #expect(response.status == 206)
        #expect(response.body.buffered == nil)
        var chunks: [Data] = []
        for try await chunk in response.body { chunks.append(chunk) }
        #expect(chunks == [Data("a".utf8), Data("bc".utf8)])
        #expect(response.trailers == ["X-T": "1"])
    }

    @Test func aFailingStreamDeliversTheBytesBeforeTheFailure() async throws {
        let response = try await respond(.stream([Data("a".utf8)], failingWith: URLError(.networkConnectionLost)))
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("a".utf8))
        let error = await #expect(throws: NetKitError.self) { try await iterator.next() }
        #expect(error?.code == .connectionLost)
        #expect(error?.outcome == .answered)
    }

    @Test func aFieldDeclaresTheLengthOfAStream() async throws {
        let stream = MockResponse.stream([Data("a".utf8)], failingWith: URLError(.networkConnectionLost))
        #expect(try await respond(stream).body.length == nil)
        let sized = stream.header("Content-Length", "3")
        #expect(try await respond(sized).body.length == 3)
        #expect(try await respond(sized.header("Content-Encoding", "gzip")).body.length == nil)
        #expect(try await respond(stream.header("Content-Length", "-3")).body.length == nil)
    }

    @Test func aRedirectNamesItsLocation() async throws {
        let transport = transport
        transport.stub(.get, "/a", .redirect(to: "/b", status: 308))
        transport.stub(.get, "/b", .status(204))
        let response = try await client.send(HTTPRequest(.get, "/a"))
        #expect(response.status == 204)
        #expect(response.history.map(\.status) == [308])
    }

    @Test func headersAreAddedInOrder() async throws {
        let response = try await respond(.text("x").header("Set-Cookie", "a=1").header("Set-Cookie", "b=2"))
        let expected: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "Set-Cookie": "a=1", "Set-Cookie": "b=2",
        ]
        #expect(response.headers == expected)
    }

    @Test func aHeaderFieldReplacesThatOfTheBody() async throws {
        let response = try await respond(.json([1]).header("content-type", "application/vnd.a+json").header("X-A", "1"))
        #expect(response.headers == ["content-type": "application/vnd.a+json", "X-A": "1"])
    }

    @Test func aTextCanBeJSON() async throws {
        let response = try await respond(.jsonText(#"{"a":1}"#, status: 201))
        #expect(response.status == 201)
        #expect(response.headers["Content-Type"] == "application/json")
        #expect(try await response.text() == #"{"a":1}"#)
    }

    @Test func aClosureCanChooseAResponse() async throws {
        transport.stub(
            .get,
            "/a",
            .respond { request, _ in
                request.headers.contains("Authorization") ? .json([1]).header("X-A", "1") : .status(401)
            }
        )
        #expect(try await client.send(HTTPRequest(.get, "/a")).status == 401)
        let response = try await client.send(HTTPRequest(.get, "/a", headers: ["Authorization": "b"]))
        #expect(response.headers["X-A"] == "1")
        #expect(try await response.json([Int].self) == [1])
    }

    @Test func aChosenResponseCanBeParked() async throws {
        transport.stub(.get, "/a", .respond { _, _ in MockResponse.stalled })
        let call = Task { [client] in try await client.send(HTTPRequest(.get, "/a")).status }
        await transport.waitForRequests(1)
        transport.release()
        #expect(try await call.value == .ok)
    }

    @Test func aClosureCanRespond() async throws {
        let response = try await respond(
            .respond { request, context in
                HTTPResponse(status: 200, headers: ["X-Seen": "\(request.method) \(context.attempt.number)"])
            }
            .header("X-More", "1")
        )
        #expect(response.headers == ["X-Seen": "GET 1", "X-More": "1"])
    }

    @Test(
        arguments: [
            (.timedOut, .timeout, .unknown), (.cannotFindHost, .dns, .notSent),
            (.notConnectedToInternet, .offline, .notSent), (.networkConnectionLost, .connectionLost, .unknown),
            (.serverCertificateUntrusted, .tls, .notSent), (.badServerResponse, .invalidResponse, .unknown),
        ] as [(URLError.Code, NetKitError.Code, NetKitError.Outcome)]
    )
    func aURLErrorIsTranslatedAsByARealTransport(
        thrown: URLError.Code,
        code: NetKitError.Code,
        outcome: NetKitError.Outcome
    ) async throws {
        let error = await #expect(throws: NetKitError.self) { try await respond(.failure(URLError(thrown))) }
        #expect(error?.code == code)
        #expect(error?.outcome == outcome)
        #expect(error?.requestLine == "GET https://api.example.com/a")
        #expect(error?.attempts == 1)
    }

    @Test func otherFailuresBecomeCustomAndNetKitErrorsStay() async throws {
        let custom = await #expect(throws: NetKitError.self) { try await respond(.failure(Breakdown())) }
        #expect(custom?.code == .custom)
        #expect(custom?.cause as? Breakdown == Breakdown())
        #expect(custom?.outcome == .unknown)
        let own = NetKitError(.rateLimited, "slow down", outcome: .answered)
        let kept = await #expect(throws: NetKitError.self) { try await respond(.failure(own)) }
        #expect(kept?.code == .rateLimited)
        #expect(kept?.outcome == .answered)
        await #expect(throws: CancellationError.self) { try await respond(.failure(CancellationError())) }
    }

    @Test func aDelayRunsOnTheCallsClock() async throws {
        transport.stub(.get, "/a", .text("late").delayed(by: .seconds(2)))
        let client = client
        let task = Task { try await client.send(HTTPRequest(.get, "/a")) }
        await time.waitForSleepers(1)
        #expect(time.timeToNext == .seconds(2))
        time.advance(by: .seconds(2))
        #expect(try await task.value.body.text(upTo: 100) == "late")
        #expect(transport.requests.count == 1)
    }

    @Test func aDelayEndsWithItsCall() async throws {
        transport.stub(.get, "/a", .status(200).delayed(by: .seconds(2)))
        let client = client
        let task = Task { try await client.send(HTTPRequest(.get, "/a")) }
        await time.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(time.sleeperCount == 0)
    }

    private func limited(_ timeouts: Timeouts) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        (configuration.clock, configuration.timeouts) = (time.clock, timeouts)
        return HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
    }

    /// The limit for the first byte counts if idle time ends with it.
    @Test(arguments: [Duration.seconds(30), .seconds(5)])
    func aDelayBeyondALimitEndsTheAttempt(idle: Duration) async throws {
        transport.stub(.get, "/a", .text("late").delayed(by: .seconds(20)))
        let client = limited(Timeouts(firstByte: .seconds(5), idle: idle, attempt: nil))
        let call = Task { try await client.send(HTTPRequest(.get, "/a")) }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.timeoutPhase == .firstByte)
        #expect(error?.message == "No byte of the response came within 5 s. Raise `timeouts.firstByte`.")
        #expect(error?.outcome == .unknown)
    }

    @Test func aStalledResponseEndsAtALimit() async throws {
        transport.stub(.get, "/a", .stalled)
        let client = limited(Timeouts(idle: .seconds(5), attempt: nil))
        let call = Task { try await client.send(HTTPRequest(.get, "/a")) }
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.timeoutPhase == .idle)
        #expect(error?.message == "Nothing moved for 5 s. Raise `timeouts.idle` or check the server.")
        #expect(error?.outcome == .unknown)
    }

    @Test(arguments: [(HTTPMethod.head, HTTPStatus.ok), (.get, .noContent), (.get, .notModified)])
    func someResponsesHaveNoBody(method: HTTPMethod, status: HTTPStatus) async throws {
        transport.stub(nil, "/a", .text("hello", status: status), .stream([Data("hello".utf8)], status: status))
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(method, "/a"))
            #expect(response.status == status)
            #expect(try await response.body.collect(upTo: 100) == Data())
        }
    }
}
