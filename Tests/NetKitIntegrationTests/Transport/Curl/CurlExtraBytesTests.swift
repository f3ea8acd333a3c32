#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of connections on which a server sends unsolicited bytes, over http.
    @Suite(.needsTheMachine)
    struct CurlExtraBytesTests {
        private static let evil = "HTTP/1.1 200 OK\r\nX-Path: evil\r\nContent-Length: 4\r\n\r\nevil"

        /// The loop watches idle connections, so this takes no further request.
        @Test(arguments: [evil, "HTTP/1.1 103 Early Hints\r\n\r\n", "H", "\r\n"])
        func anIdleConnectionIsClosedWhenUnexpectedBytesArrive(_ extra: String) async throws {
            let server = try MockServer()
            let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
            // The bytes after the two of the body are the unexpected ones.
            server.on(.get, "/", .raw(response + "ok" + extra).stalling(at: .inBody(after: 2)))
            server.on(.get, "/next", .text("next"))
            let client = try HTTPClient.curl()
            #expect(try await client.send(HTTPRequest(.get, server.url("/"))).status == 200)
            server.release()
            await server.waitForOpenConnections(0)
            #expect(try await client.send(HTTPRequest(.get, server.url("/next"))).status == 200)
            #expect(server.requests.map(\.connection) == [1, 2])
        }

        /// Otherwise, one origin could leave bytes that are read as the response of the next one.
        @Test func extraBytesOfOneOriginNeverReachAnotherThroughAProxy() async throws {
            let proxy = try MockServer()
            let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
            proxy.on(nil, "/evil", .raw(response + "ok" + Self.evil).stalling(at: .inBody(after: 2)))
            proxy.on(nil, "/mine/*") { .text($0.target) }
            let client = try HTTPClient.curl { $0.proxy = .url(proxy.baseURL) }
            func body(_ url: String) async throws -> String {
                let request = HTTPRequest(.get, try #require(URL(string: url)))
                return try await client.send(request).body.text(upTo: 1000)
            }
            for number in 0..<3 {
                let url = "http://b.test/mine/\(number)"
                #expect(try await body(url) == url)
            }
            #expect(try await body("http://a.test/evil") == "ok")
            #expect(proxy.connectionCount == 1)
            proxy.release()
            await proxy.waitForOpenConnections(0)
            for number in 3..<6 {
                let url = "http://b.test/mine/\(number)"
                #expect(try await body(url) == url)
            }
            #expect(proxy.connectionCount == 2)
        }

        /// After many calls in a row, the loop does not watch the connection between two of them. The check before a
        /// request finds the bytes, and the request moves to another connection, even if its body is a stream.
        @Test(arguments: [HTTPMethod.get, .head, .post])
        func aRequestMovesAwayFromAConnectionWithExtraBytes(_ method: HTTPMethod) async throws {
            let server = try MockServer()
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
            server.on(.get, "/evil", .raw(head + "ok" + Self.evil).stalling(at: .inBody(after: 2)))
            server.on(nil, "/mine") { ServerReply.text($0.bodyText).header("X-Path", $0.path) }
            let client = try HTTPClient.curl()
            for _ in 0..<60 { _ = try await client.send(HTTPRequest(.get, server.url("/mine"))) }
            _ = try await client.send(HTTPRequest(.get, server.url("/evil")))
            let sentCount = server.sentByteCount
            server.release()
            try await waitUntil { server.sentByteCount > sentCount || server.openConnectionCount == 0 }
            let body = HTTPBody.stream(
                AsyncStream { continuation in
                    continuation.yield(Data("mine".utf8))
                    continuation.finish()
                }
            )
            let request = HTTPRequest(method, server.url("/mine"), body: method == .post ? body : nil)
            let response = try await client.send(request)
            #expect(response.headers["X-Path"] == "/mine")
            if method == .post { #expect(try await response.body.text(upTo: 100) == "mine") }
            #expect(server.requests.map(\.connection) == Array(repeating: 1, count: 61) + [2])
        }

        /// The connection of a transfer that waits for its reader is not an idle connection, although libcurl does not
        /// read it.
        @Test func thePausedRestOfABodyIsNotExtraBytes() async throws {
            let server = try MockServer()
            let bytes = Data((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
            server.on(.get, "/", .data(bytes))
            let client = try HTTPClient.curl()
            for _ in 0..<3 {
                let options = CallOptions(delivery: .streamed)
                let response = try await client.send(HTTPRequest(.get, server.url("/")), options: options)
                var seen = Data()
                for try await chunk in response.body {
                    if seen.isEmpty { try await NetKitClock.system.sleep(for: .milliseconds(50)) }
                    seen.append(chunk)
                }
                #expect(seen == bytes)
            }
            #expect(server.connectionCount == 1)
        }
    }
#endif
