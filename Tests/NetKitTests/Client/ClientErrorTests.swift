import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests that a caller sees `NetKitError` or `CancellationError`, whatever was thrown inside.
@Suite(.timeLimit(.minutes(5)))
struct ClientErrorTests {
    private struct Strange: Error {
        let number = 42
    }

    @Test(arguments: Stage.all)
    func anErrorOfAnInterceptorIsTheCause(stage: Stage) async throws {
        let throwing = Intercepting(stage: stage) { _, _, _ in throw Strange() }
        let client = HTTPClient(baseURL: exampleBase, transport: MockTransport(), interceptors: [throwing])
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/")) }
        #expect(error?.code == .custom)
        #expect((error?.cause as? Strange)?.number == 42)
        #expect(error?.outcome == .notSent)
        #expect(error?.requestLine == "GET https://api.example.com/v1/")
    }

    @Test(arguments: [
        (URLError.Code.timedOut, NetKitError.Code.timeout, NetKitError.Outcome.unknown),
        (.cannotConnectToHost, .connect, .notSent), (.cannotFindHost, .dns, .notSent),
        (.secureConnectionFailed, .tls, .notSent), (.networkConnectionLost, .connectionLost, .unknown),
        (.notConnectedToInternet, .offline, .notSent), (.badServerResponse, .invalidResponse, .unknown),
        (.unknown, .connectionLost, .unknown),
    ])
    func aURLErrorOfATransportGetsItsCodeAndOutcome(
        code: URLError.Code,
        expected: NetKitError.Code,
        outcome: NetKitError.Outcome
    ) async {
        let transport = MockTransport()
        transport.stub(.get, "/", .failure(URLError(code)))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/")) }
        #expect(error?.code == expected)
        #expect(error?.outcome == outcome)
        #expect(error?.attempts == 1)
        #expect((error?.cause as? URLError)?.code == code)
    }

