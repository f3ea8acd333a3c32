import Foundation
import NetKit
import NetKitTesting
import Testing

struct ClientFoundationTests {
    private let transport = MockTransport()
    private let client: HTTPClient
    private let url: URL

    init() throws {
        // On a busy machine, another thread can need long to read a stream.
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = .none
        client = HTTPClient(transport: transport, configuration: configuration)
        url = try #require(URL(string: "https://api.example.com/thing"))
    }

    @Test(arguments: [200, 204, 302, 404, 500])
    func givesAnyStatusAsItIs(status: Int) async throws {
        transport.stub(.get, "/thing", .text("body", status: HTTPStatus(status)).header("X-Kind", "test"))
        let (data, response) = try await client.data(for: URLRequest(url: url))
        #expect(data == Data((status == 204 ? "" : "body").utf8))
        #expect(response.statusCode == status)
        #expect(response.value(forHTTPHeaderField: "x-kind") == "test")
        #expect(response.url == url)
    }

    @Test func sendsMethodHeadersAndBody() async throws {
        transport.stub(.put, "/thing", .status(201))
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue("text/x-test", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("hello".utf8)
        let (_, response) = try await client.data(for: request)
        #expect(response.statusCode == 201)
        let sent = try #require(transport.requests.first)
        #expect(sent.method == .put)
        #expect(sent.headers["content-type"] == "text/x-test")
        #expect(sent.bodyText == "hello")
    }

    @Test func sendsABodyStream() async throws {
        transport.stub(.post, "/thing", .status(200))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("streamed".utf8))
        _ = try await client.data(for: request)
        #expect(transport.requests.first?.bodyText == "streamed")
    }

    @Test(arguments: [Double.nan, -1, 0, -Double.infinity])
    func anUnusableTimeoutIntervalIsRefused(interval: Double) async throws {
        transport.stub(.get, "/thing", .status(200))
        var request = URLRequest(url: url)
        request.timeoutInterval = interval
        let error = await #expect(throws: NetKitError.self) { try await client.data(for: request) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("timeoutInterval") == true)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        (5.0, Duration.seconds(5)), (1e300, .nanoseconds(Int64.max)), (Double.infinity, .nanoseconds(Int64.max)),
    ])
    func theTimeoutIntervalIsTheIdleLimit(interval: Double, expected: Duration) async throws {
        let idle = Locked<Duration?>(nil)
        transport.stub(
            .get,
            "/thing",
            .respond { _, context in
                idle.withLock { $0 = context.timeouts.idle }
                return HTTPResponse(status: .ok)
            }
        )
        var request = URLRequest(url: url)
        request.timeoutInterval = interval
        _ = try await client.data(for: request)
        #expect(idle.withLock { $0 } == expected)
    }

    @Test func isBounded() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.maxBufferedBytes = 3
        let client = HTTPClient(transport: transport, configuration: configuration)
        transport.stub(.get, "/thing", .text("four"))
        let error = await #expect(throws: NetKitError.self) { try await client.data(from: url) }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test func anInvalidMethodIsRefusedBeforeTheTransport() async throws {
        var request = URLRequest(url: url)
        request.httpMethod = "GET / HTTP/1.1\r\nX: y"
        let error = await #expect(throws: NetKitError.self) { try await client.data(for: request) }
        #expect(error?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }
}
