import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of the recorded requests of a mock.
@Suite(.timeLimit(.minutes(5)))
struct MockRecordingTests {
    private struct Order: Codable, Equatable {
        var item: String
        var at: Date
    }

    private struct Breakdown: Error, Equatable {}

    private let transport = MockTransport { _, _ in HTTPResponse(status: 200) }

    private var client: HTTPClient {
        HTTPClient(baseURL: URL(string: "https://api.example.com/v1"), transport: transport)
    }

    private func recorded(_ request: HTTPRequest) async throws -> RecordedRequest {
        _ = try await client.send(request)
        return try #require(transport.requests.last)
    }

    private static func chunks(failing: Bool = false) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            continuation.yield(Data("one ".utf8))
            continuation.yield(Data("two".utf8))
            continuation.finish(throwing: failing ? Breakdown() : nil)
        }
    }

    @Test func recordsMethodURLAndHeadersAsSent() async throws {
        let headers: HTTPHeaders = ["X-A": "1", "x-a": "2"]
        let query = QueryBuilder().adding("q", "a b").addingFlag("flag")
        let options = CallOptions(id: CallID())
        let request = HTTPRequest(.put, "/users/\("a/b")", query: query, headers: headers, body: .text("x"))
        _ = try await client.send(request, options: options)
        let sent = try #require(transport.requests.first)
        #expect(sent.method == .put)
        #expect(sent.url.absoluteString == "https://api.example.com/v1/users/a%2Fb?q=a%20b&flag")
        #expect(sent.headers == ["X-A": "1", "x-a": "2", "Content-Type": "text/plain; charset=utf-8"])
        #expect(sent.query("q") == "a b")
        #expect(sent.query("flag") == nil)
        #expect(sent.query("none") == nil)
        #expect(sent.callID == options.id)
        #expect(sent.attempt == 1)
    }

    @Test func aResponseCanReadTheBodyOfAOneShotStream() async throws {
        let echo = MockTransport { request, _ in
            var body = Data()
            if let sent = request.body { for try await chunk in sent.chunks { body.append(chunk) } }
            return HTTPResponse(status: 200, body: ResponseBody(body))
        }
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: echo)
        let request = HTTPRequest(.post, "/a", body: .stream(Self.chunks()))
        #expect(try await client.send(request).body.text(upTo: 100) == "one two")
    }

    @Test func aCancelledRequestGetsNoResponse() async throws {
        let sending = Task { [transport] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(HTTPRequest(.get, "https://api.example.com/a"), context: .test())
        }
        await #expect(throws: CancellationError.self) { try await sending.value }
        #expect(transport.requests.isEmpty)
    }

    @Test func aRequestWithoutABodyHasAnEmptyOne() async throws {
        #expect(try await recorded(HTTPRequest(.get, "/a")).body == Data())
    }

    @Test func bytesTextAndJSON() async throws {
        #expect(try await recorded(HTTPRequest(.post, "/a", body: .data(Data([0, 255])))).body == Data([0, 255]))
        #expect(try await recorded(HTTPRequest(.post, "/a", body: .text("grüß"))).bodyText == "grüß")
        let order = Order(item: "tea", at: Date(timeIntervalSince1970: 1_700_000_000))
        let sent = try await recorded(HTTPRequest(.post, "/a", body: .json(order)))
        #expect(try sent.json(Order.self) == order)
        let read: Order = try sent.json()
        #expect(read == order)
        #expect(throws: DecodingError.self) { try sent.json([Int].self) }
    }

    @Test func aDeferredBody() async throws {
        #expect(try await recorded(HTTPRequest(.post, "/a", body: .deferred { Data("made".utf8) })).bodyText == "made")
    }

    @Test func aFileAndAPartOfOne() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("0123456789".utf8), to: "file")
        #expect(try await recorded(HTTPRequest(.put, "/a", body: .file(at: file))).bodyText == "0123456789")
        let part = HTTPBody.file(at: file, offset: 4, length: 3)
        #expect(try await recorded(HTTPRequest(.put, "/a", body: part)).bodyText == "456")
    }

    @Test func streams() async throws {
        #expect(try await recorded(HTTPRequest(.put, "/a", body: .stream(Self.chunks()))).bodyText == "one two")
        let replayable = HTTPBody.replayableStream(length: 7) { Self.chunks() }
        #expect(try await recorded(HTTPRequest(.put, "/a", body: replayable)).bodyText == "one two")
        #expect(try await recorded(HTTPRequest(.put, "/a", body: replayable)).bodyText == "one two")
    }

    @Test func aFailingStreamFailsTheCallAndIsNotRecorded() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.put, "/a", body: .stream(Self.chunks(failing: true))))
        }
        #expect(error?.code == .custom)
        #expect(error?.cause as? Breakdown == Breakdown())
        #expect(error?.outcome == .unknown)
        #expect(transport.requests.isEmpty)
    }

    @Test func aStreamOfTheWrongLengthIsRejected() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.put, "/a", body: .stream(length: 8, Self.chunks())))
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func aOneShotStreamSentTwiceIsBodyConsumed() async throws {
        let body = HTTPBody.stream(Self.chunks())
        _ = try await recorded(HTTPRequest(.put, "/a", body: body))
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.put, "/a", body: body))
        }
        #expect(error?.code == .bodyConsumed)
    }

    @Test func requestsCanBeForgottenWhileSequencesContinue() async throws {
        transport.stub(.get, "/a", .status(201), .status(202))
        #expect(try await client.send(HTTPRequest(.get, "/a")).status == 201)
        transport.removeAllRequests()
        #expect(transport.requests.isEmpty)
        #expect(try await client.send(HTTPRequest(.get, "/a")).status == 202)
        #expect(transport.requests.count == 1)
    }

    @Test func waitingForRequestsEndsWithTheLastOfThem() async throws {
        let (transport, client) = (transport, client)
        let log = EventLog()
        await withTaskGroup(of: Void.self) { group in
            for count in [3, 1, 2] {
                group.addTask {
                    await transport.waitForRequests(count)
                    log.add(transport.requests.count < count ? "too early" : "in time")
                }
            }
            group.addTask { for _ in 0..<3 { _ = try? await client.send(HTTPRequest(.get, "/a")) } }
        }
        #expect(log.all == ["in time", "in time", "in time"])
    }

    @Test func waitingForAReachedCountReturnsAtOnce() async throws {
        await transport.waitForRequests(0)
        _ = try await recorded(HTTPRequest(.get, "/a"))
        await transport.waitForRequests(1)
        #expect(transport.requests.count == 1)
    }
}
