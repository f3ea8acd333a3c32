import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of each fault of a response, as it is seen on the wire.
@Suite(.needsTheMachine)
struct MockServerFaultTests {
    let server: MockServer

    init() throws {
        server = try MockServer()
    }

    private static let head = "HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 5\r\n\r\n"

    private func get(_ reply: ServerReply) throws -> RawConnection.Received {
        server.on(.get, "/", reply)
        return try RawConnection.get(server.port, "/")
    }

    private func connect() throws -> RawConnection {
        try #require(RawConnection(port: server.port))
    }

    static let moments: [(ServerReply.Moment, String)] = [
        (.start, ""),
        (.inStatusLine, "HTTP/1.1"),
        (.inHeaders, "HTTP/1.1 200 OK\r\nX: 1\r\nContent"),
        (.inBody(after: 0), head),
        (.inBody(after: 2), head + "he"),
        (.inBody(after: .max), head + "hello"),
        (.end, head + "hello"),
    ]

    @Test(arguments: moments)
    func closingCutsTheResponseOff(moment: ServerReply.Moment, seen: String) throws {
        let received = try get(.data(Data("hello".utf8)).header("X", "1").closing(at: moment))
        #expect(received.text == seen)
        #expect(received.end == .closed)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [("", ServerReply.Moment.inStatusLine), ("HTTP/1.1 200 OK\r\n", .inHeaders)])
    func aRawResponseThatEndsBeforeItsFaultIsSentWhole(text: String, moment: ServerReply.Moment) throws {
        let received = try get(.raw(text).closing(at: moment))
        #expect(received.text == text)
        #expect(received.end == .closed)
    }

    @Test(arguments: moments.dropFirst())
    func aFaultOfARawResponseComesAfterItsInformationalOne(moment: ServerReply.Moment, seen: String) throws {
        let text = Self.head + "hello"
        let received = try get(.raw(text).continue100().closing(at: moment))
        #expect(received.text == "HTTP/1.1 100 Continue\r\n\r\n" + seen)
        #expect(received.end == .closed)
    }

    @Test(arguments: moments)
    func resettingCutsTheResponseOff(moment: ServerReply.Moment, seen: String) throws {
        // The pause lets the bytes out: a reset discards bytes that the client has not read yet.
        let reply = ServerReply.data(Data("hello".utf8)).header("X", "1").stalling(at: moment).resetting(at: moment)
        server.on(.get, "/", reply)
        let connection = try connect()
        connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(connection.read(upTo: seen.utf8.count).text == seen)
        server.release()
        #expect(connection.read() == .init(end: .reset))
    }

    @Test(arguments: moments)
    func stallingHoldsTheRestBackUntilTheRelease(moment: ServerReply.Moment, seen: String) async throws {
        server.on(.get, "/", .data(Data("hello".utf8)).header("X", "1").stalling(at: moment))
        let connection = try connect()
        connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await server.waitForRequests(1)
        #expect(connection.read(upTo: seen.utf8.count).text == seen)
        #expect(connection.readAvailable() == "")
        server.release()
        let rest = String((Self.head + "hello").dropFirst(seen.count))
        #expect(connection.read(upTo: rest.utf8.count).text == rest)
    }

    @Test(arguments: [ServerReply.Depth.requestLine, .headers, .body])
    func resetsComeAsSoonAsThatMuchWasRead(depth: ServerReply.Depth) throws {
        server.on(.post, "/", .status(200).after(depth).resetting(at: .start))
        let connection = try connect()
        let parts = ["POST / HTTP/1.1\r\n", "Host: x\r\nContent-Length: 2\r\n\r\n", "hi"]
        let needed = depth == .requestLine ? 1 : depth == .headers ? 2 : 3
        for part in parts.prefix(needed) { connection.send(part) }
        #expect(connection.read() == .init(end: .reset))
        let request = try #require(server.requests.first)
        #expect(request.rawHeadText == parts.prefix(min(needed, 2)).joined())
        #expect(request.bodyText == (needed == 3 ? "hi" : ""))
    }

    @Test func earlyResponsesLeaveTheConnectionInOrder() throws {
        server.on(.post, "/", .text("early").after(.headers))
        server.on(.get, "/", .text("next"))
        let connection = try connect()
        connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n")
        #expect(connection.read(until: "early").end == .timedOut)
        connection.send("hiGET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(connection.read(until: "next").text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(server.requests.map(\.connection) == [1, 1])
    }

    @Test func bodiesAreCutShortUnderContentLength() throws {
        let received = try get(.text("hello").bodyCutShort(by: 2))
        #expect(received.text.hasSuffix("Content-Length: 5\r\n\r\nhel"))
        #expect(received.end == .closed)
    }

    @Test func bodiesAreCutShortUnderChunked() throws {
        let received = try get(.chunked([Data("hello".utf8), Data("world".utf8)]).bodyCutShort(by: 2))
        #expect(received.text.hasSuffix("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nwor"))
        #expect(received.end == .closed)
    }

    @Test func chunkedBodiesHaveTrailers() throws {
        let chunks = ["hello, ", "", "sixteen bytes ok"].map { Data($0.utf8) }
        let received = try get(.chunked(chunks, trailers: ["X-Sum": "1"]).connectionClose()).text
        let body = "7\r\nhello, \r\n10\r\nsixteen bytes ok\r\n0\r\nX-Sum: 1\r\n\r\n"
        #expect(received.hasPrefix("HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n"))
        #expect(received.hasSuffix("\r\n\r\n" + body))
    }

    @Test(arguments: [
        (ServerReply.badChunk(), "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nno size\r\nno chunk\r\n"),
        (.http09("<p>hello"), "<p>hello"),
        (.raw("HTTP/1.1 200 OK\r\nA : b\r\n\r\n").closing(at: .end), "HTTP/1.1 200 OK\r\nA : b\r\n\r\n"),
        (.untilClose(Data("hello".utf8)), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"),
        (.status(999).connectionClose(), "HTTP/1.1 999 \r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        (.status(0).closing(at: .end), "HTTP/1.1 0 \r\nContent-Length: 0\r\n\r\n"),
        (.status(200).statusLine("HTTP/7 fine").closing(at: .end), "HTTP/7 fine\r\nContent-Length: 0\r\n\r\n"),
        (.text("hello").header("Content-Length", "9").closing(at: .end), "Content-Length: 9\r\n\r\nhello"),
        (.status(200).rawHeaderLine("X: a\r\n b").closing(at: .end), "OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n"),
        (.status(200).lineEnding(.lf).closing(at: .end), "HTTP/1.1 200 OK\nContent-Length: 0\n\n"),
        (.redirect(to: "/b").closing(at: .end), "302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"),
        (
            .challenge(#"Basic realm="x""#, "Negotiate").closing(at: .end),
            "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nWWW-Authenticate: Negotiate\r\n"
                + "Content-Length: 0\r\n\r\n"
        ),
        (
            .text("x").continue100().informational(103, ["Link": "</a>"]).closing(at: .inBody(after: 0)),
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n"
                + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 1\r\n\r\n"
        ),
    ])
    func oddResponsesHaveTheseBytes(reply: ServerReply, ending: String) throws {
        let received = try get(reply)
        #expect(received.text.hasSuffix(ending))
        #expect(received.text.hasPrefix("HTTP/") == (ending != "<p>hello"))
        #expect(received.end == .closed)
    }

    @Test func headerValuesNeedNotBeText() throws {
        let received = try get(.status(200).rawHeaderLine(Data([0x58, 0x3A, 0xFF, 0xFE])).closing(at: .end))
        #expect(received.bytes.range(of: Data([0x58, 0x3A, 0xFF, 0xFE, 0x0D, 0x0A])) != nil)
    }

    @Test func garbageIsNoStatusLine() throws {
        let received = try get(.garbage)
        #expect(received.bytes.starts(with: [0x16, 0x03, 0x01]))
        #expect(received.end == .closed)
    }

    @Test(arguments: [
        (ServerReply.endlessHeaderLine, "HTTP/1.1 200 OK\r\nX-Endless: aaaa"),
        (.endlessHeaders, "HTTP/1.1 200 OK\r\nX-Endless: and one more\r\nX-Endless: and one more\r\n"),
        (.endlessBody, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\naaaa"),
    ])
    func endlessResponsesContinueUntilTheClientLeaves(reply: ServerReply, start: String) async throws {
        server.on(.get, "/", reply)
        var connection: RawConnection? = try connect()
        connection?.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let received = try #require(connection?.read(upTo: 3_000_000))
        #expect(received.bytes.count == 3_000_000)
        #expect(received.text.hasPrefix(start))
        connection = nil
        await server.waitForOpenConnections(0)
    }

    @Test func stallsEndWhenTheClientLeaves() async throws {
        server.on(.get, "/", .text("hello").stalling(at: .inHeaders))
        var connection: RawConnection? = try connect()
        connection?.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await server.waitForRequests(1)
        #expect(server.openConnectionCount == 1)
        connection = nil
        await server.waitForOpenConnections(0)
        #expect(server.openConnectionCount == 0)
    }

    @Test func idleConnectionsCloseJustAsTheNextRequestArrives() throws {
        server.on(.get, "/", .text("first").closingIdleConnection(), .text("second"))
        let connection = try connect()
        connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let first = connection.read(until: "first")
        #expect(!first.text.contains("Connection: close"))
        #expect(first.end == .timedOut)
        connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(connection.read() == .init(end: .reset))
        #expect(server.requests.count == 1)
    }

    @Test func dripsKeepTheirRate() throws {
        let start = ContinuousClock.now
        let received = try get(.raw(String(repeating: "x", count: 30)).dripping(bytesPerSecond: 300).closing(at: .end))
        #expect(received.bytes.count == 30)
        #expect(ContinuousClock.now - start >= .milliseconds(95))
    }

    @Test func throttlingSlowsResponsesAndBodies() throws {
        server.throttle(bytesPerSecond: 20_000)
        server.on(.post, "/", .raw(String(repeating: "x", count: 2000)).closing(at: .end))
        let connection = try connect()
        let start = ContinuousClock.now
        connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n")
        connection.send(String(repeating: "y", count: 2000))
        #expect(connection.read().bytes.count == 2000)
        #expect(ContinuousClock.now - start >= .milliseconds(190))
        server.throttle(bytesPerSecond: nil)
        #expect(try RawConnection.get(server.port, "/x", headers: "Connection: close\r\n").end == .closed)
    }

    @Test func pausesTakeTheirTime() throws {
        let start = ContinuousClock.now
        #expect(try get(.text("hello").pausing(.milliseconds(30)).connectionClose()).text.hasSuffix("hello"))
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }
}
