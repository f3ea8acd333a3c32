import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the server without faults.
@Suite(.needsTheMachine)
struct MockServerTests {
    let server: MockServer

    init() throws {
        server = try MockServer()
    }

    private func connect() throws -> RawConnection {
        try #require(RawConnection(port: server.port))
    }

    @Test func responsesHaveTheseBytes() throws {
        server.on(.get, "/users/42", .jsonText(#"{"id":42}"#).header("X-A", "1").header("X-A", "2"))
        let received = try RawConnection.get(server.port, "/users/42", headers: "Connection: close\r\n")
        let expected = """
            HTTP/1.1 200 OK\r
            Content-Type: application/json\r
            X-A: 1\r
            X-A: 2\r
            Content-Length: 9\r
            Connection: close\r
            \r
            {"id":42}
            """
        #expect(received == .init(bytes: Data(expected.utf8), end: .closed))
    }

    @Test func aWaitThatIsCancelledSaysWhatHasArrived() async {
        func report(of wait: @escaping @Sendable (MockServer) async -> Void) async -> String {
            let reports = Locked("")
            let sink: @Sendable (String) -> Void = { report in reports.withLock { $0 += report } }
            await TestWaitReport.$sink.withValue(sink) {
                let task = Task { [server] in await wait(server) }
                task.cancel()
                await task.value
            }
            return reports.withLock { $0 }
        }
        let prefix = "NetKit: A test was cancelled while it waited for"
        #expect(
            await report { await $0.waitForRequests(1) } == "\(prefix) 1 request to the mock server. There were 0.\n"
        )
        #expect(
            await report { await $0.waitForOpenConnections(2) }
                == "\(prefix) 2 open connections to the mock server. There were 0.\n"
        )
        server.stop()
        #expect(await report { await $0.waitForRequests(1) } == "")
    }

    @Test func aValueIsJSONAndAHeaderReplacesItsType() throws {
        server.on(.get, "/users/42", .json(["id": 42]).header("content-type", "text/json"))
        let received = try RawConnection.get(server.port, "/users/42", headers: "Connection: close\r\n").text
        #expect(received.contains("\r\ncontent-type: text/json\r\n"))
        #expect(!received.contains("application/json"))
        #expect(received.hasSuffix(#"{"id":42}"#))
    }

    @Test func aQueryInThePathOfARouteCounts() throws {
        server.on(.get, "/a", .text("any"))
        server.on(.get, "/a?limit=2", .text("two"))
        for (query, expected) in [("limit=2&x=1", "two"), ("limit=3", "any"), ("limit=%zz|[", "any")] {
            let received = try RawConnection.get(server.port, "/a?\(query)", headers: "Connection: close\r\n").text
            #expect(received.hasSuffix(expected), "\(query)")
        }
    }

    @Test func repliesAreGivenInTurnAndTheLastStays() throws {
        server.on(.get, "/", .status(503), .status(500), .text("at last"))
        let connection = try connect()
        let statuses = (0..<4).map { _ in
            connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            return connection.read(until: "\r\n\r\n").text.split(separator: " ")[1]
        }
        #expect(statuses == ["503", "500", "200", "200"])
    }

    @Test(arguments: [
        ("/a/b", "exact"), ("/a/c", "one"), ("/a/b/c", "any"),
        ("/b", "{\"detail\":\"No route matches GET /b?q=…. Routes: "),
    ])
    func laterRoutesWin(path: String, expected: String) throws {
        server.on(nil, "/a/**", .text("any"))
        server.on(.get, "/a/*", .text("one"))
        server.on(.get, "/a/b", .text("exact"))
        server.on(.post, "/a/b", .text("another method"))
        let received = try RawConnection.get(server.port, path + "?q=1", headers: "Connection: close\r\n").text
        #expect(received.contains("\r\n\r\n" + expected))
    }

    @Test func unknownPathsAreToldTheRoutes() throws {
        server.on(.get, "/a", .status(200))
        server.on(nil, "/b/*", .status(200))
        let received = try RawConnection.get(server.port, "/c", headers: "Connection: close\r\n").text
        #expect(received.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(received.contains("\r\nContent-Type: application/problem+json\r\n"))
        let detail = "No route matches GET /c. Routes: GET /a; any method /b/*."
        #expect(received.hasSuffix("\r\n\r\n{\"detail\":\"\(detail)\"}"))
    }

