import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of one request and one response, over a real socket.
@Suite(.needsTheMachine, .needs(.python3), .pythonServer)
struct ExchangeTests {
    private let server: PythonServer
    private let client: HTTPClient

    init() throws {
        server = try #require(PythonServer.current)
        client = HTTPClient(baseURL: server.base, transport: URLSessionTransport(), interceptors: [])
    }

    @Test func aGetGivesStatusHeadersAndBody() async throws {
        let response = try await client.send(HTTPRequest(.get, "/hello"))
        #expect(response.status == .ok)
        #expect(response.headers["x-greeting"] == "hi")
        #expect(response.headers["Content-Length"] == "5")
        #expect(response.url == server.base.appending(path: "hello"))
        #expect(response.body.length == 5)
        #expect(try await response.body.text(upTo: 100) == "hello")
    }

    @Test func theUsualMethodsArriveAsTheyAre() async throws {
        for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
            #expect(try await client.send(.echo(method)).method == method.rawValue)
        }
    }

    @Test func headersArriveAsTheyAre() async throws {
        let echo = try await client.send(.echo(.get, headers: ["X-Trace": "a b; c=\"d\"", "Accept": "text/plain"]))
        #expect(echo.values(of: "x-trace") == ["a b; c=\"d\""])
        #expect(echo.values(of: "accept") == ["text/plain"])
        #expect(echo.values(of: "authorization") == [])
        #expect(echo.values(of: "cookie") == [])
    }

    @Test func valuesInAPathStayOneSegment() async throws {
        let name = "a/b ?#é"
        let query: QueryBuilder = ["q": "1&2=3 +"]
        let echo: Echo = try await client.send(.get("/echo/\(name)", query: query))
        #expect(echo.target == "/echo/a%2Fb%20%3F%23%C3%A9?q=1%262%3D3%20%2B")
    }

    @Test(arguments: BodyKind.allCases)
    func everyKindOfBodyArrivesWhole(_ kind: BodyKind) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("0123456789".utf8), to: "digits")
        let echo = try await client.send(.echo(.post, body: kind.body(file)))
        #expect(echo.text == kind.expectedText)
        #expect(echo.length == kind.expectedText.utf8.count)
        #expect(echo.values(of: "content-type") == [kind.contentType])
    }

    enum BodyKind: CaseIterable, Sendable {
        case bytes, text, json, file, partOfFile, stream, streamOfKnownLength, replayableStream, empty

        var contentType: String { self == .json ? "application/json" : "application/x-own" }

        var expectedText: String {
            switch self {
            case .bytes, .text: "bytes"
            case .json: "[1,2]"
            case .file: "0123456789"
            case .partOfFile: "345"
            case .stream, .streamOfKnownLength, .replayableStream: "onetwo"
            case .empty: ""
            }
        }

        func body(_ file: URL) -> HTTPBody {
            switch self {
            case .bytes: .data(Data("bytes".utf8), contentType: contentType)
            case .text: .text("bytes", contentType: contentType)
            case .json: .json([1, 2])
            case .file: .file(at: file, contentType: contentType)
            case .partOfFile: .file(at: file, offset: 3, length: 3, contentType: contentType)
            case .stream: .stream(contentType: contentType, Self.chunks)
            case .streamOfKnownLength: .stream(length: 6, contentType: contentType, Self.chunks)
            case .replayableStream: .replayableStream(contentType: contentType) { Self.chunks }
            case .empty: .data(Data(), contentType: contentType)
            }
        }

        private static var chunks: AsyncThrowingStream<Data, any Error> {
            AsyncThrowingStream { continuation in
                for part in ["one", "two"] { continuation.yield(Data(part.utf8)) }
                continuation.finish()
            }
        }
    }

    @Test func aHeadHasHeadersAndNoBody() async throws {
        let response = try await client.send(HTTPRequest(.head, "/hello"))
        #expect(response.status == .ok)
        #expect(response.headers["Content-Length"] == "5")
        #expect(try await response.body.collect(upTo: 100).isEmpty)
    }

    @Test func aResponseWithoutContentIsEmpty() async throws {
        let response = try await client.send(HTTPRequest(.delete, "/status/204"))
        #expect(response.status == .noContent)
        #expect(try await response.body.collect(upTo: 100).isEmpty)
        try await client.send(Endpoint<Void>.delete("/status/204"))
    }

    @Test(arguments: [201, 299, 400, 404, 410, 429, 500, 503, 599])
    func aPlainCallGivesEveryStatus(_ status: Int) async throws {
        let response = try await client.send(HTTPRequest(.get, "/status/\(status)"))
        #expect(response.status.code == status)
        #expect(try await response.body.text(upTo: 100) == "as asked")
    }

    @Test(arguments: [400, 404, 500, 503])
    func aTypedCallThrowsWhatIsNoSuccess(_ status: Int) async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(Endpoint<String>.get("/status/\(status)"))
        }
        #expect(error?.code == .server)
        #expect(error?.outcome == .answered)
        #expect(error?.status?.code == status)
        #expect(error?.response?.body == Data("as asked".utf8))
    }

    @Test(arguments: [Delivery.streamed, .buffered(upTo: 100)])
    func aBasicChallengeGivesTheRefusalWithItsBody(_ delivery: Delivery) async throws {
        let response = try await client.send(HTTPRequest(.get, "/basic"), options: CallOptions(delivery: delivery))
        #expect(response.status == .unauthorized)
        #expect(response.headers["WWW-Authenticate"] == "Basic realm=\"x\"")
        #expect(try await response.body.text(upTo: 100) == "who are you?")
    }

    @Test func aCompressedBodyIsDecoded() async throws {
        let text: String = try await client.send(.get("/gzip"))
        #expect(text == String(repeating: "compressed ", count: 1000))
    }

    @Test func fiftyConcurrentCallsGetTheirOwnResponses() async throws {
        let targets = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for number in 0..<50 {
                group.addTask { [client] in
                    let echo = try await client.send(.echo(.post, body: .text("call \(number)")))
                    return (number, echo.text)
                }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        #expect(targets == Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, "call \($0)") }))
        #expect(client.activeCallCount == 0)
    }

    @Test func aURLRequestIsAnsweredAsByURLSession() async throws {
        var request = URLRequest(url: server.base.appending(path: "echo"))
        request.httpMethod = "PUT"
        request.httpBody = Data("body".utf8)
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await client.data(for: request)
        let echo = try JSONDecoder().decode(Echo.self, from: data)
        #expect(response.statusCode == 200)
        #expect(echo.method == "PUT")
        #expect(echo.text == "body")
    }
}
