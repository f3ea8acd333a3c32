import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests that an error response that is larger than the bound for collecting is still an error response.
@Suite(.timeLimit(.minutes(5)))
struct LargeRefusalTests {
    private func client(_ transport: some Transport, _ interceptors: any Interceptor...) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = TestClock().clock
        configuration.maxBufferedBytes = 100
        configuration.maxErrorBodyBytes = 10
        return HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: InterceptorList(interceptors),
            configuration: configuration
        )
    }

    @Test(arguments: [Int64?.none, 200])
    func keepsItsStatusAndWhatFits(_ length: Int64?) async throws {
        let transport = ScriptedTransport { _, _ in
            let chunks = AsyncStream<Data> { continuation in
                for _ in 0..<20 { continuation.yield(Data("0123456789".utf8)) }
                continuation.finish()
            }
            return HTTPResponse(
                status: 503,
                headers: ["Retry-After": "7"],
                body: ResponseBody(length: length, chunks: chunks)
            )
        }
        let error = await #expect(throws: NetKitError.self) {
            try await client(transport).send(Endpoint<String>.get("/x"))
        }
        #expect(error?.code == .server)
        #expect(error?.status == 503)
        #expect(error?.response?.headers["Retry-After"] == "7")
        #expect(error?.response?.body == Data("0123456789".utf8))
        #expect(error?.response?.isTruncated == true)
        #expect(error?.requestLine == "GET https://api.example.com/x")
        #expect(error?.attempts == 1)
    }

    private func large(_ status: HTTPStatus) -> HTTPClient {
        client(
            ScriptedTransport { _, _ in
                HTTPResponse(status: status, headers: ["X-A": "1"], body: ResponseBody(Data(repeating: 65, count: 200)))
            }
        )
    }

    /// Returns a transport whose first response has a status and a body of 200 bytes, and whose next one is short.
    private func refusingOnce(_ status: HTTPStatus, isStreamed: Bool) -> MockTransport {
        let (transport, body) = (MockTransport(), Data(repeating: 65, count: 200))
        let refusal: MockResponse = isStreamed ? .stream([body], status: status) : .data(body, status: status)
        transport.stub(.get, "/x", refusal.header("Location", "/y"), .text("hello"))
        transport.stub(.get, "/y", .text("hello"))
        return transport
    }

    private let short = CallOptions(delivery: .buffered(upTo: 10))
    private let retry = RetryInterceptor(RetryPolicy(backoffStrategy: .fixed(interval: .zero), jitter: .none))

    @Test(arguments: [302, 401, 503] as [HTTPStatus], [true, false])
    func aStatusIsActedOnBeforeItsSizeCounts(_ status: HTTPStatus, isStreamed: Bool) async throws {
        let transport = refusingOnce(status, isStreamed: isStreamed)
        let store = TokenStore(initial: AccessToken("old"), clock: TestClock().clock) { _ in AccessToken("new") }
        let client = client(transport, retry, AuthInterceptor(store))
        let response = try await client.send(HTTPRequest(.get, "/x"), options: short)
        #expect(try await response.body.text(upTo: 10) == "hello")
        #expect(transport.requests.count == 2)
    }

    /// A transport that leaves no bound to the client.
    private struct Bounding: Transport {
        let server: MockTransport

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            let response = try await server.send(request, context: context)
            guard let limit = context.delivery.maxBufferedBytes(of: response.status) else { return response }
            return try await response.buffered(upTo: limit)
        }
    }

    @Test(arguments: [302, 401, 503] as [HTTPStatus])
    func aTransportWithBoundsOfItsOwnLeavesTheSizeOfAFailureAlone(_ status: HTTPStatus) async throws {
        let transport = Bounding(server: refusingOnce(status, isStreamed: true))
        let store = TokenStore(initial: AccessToken("old"), clock: TestClock().clock) { _ in AccessToken("new") }
        let client = client(transport, retry, AuthInterceptor(store))
        let response = try await client.send(HTTPRequest(.get, "/x"), options: short)
        #expect(try await response.body.text(upTo: 10) == "hello")
    }

    private struct Unwrapping: ResponseInterceptor {
        let stage = Stage.attempt

        func intercept(_: HTTPURLResponse, data: Data) async throws -> Data { data }
    }

    @Test(arguments: [302, 401, 503] as [HTTPStatus])
    func aResponseInterceptorLeavesTheSizeOfAFailureAlone(_ status: HTTPStatus) async throws {
        let transport = refusingOnce(status, isStreamed: false)
        let store = TokenStore(initial: AccessToken("old"), clock: TestClock().clock) { _ in AccessToken("new") }
        let client = client(transport, retry, AuthInterceptor(store), Unwrapping())
        let response = try await client.send(HTTPRequest(.get, "/x"), options: short)
        #expect(try await response.body.text(upTo: 10) == "hello")
    }

    @Test(arguments: [302, 503] as [HTTPStatus], [true, false])
    func sharedAndCachedResponsesAreActedOnToo(_ status: HTTPStatus, isStreamed: Bool) async throws {
        let transport = refusingOnce(status, isStreamed: isStreamed)
        let client = client(transport, CacheInterceptor(MemoryCacheStore()), CoalesceInterceptor(), retry)
        let response = try await client.send(HTTPRequest(.get, "/x"), options: short)
        #expect(try await response.body.text(upTo: 10) == "hello")
        #expect(transport.requests.count == 2)
    }

    /// A stored redirect comes from below the interceptor that follows it.
    @Test func aStoredRedirectIsFollowedWhateverItsSize() async throws {
        let (transport, store) = (MockTransport(), MemoryCacheStore())
        let redirect = MockResponse.data(Data(repeating: 65, count: 200), status: 301)
        transport.stub(.get, "/x", redirect.header("Location", "/y").header("Cache-Control", "max-age=60"))
        transport.stub(.get, "/y", .text("hello"))
        let client = client(transport, CacheInterceptor(store))
        for _ in 0..<2 {
            let response = try await client.send(HTTPRequest(.get, "/x"), options: short)
            #expect(try await response.body.text(upTo: 10) == "hello")
        }
        #expect(transport.requests.map { $0.url.lastPathComponent } == ["x", "y", "y"])
    }

    @Test func aFailureThatReachesItsCallerKeepsTheBound() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await large(404).send(HTTPRequest(.get, "/x"), options: short)
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.status == .notFound)
        #expect(error?.message.contains("the limit is 10 bytes") == true)
        #expect(error?.attempts == 1)
    }

    @Test func aStatusWithoutACaseIsARefusalOfAnySize() async throws {
        let cases: [StatusCase<String>] = [
            .status(200, { (text: String) in text }), .statuses(.range(300..<305), "moved"),
        ]
        let error = await #expect(throws: NetKitError.self) {
            try await large(503).send(Endpoint<HTTPResponse>.get("/x"), cases: cases)
        }
        #expect(error?.code == .server)
        #expect(error?.status == 503)
        let success = await #expect(throws: NetKitError.self) {
            try await large(200).send(Endpoint<HTTPResponse>.get("/x"), cases: cases)
        }
        #expect(success?.code == .bodyTooLarge)
    }

    @Test func aBodyThatNobodyReadsMayHaveAnySize() async throws {
        let (nothing, response): (Void, HTTPResponse) = try await large(200).send(Endpoint<Void>.delete("/x"))
        #expect(nothing == ())
        #expect(response.status == 200)
        #expect(response.headers["X-A"] == "1")
        #expect(try await large(404).send(Endpoint<String>.get("/x"), nilFor: .notFound) == nil)
        let cases: [StatusCase<String>] = [.status(404, "missing"), .status(404, { (text: String) in text })]
        #expect(try await large(404).send(Endpoint<HTTPResponse>.get("/x"), cases: cases) == "missing")
        let mapped = Endpoint<Void>.delete("/x").map { "deleted" }
        #expect(try await large(200).send(mapped) == "deleted")
        let refusal = await #expect(throws: NetKitError.self) { try await large(500).send(Endpoint<Void>.delete("/x")) }
        #expect(refusal?.code == .server)
    }

    /// A list that has moved, and whose first page links to a second one.
    private func movedList() -> HTTPClient {
        client(
            ScriptedTransport { request, _ in
                let url = request.url
                if url.path() == "/old" { return HTTPResponse(status: 302, headers: ["Location": "/list"]) }
                let headers: HTTPHeaders = url.query() == nil ? ["Link": "</list?page=2>; rel=next"] : [:]
                return HTTPResponse(status: 200, headers: headers, body: ResponseBody(Data(repeating: 65, count: 200)))
            }
        )
    }

    @Test func aBodyThatNobodyReadsLeavesTheURLAndTheHistory() async throws {
        let (_, response): (Void, HTTPResponse) = try await movedList().send(Endpoint<Void>.get("/old"))
        #expect(response.url?.absoluteString == "https://api.example.com/list")
        #expect(response.history.map(\.status) == [302])
        #expect(response.history.first?.from.path() == "/old")
    }

    @Test(arguments: ["/old", "/list"] as [RequestPath])
    func pagesWhoseBodiesNobodyReadsAreFollowed(_ path: RequestPath) async throws {
        var count = 0
        for try await _ in movedList().linkedPages(Endpoint<Void>.get(path)) { count += 1 }
        #expect(count == 2)
    }

    @Test func aSuccessThatIsTooLargeStaysThat() async throws {
        let transport = ScriptedTransport { _, _ in
            HTTPResponse(status: 200, body: ResponseBody(Data(repeating: 65, count: 200)))
        }
        let error = await #expect(throws: NetKitError.self) {
            try await client(transport).send(Endpoint<String>.get("/x"))
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.status == .ok)
    }

    /// A transport whose login is larger than the bound, and which can delete.
    private func serverWithLargeLogin() -> MockTransport {
        let transport = MockTransport()
        transport.stub(.post, "/token", .data(Data(repeating: 65, count: 200)))
        transport.stub(.delete, "/x", .status(204))
        return transport
    }

    @Test func theSizeOfARefreshSaysNothingAboutTheRequest() async throws {
        let transport = serverWithLargeLogin()
        let login = client(transport)
        let store = TokenStore(initial: nil, clock: TestClock().clock) { _ in
            AccessToken(try await login.send(Endpoint<String>.post("/token")))
        }
        let api = client(transport, AuthInterceptor(store))
        let error = await #expect(throws: NetKitError.self) { try await api.send(Endpoint<Void>.delete("/x")) }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.map(\.method) == [.post])
    }

    @Test func theSizeOfACallOfAnInterceptorSaysNothingAboutTheRequest() async throws {
        let transport = serverWithLargeLogin()
        let login = client(transport)
        let asking = Intercepting { request, context, next in
            let _: String = try await login.send(Endpoint<String>.post("/token"))
            return try await next(request, context)
        }
        let api = client(transport, asking)
        let error = await #expect(throws: NetKitError.self) { try await api.send(Endpoint<Void>.delete("/x")) }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.requestLine == "POST https://api.example.com/token")
        #expect(transport.requests.map(\.method) == [.post])
    }
}