    @Test func theErrorOfAClientNamesTheRoutes() async throws {
        server.on(.get, "/users/42", .status(200))
        let client = HTTPClient(baseURL: server.baseURL, interceptors: [])
        let error = await #expect(throws: NetKitError.self) { try await client.get("/user/42", as: String.self) }
        #expect(
            error?.message == "The server responded with 404 Not Found: "
                + "No route matches GET /user/42. Routes: GET /users/42."
        )
    }

    /// A list of lists, whose decoding needs a part of the stack for each level.
    private struct Nested: Decodable {
        let depth: Int

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            depth = list.isAtEnd ? 1 : try list.decode(Nested.self).depth + 1
        }
    }

    @Test func aHandlerCanDecodeADeepBody() throws {
        server.on(.post, "/depth") { .text("\((try? JSONDecoder().decode(Nested.self, from: $0.body))?.depth ?? 0)") }
        let body = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
        let connection = try connect()
        connection.send("POST /depth HTTP/1.1\r\nHost: x\r\nContent-Length: 800\r\nConnection: close\r\n\r\n" + body)
        #expect(connection.read().text.hasSuffix("\r\n\r\n400"))
    }

    @Test func handlersSeeTheWholeRequestAndItsRecordIsExact() throws {
        server.on(.post, "/echo") { request in .data(request.body).header("X-Query", request.query("a b") ?? "none") }
        let connection = try connect()
        let head = "POST /echo?x&a%20b=c%26d HTTP/1.1\r\nhost: x\r\nX-odd:\t v \r\nContent-Length: 5\r\n\r\n"
        connection.send(head + "hello")
        #expect(connection.read(until: "hello").text.contains("X-Query: c&d\r\n"))
        let request = try #require(server.requests.first)
        #expect(request.rawHead == Data(head.utf8))
        #expect(request.method == .post)
        #expect(request.target == "/echo?x&a%20b=c%26d")
        #expect(request.path == "/echo")
        #expect(request.query == "x&a%20b=c%26d")
        #expect(request.headers.fields.map(\.name) == ["host", "X-odd", "Content-Length"])
        #expect(request.headers["x-odd"] == "v")
        #expect(request.bodyText == "hello")
        #expect((request.connection, request.index) == (1, 1))
    }

    @Test func connectionNumbersProveReuse() throws {
        server.on(.get, "/", .status(200))
        let connections = try [connect(), connect()]
        for connection in [connections[0], connections[0], connections[1], connections[0]] {
            connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = connection.read(until: "\r\n\r\n")
        }
        let first = server.requests[0].connection
        #expect(server.requests.map(\.connection) == [first, first, 3 - first, first])
        #expect(server.requests.map(\.index) == [1, 2, 1, 3])
        #expect(server.connectionCount == 2)
        // Optimized code would release the connections after their last use, and so close them.
        withExtendedLifetime(connections) { #expect(server.openConnectionCount == 2) }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
        server.on(.get, "/*") { .text($0.path) }
        server.on(.post, "/*") { .text($0.bodyText) }
        let connection = try connect()
        connection.send(
            "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\ntwo"
                + "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        let bodies = connection.read().text.components(separatedBy: "\r\n\r\n").dropFirst().map { $0.prefix(3) }
        #expect(bodies == ["/1H", "two", "/3"])
    }

    @Test func chunkedRequestBodiesAreReadWithTheirTrailers() throws {
        server.on(.post, "/") { .text($0.bodyText) }
        let connection = try connect()
        connection.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
        connection.send("5;ext=1\r\nhello\r\n")
        connection.send("A\r\n, 10 bytes\r\n0\r\nX-Sum: 15\r\n\r\n")
        #expect(connection.read().text.hasSuffix("\r\n\r\nhello, 10 bytes"))
        #expect(server.requests.first?.trailers == ["X-Sum": "15"])
    }

    @Test func largeBodiesGoBothWays() throws {
        server.on(.post, "/") { .data($0.body) }
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let connection = try connect()
        connection.send("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.send(body)
        let received = connection.read()
        #expect(received.bytes.suffix(body.count) == body)
        #expect(server.requests.first?.body == body)
    }

    @Test func expectationsAreMetBeforeTheBodyIsRead() throws {
        server.on(.post, "/", .text("done"))
        let connection = try connect()
        connection.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(connection.read(until: "\r\n\r\n").text == "HTTP/1.1 100 Continue\r\n\r\n")
        connection.send("hi")
        #expect(connection.read(until: "done").text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func expectationsCanBeRefused() throws {
        server.on(.post, "/", .status(417).after(.headers))
        let connection = try connect()
        connection.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        let received = connection.read()
        #expect(received.text.hasPrefix("HTTP/1.1 417 Expectation Failed\r\n"))
        #expect(received.end == .closed)
    }

    @Test(arguments: [
        ("HEAD", 200, "Content-Length: 5"), ("GET", 204, ""), ("GET", 304, ""), ("HEAD", 204, ""),
    ])
    func someResponsesHaveNoBody(method: String, status: Int, length: String) throws {
        server.on(nil, "/", .data(Data("hello".utf8), status: HTTPStatus(status)))
        let connection = try connect()
        connection.send("\(method) / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let received = connection.read().text
        let lines = [HTTPStatus(status).description, length, "Connection: close"].filter { !$0.isEmpty }
        #expect(received == "HTTP/1.1 " + lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    @Test(arguments: [
        ("HTTP/1.0", "", "Connection: close\r\n", RawConnection.End.closed),
        ("HTTP/1.0", "Connection: keep-alive\r\n", "Connection: keep-alive\r\n", .timedOut),
        ("HTTP/1.1", "Host: x\r\nConnection: close\r\n", "Connection: close\r\n", .closed),
        ("HTTP/1.1", "Host: x\r\n", "", .timedOut),
    ])
    func versionAndConnectionDecideWhetherItStaysOpen(
        version: String,
        headers: String,
        response: String,
        end: RawConnection.End
    ) throws {
        server.on(.get, "/", .text("ok"))
        let connection = try connect()
        connection.send("GET / \(version)\r\n\(headers)\r\n")
        let received = connection.read(until: end == .timedOut ? "ok" : nil)
        #expect(received.text.contains("Content-Length: 2\r\n\(response)\r\nok"))
        #expect(received.end == end)
        #expect(server.openConnectionCount <= 1)
    }

    @Test(arguments: [
        ("GET /\r\n\r\n", "the request line is not `method target version`"),
        ("GET  / HTTP/1.1\r\n\r\n", "the request line is not `method target version`"),
        ("GET / HTTP/2.0\r\n\r\n", "the version is neither HTTP/1.1 nor HTTP/1.0"),
        ("G@T / HTTP/1.1\r\n\r\n", "the method is not a token"),
        ("GET / HTTP/1.1\r\n\r\n", "there is not exactly one Host field"),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "there is not exactly one Host field"),
        ("GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", "a header line is not `name: value`"),
        ("GET / HTTP/1.1\r\nHost: x\r\n folded: x\r\n\r\n", "a header name is not a token"),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n", "Content-Length is not a number"),
        (
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "Content-Length is not a number"
        ),
        ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", "the transfer coding is not chunked"),
        (
            "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
            "there are both Content-Length and Transfer-Encoding"
        ),
        (
            "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
            "a chunk size is not a number"
        ),
        (
            "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
            "a chunk is longer than its size says"
        ),
    ])
    func malformedRequestsAreRefused(bytes: String, reason: String) throws {
        server.on(nil, "/", .status(200))
        let connection = try connect()
        connection.send(bytes)
        let received = connection.read()
        #expect(received.text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(received.text.hasSuffix("Connection: close\r\n\r\nMalformed request: \(reason).\n"))
        #expect(received.end == .closed)
        #expect(server.requests.isEmpty)
    }

    @Test func proxyRequestsAreRoutedByTheirPath() throws {
        server.on(.get, "/a", .text("here"))
        let received = try RawConnection.get(server.port, "http://elsewhere/a?b", headers: "Connection: close\r\n")
        #expect(received.text.hasSuffix("here"))
    }

    @Test func aPathMayContainAURL() throws {
        server.on(.get, "/web/https://*/a", .text("here"))
        let received = try RawConnection.get(server.port, "/web/https://x/a?b", headers: "Connection: close\r\n")
        #expect(received.text.hasSuffix("here"))
        #expect(server.requests.map(\.path) == ["/web/https://x/a"])
    }

    @Test func urlsPointAtTheServer() {
        #expect(server.baseURL.absoluteString == "http://127.0.0.1:\(server.port)/")
        #expect(server.url("/a?b=c").absoluteString == "http://127.0.0.1:\(server.port)/a?b=c")
        #expect(server.url("a").absoluteString == "http://127.0.0.1:\(server.port)/a")
    }
}