    /// The server has processed the request before a later step of the call is refused here.
    @Test(arguments: [NetKitError.Code.circuitOpen, .rateLimited, .queueFull, .addressRefused])
    func aRefusalAfterARedirectIsNotUnsent(code: NetKitError.Code) async throws {
        let transport = MockTransport()
        transport.stub(.post, "/orders", .status(303).header("Location", "https://other.example/done"))
        let refusing = Intercepting(stage: .limit) { request, context, next in
            guard request.method == .post else { throw NetKitError(code, "refused here") }
            return try await next(request, context)
        }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList.standard + [refusing]
        )
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.post, "/orders", body: .text("one")))
        }
        #expect(error?.code == code)
        #expect(error?.outcome == .answered)
    }

    @Test func aCancelledURLErrorIsCancellation() async {
        let transport = MockTransport()
        transport.stub(.get, "/", .failure(URLError(.cancelled)))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        await #expect(throws: CancellationError.self) { try await client.send(HTTPRequest(.get, "/")) }
    }

    @Test func errorsWhileReadingCarryTheRequestLine() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .stream([Data("a".utf8)], failingWith: Strange()))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let response = try await client.send(HTTPRequest(.get, "/x"))
        let error = await #expect(throws: NetKitError.self) { try await response.body.collect(upTo: 100) }
        #expect(error?.code == .custom)
        #expect(error?.outcome == .answered)
        #expect(error?.requestLine == "GET https://api.example.com/v1/x")
    }

    /// Each call reads the body itself, and its errors say nothing about the calls before it.
    @Test func oneResponseMayServeSeveralCalls() async throws {
        let constant = HTTPResponse(status: .ok, body: ResponseBody(Data("no number".utf8)))
        let responding = Intercepting { _, _, _ in constant }
        let client = HTTPClient(baseURL: exampleBase, transport: MockTransport(), interceptors: [responding])
        for (path, line) in [("a", "GET https://api.example.com/v1/a"), ("b", "GET https://api.example.com/v1/b")] {
            let error = await #expect(throws: NetKitError.self) {
                let _: Int = try await client.send(.get("/\(path)"))
            }
            #expect(error?.code == .decoding)
            #expect(error?.requestLine == line)
        }
    }

    @Test func oneResponseMayServeSeveralCallsAtTheSameMoment() async throws {
        let constant = HTTPResponse(status: .ok, body: ResponseBody(Data("shared".utf8)))
        let (arrivals, areAllThere) = (Notebook<Bool>(), Promise<Void>())
        let responding = Intercepting { _, _, _ in
            arrivals.add(true)
            if arrivals.count >= 40 { areAllThere.resolve(.success(())) }
            try await areAllThere.value()
            return constant
        }
        let client = HTTPClient(baseURL: exampleBase, transport: MockTransport(), interceptors: [responding])
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<40 {
                group.addTask { try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 10) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "shared", count: 40))
    }

    @Test func aCallKeepsItsBodyWhateverBecomesOfTheResponseOfAnInterceptor() async throws {
        let constant = HTTPResponse(status: .ok, body: ResponseBody(Data("kept".utf8)))
        let responding = Intercepting { _, _, _ in constant }
        let client = HTTPClient(baseURL: exampleBase, transport: MockTransport(), interceptors: [responding])
        let response = try await client.send(HTTPRequest(.get, "/x"))
        constant.body.discard()
        #expect(try await response.body.text(upTo: 10) == "kept")
    }

    @Test func aBodyInMemoryThatAnInterceptorHasReadIsUnreadForTheCaller() async throws {
        let reading = Intercepting { request, context, next in
            let response = try await next(request, context)
            _ = try await response.body.text(upTo: 10)
            return response
        }
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok, body: ResponseBody(Data("read".utf8))) }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [reading])
        let response = try await client.send(HTTPRequest(.get, "/x"))
        #expect(try await response.body.text(upTo: 10) == "read")
    }

    /// The first attempt discards the body.
    @Test func oneResponseMayServeSeveralAttempts() async throws {
        let constant = HTTPResponse(status: 503, body: ResponseBody(Data("busy".utf8)))
        let retry = RetryInterceptor(RetryPolicy(maxAttempts: 2, backoffStrategy: .fixed(interval: .zero)))
        let transport = ScriptedTransport { _, _ in constant }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [retry])
        let error = await #expect(throws: NetKitError.self) {
            let _: String = try await client.send(.get("/x"))
        }
        #expect(error?.code == .server)
        #expect(error?.response?.body == Data("busy".utf8))
        #expect(error?.attempts == 2)
    }

    @Test func aServerErrorKnowsItsRequestAndResponse() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .text("gone fishing", status: 503).header("Retry-After", "7"))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let error = await #expect(throws: NetKitError.self) {
            let _: String = try await client.send(.get("/x"))
        }
        #expect(error?.code == .server)
        #expect(error?.status == 503)
        #expect(error?.response?.headers["retry-after"] == "7")
        #expect(error?.response?.body == Data("gone fishing".utf8))
        #expect(
            error?.description
                == "GET https://api.example.com/v1/x: The server responded with 503 Service Unavailable. [server, status 503, answered]"
        )
    }

    @Test func aBodyThatCannotBeReadIsSaidBeforeAnythingIsSent() async {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let request = HTTPRequest(.post, "/", body: .file(at: URL(fileURLWithPath: "/nonexistent/file")))
        let error = await #expect(throws: NetKitError.self) { try await client.send(request) }
        #expect(error?.code == .file)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [Duration.zero, .seconds(-5)])
    func aTimeoutThatIsNoneIsRefused(timeout: Duration) async {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.get, "/"), options: CallOptions(timeout: timeout))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("timeout") == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func buffersWithinTheBound() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/", .stream([Data(count: 600), Data(count: 600)]))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let small = CallOptions(delivery: .buffered(upTo: 1000))
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.get, "/"), options: small)
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.outcome == .answered)
        let enough = CallOptions(delivery: .buffered(upTo: 1200))
        let response = try await client.send(HTTPRequest(.get, "/"), options: enough)
        #expect(response.body.buffered?.count == 1200)
    }

    @Test func theIdempotencyKeyIsMintedOncePerCall() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.random = .seeded(1)
        let transport = MockTransport()
        transport.stub(.post, "/", .redirect(to: "/v1/next", status: 307))
        transport.stub(.post, "/next", .status(200))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration)
        let options = CallOptions(idempotencyKey: .automatic)
        _ = try await client.send(HTTPRequest(.post, "/"), options: options)
        _ = try await client.send(HTTPRequest(.post, "/"), options: options)
        let keys = transport.requests.map { $0.headers["Idempotency-Key"] ?? "" }
        #expect(keys.count == 4)
        #expect(keys[0] == keys[1])
        #expect(keys[2] == keys[3])
        #expect(keys[0] != keys[2])
        #expect(keys[0].count == 36)
    }
}
