import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the server with other clients.
@Suite(.needsTheMachine)
struct MockServerToolTests {
    let server: MockServer

    init() throws {
        server = try MockServer()
    }

    private func curl(_ arguments: String...) async throws -> (status: Int32, output: String) {
        let url = server.url("/").absoluteString
        return try await Peer.curl.required().run(
            ["--silent", "--noproxy", "*", "--max-time", "10"] + arguments + [url]
        )
    }

    // Exit codes of curl(1).
    @Test(
        .needs(.curl),
        arguments: [
            (ServerReply.text("hello"), 0, "hello"),
            (.chunked([Data("hel".utf8), Data("lo".utf8)], trailers: ["X-Sum": "1"]), 0, "hello"),
            (.gzip(Data("hello".utf8)), 0, "hello"),
            (.gzip(Data()), 0, ""),
            (.text("hello").informational(103, ["Link": "</a>"]), 0, "hello"),
            (.text("hello").lineEnding(.lf), 0, "hello"),
            (.text("hello").bodyCutShort(by: 2), 18, "hel"),
            (.chunked([Data("hello".utf8)]).bodyCutShort(by: 2), 18, "hel"),
            (.badChunk(), 56, "hello"),
            (.gzip(Data("hello".utf8), .corrupt), 61, "hel"),
            (.http09("hello"), 1, ""),
            (.text("hello").closing(at: .start), 52, ""),
            (.text("hello").resetting(at: .start), 56, ""),
            (.endlessHeaderLine, 100, ""),
        ]
    )
    func curlReadsAResponseOrReportsItsFault(reply: ServerReply, status: Int, output: String) async throws {
        server.on(.get, "/", reply)
        let result = try await curl("--compressed")
        if status == 100 {
            // The code for too large a header depends on the version.
            #expect(result.status != 0)
        } else {
            #expect(Int(result.status) == status, "\(result.output)")
            #expect(result.output.hasPrefix(output))
        }
    }

    @Test(.needs(.curl))
    func curlReusesItsConnection() async throws {
        server.on(.get, "/", .text("a"))
        server.on(.post, "/", .text("b"))
        let url = server.url("/").absoluteString
        #expect(try await curl("-d", "x=1", url).output == "bb")
        #expect(server.requests.map(\.connection) == [1, 1])
        #expect(server.requests.map(\.bodyText) == ["x=1", "x=1"])
    }

    @Test(.needs(.curl))
    func curlRetriesOnAnIdleConnectionThatWasClosed() async throws {
        server.on(.get, "/", .text("a").closingIdleConnection(), .text("b"))
        #expect(try await curl(server.url("/").absoluteString).output == "ab")
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test(.needs(.python3))
    func pythonReadsBothKindsOfBodies() async throws {
        server.on(.post, "/") { .chunked([$0.body, Data("!".utf8)]) }
        server.on(.get, "/", .text("plain"))
        let script = """
            import http.client
            connection = http.client.HTTPConnection("127.0.0.1", \(server.port), timeout=10)
            for method, body in (("GET", None), ("POST", b"sized"), ("POST", iter([b"in ", b"chunks"]))):
                connection.request(method, "/", body=body, encode_chunked=True)
                response = connection.getresponse()
                print(response.status, response.read().decode())
            """
        let result = try await Peer.python3.required().run(["-c", script])
        #expect(result.output == "200 plain\n200 sized!\n200 in chunks!\n")
        #expect(server.requests.map(\.connection) == [1, 1, 1])
    }

    @Test(.needs(.python3), arguments: [0, 1, 2, 258, 259, 260, 777, 1000, 50_000_000])
    func bombsUnpackToTheirSize(size: Int) async throws {
        server.on(.get, "/", .gzipBomb(decodedSize: size))
        let script = """
            import http.client, gzip
            connection = http.client.HTTPConnection("127.0.0.1", \(server.port), timeout=10)
            connection.request("GET", "/")
            response = connection.getresponse()
            wire = int(response.headers["Content-Length"])
            with gzip.open(response) as body:
                size = zeros = 0
                while piece := body.read(1 << 20):
                    size, zeros = size + len(piece), zeros + piece.count(0)
            print(response.headers["Content-Encoding"], size, zeros, wire <= size // 1000 + 120)
            """
        let result = try await Peer.python3.required().run(["-c", script])
        #expect(result.output == "gzip \(size) \(size) True\n")
    }

    @Test(
        .needs(.python3),
        arguments: [
            (ServerReply.GzipCondition.whole, "100000 whole"), (.corrupt, "error invalid stored block lengths"),
            (.cutShort, "EOFError"),
        ]
    )
    func gzipIsInTheConditionItShouldBe(condition: ServerReply.GzipCondition, expected: String) async throws {
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        server.on(.get, "/", .gzip(data, condition))
        let script = """
            import urllib.request, gzip
            body = urllib.request.build_opener(urllib.request.ProxyHandler({})).open("\(server.url("/"))").read()
            try:
                data = gzip.decompress(body)
                print(len(data), "whole" if data == bytes(i * 7 & 255 for i in range(100000)) else "other")
            except Exception as error:
                print(type(error).__name__, str(error).split(": ")[-1] if "block" in str(error) else "")
            """
        let result = try await Peer.python3.required().run(["-c", script])
        #expect(result.output.trimmingCharacters(in: .whitespacesAndNewlines) == expected)
    }

    @Test(.enabled(if: SystemTool.wrk != nil && ProcessInfo.processInfo.environment["NETKIT_BENCH"] != nil))
    func smallRequestsAreServedFastEnough() async throws {
        server.on(.get, "/", .text("hello"))
        let wrk = try #require(SystemTool.wrk)
        let result = try await wrk.run(["-t1", "-c32", "-d5s", server.url("/").absoluteString])
        print(result.output)
        let line = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") })
        #expect(try #require(Double(line.split(separator: " ")[1])) >= 20_000)
    }
}
