#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of where `CurlTransport` connects to, and of the connections that it has kept.
    @Suite(.needsTheMachine)
    struct CurlConnectionTests {
        @Test(.needsIPv6, arguments: ["[::1]", "[0:0:0:0:0:0:0:1]"])
        func anIPv6AddressInAURLIsConnectedTo(_ host: String) async throws {
            let peer = try IPv6Peer()
            let url = try #require(URL(string: "http://\(host):\(peer.port)/x"))
            let response = try await HTTPClient.curl().send(HTTPRequest(.get, url))
            let head = try await response.body.text(upTo: 10_000)
            #expect(head.hasPrefix("GET /x HTTP/1.1\r\n"))
            #expect(head.contains("\r\nHost: [::1]:\(peer.port)\r\n"))
            #expect(response.timings.remoteAddress == "::1")
        }

        @Test(.needsIPv6) func aNameMayStandForAnIPv6Address() async throws {
            let peer = try IPv6Peer()
            let client = try HTTPClient.curl { $0.addressOverrides = ["api.example": "::1"] }
            let url = try #require(URL(string: "http://api.example:\(peer.port)/"))
            let response = try await client.send(HTTPRequest(.get, url))
            #expect(try await response.body.text(upTo: 10_000).contains("\r\nHost: api.example:\(peer.port)\r\n"))
            #expect(response.timings.remoteAddress == "::1")
        }

        /// Nothing listens at the first addresses, and their sockets are closed before the next one is opened.
        @Test func aConnectionToALaterAddressIsUsedAgain() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok"))
            let client = try HTTPClient.curl { $0.addressOverrides = ["api.example": "127.0.0.2,127.0.0.3,127.0.0.1"] }
            let url = try #require(URL(string: "http://api.example:\(server.port)/"))
            for round in 0..<3 {
                let response = try await client.send(HTTPRequest(.get, url))
                #expect(try await response.body.text(upTo: 10) == "ok")
                #expect(response.timings.remoteAddress == "127.0.0.1")
                #expect(response.timings.reusedConnection == (round > 0))
            }
            #expect(server.connectionCount == 1)
        }

        @Test func aHostWithoutFreeConnectionsDelaysNoOtherHost() async throws {
            let (full, other) = (try MockServer(), try MockServer())
            full.on(.get, "/", .text("late").stalling(at: .start))
            other.on(.get, "/", .text("ok"))
            let client = try HTTPClient.curl { $0.connections.maxPerHost = 2 }
            let calls = (0..<4).map { _ in Task { try await client.send(HTTPRequest(.get, full.url("/"))).status } }
            await full.waitForRequests(2)
            #expect(try await client.send(HTTPRequest(.get, other.url("/"))).status == .ok)
            #expect(full.connectionCount == 2)
            #expect(full.requests.count == 2)
            full.release()
            for call in calls { #expect(try await call.value == .ok) }
            #expect(full.connectionCount == 2)
        }

        @Test func aConnectionCanBeOpenedAheadOfTheCall() async throws {
            let server = try MockServer()
            server.on(.options, "/", .status(405))
            server.on(.get, "/", .text("ok"))
            let (client, url) = (try HTTPClient.curl(), server.url("/"))
            try await client.connect(to: url)
            let response = try await client.send(HTTPRequest(.get, url))
            #expect(response.timings.reusedConnection == true)
            #expect(try await response.body.text(upTo: 10) == "ok")
        }

        @Test(arguments: [(0, false), (1, true)])
        func aConnectionIsKeptUpToTheBound(maxIdle: Int, isKept: Bool) async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok"))
            let client = try HTTPClient.curl { $0.connections.maxIdle = maxIdle }
            for round in 0..<3 {
                let response = try await client.send(HTTPRequest(.get, server.url("/")))
                #expect(try await response.body.text(upTo: 10) == "ok")
                #expect(response.timings.reusedConnection == (isKept && round > 0))
                if !isKept { await server.waitForOpenConnections(0) }
            }
            #expect(server.connectionCount == (isKept ? 1 : 3))
        }

        @Test func onlySoManyIdleConnectionsAreKept() async throws {
            let (first, second) = (try MockServer(), try MockServer())
            first.on(.get, "/", .text("ok"))
            // Of two connections that became idle in the same millisecond, libcurl closes either.
            second.on(.get, "/", .text("ok").pausing(.milliseconds(5)))
            let client = try HTTPClient.curl { $0.connections.maxIdle = 1 }
            for server in [first, second] {
                let response = try await client.send(HTTPRequest(.get, server.url("/")))
                #expect(try await response.body.text(upTo: 10) == "ok")
            }
            await first.waitForOpenConnections(0)
            let response = try await client.send(HTTPRequest(.get, second.url("/")))
            #expect(response.timings.reusedConnection == true)
        }

        /// libcurl counts the connections in use as well when it decides whether it keeps one.
        @Test func callsThatWaitTakeNoIdleConnectionFromAnotherHost() async throws {
            let (slow, other) = (try MockServer(), try MockServer())
            slow.on(.get, "/", .text("late").stalling(at: .start))
            other.on(.get, "/", .text("ok"))
            let client = try HTTPClient.curl { $0.connections.maxIdle = 1 }
            let calls = (0..<3).map { _ in Task { try await client.send(HTTPRequest(.get, slow.url("/"))).status } }
            await slow.waitForRequests(3)
            for round in 0..<3 {
                let response = try await client.send(HTTPRequest(.get, other.url("/")))
                #expect(try await response.body.text(upTo: 10) == "ok")
                #expect(response.timings.reusedConnection == (round > 0))
            }
            slow.release()
            for call in calls { #expect(try await call.value == .ok) }
        }

        @Test func aGuardAllowsNoConnectionAheadOfTheCallsEither() async throws {
            let server = try MockServer()
            var configuration = HTTPClient.Configuration()
            configuration.addressGuard = AddressGuard()
            let client = HTTPClient(transport: try CurlTransport(), configuration: configuration)
            let error = await #expect(throws: NetKitError.self) { try await client.connect(to: server.url("/")) }
            #expect(error?.code == .addressRefused)
            #expect(server.requests.isEmpty)
        }

        /// The server closes its side after each response, and waits half a second for the other side.
        @Test func connectionsThatTheServerClosedWhileTheyWereIdleAreNoErrors() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok").closing(at: .end))
            let client = try HTTPClient.curl()
            for _ in 0..<2 {
                let status = try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                    for _ in 0..<5 {
                        group.addTask { try await client.send(HTTPRequest(.get, server.url("/"))).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(status == Array(repeating: 200, count: 5))
                await server.waitForOpenConnections(0)
            }
        }

        @Test(arguments: [HTTPMethod.get, .put, .delete])
        func aConnectionThatClosesUnreadIsNoError(_ method: HTTPMethod) async throws {
            let server = try MockServer()
            server.on(method, "/", .text("ok").closingIdleConnection())
            let client = try HTTPClient.curl()
            for _ in 0..<10 { #expect(try await client.send(HTTPRequest(method, server.url("/"))).status == 200) }
        }

        /// libcurl counts how often a handle sent a request again, and gives up after the fifth time. A handle that
        /// goes from call to call starts at zero each time.
        @Test func aRequestThatIsSentAgainDoesNotSpoilALaterOne() async throws {
            let server = try MockServer()
            let served = Locked<Set<Int>>([])
            server.on(.get, "/") { request in
                let isFirst = served.withLock { $0.insert(request.connection).inserted }
                return isFirst ? .text("ok") : .text("no").closing(at: .start)
            }
            let client = try HTTPClient.curl()
            for _ in 0..<12 { #expect(try await client.send(HTTPRequest(.get, server.url("/"))).status == 200) }
            let expected: [Int] = [1] + (1...11).flatMap { connection -> [Int] in [connection, connection + 1] }
            #expect(server.requests.map(\.connection) == expected)
        }

        @Test(arguments: ["https", "HTTPS", "hTTpS"])
        func aSchemeIsReadInAnyCase(_ scheme: String) async throws {
            let server = try MockServer()
            let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(server.port)/"))
            let client = try HTTPClient.curl()
            let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, url)) }
            #expect(error?.code == .tls)
        }

        /// The server may have acted on a request that it has read, and only the caller knows whether it may do so
        /// twice.
        @Test(arguments: [10, 100_000, 3_000_000], [true, false])
        func bytesThatTheServerHasReadAreNotSentAgain(_ size: Int, _ isStream: Bool) async throws {
            let server = try MockServer()
            server.on(.post, "/", .text("ok"), .text("no").closing(at: .start), .text("again"))
            let client = try HTTPClient.curl()
            let bytes = Data(count: size)
            func order() async throws -> HTTPStatus {
                let body =
                    isStream
                    ? HTTPBody.stream(
                        AsyncStream {
                            $0.yield(bytes)
                            $0.finish()
                        }
                    ) : .data(bytes)
                return try await client.send(HTTPRequest(.post, server.url("/"), body: body)).status
            }
            #expect(try await order() == 200)
            let error = await #expect(throws: NetKitError.self) { try await order() }
            #expect(error?.code == .connectionLost)
            #expect(error?.outcome == .unknown)
            #expect(server.requests.map(\.connection) == [1, 1])
        }

        /// The server recognizes a repetition by its key, so that it is as safe as an idempotent method.
        @Test(arguments: [10, 100_000, 3_000_000])
        func aRequestWithAKeyIsSentAgain(_ size: Int) async throws {
            let server = try MockServer()
            server.on(.post, "/", .text("ok"), .text("no").closing(at: .start), .text("again"))
            let client = try HTTPClient.curl()
            let keyed = HTTPRequest(
                .post,
                server.url("/"),
                headers: ["Idempotency-Key": "order-7"],
                body: .data(Data(count: size))
            )
            for _ in 0..<2 { #expect(try await client.send(keyed).status == 200) }
            #expect(server.requests.map(\.connection) == [1, 1, 2])
            #expect(server.requests.map(\.body.count) == [size, size, size])
        }

        @Test(arguments: [HTTPMethod.put, .post])
        func aStreamIsNotSentAgainEvenWithAKey(_ method: HTTPMethod) async throws {
            let server = try MockServer()
            server.on(method, "/", .text("ok"), .text("no").closing(at: .start), .text("again"))
            let client = try HTTPClient.curl()
            func order() async throws -> HTTPStatus {
                let chunks = AsyncStream<Data> {
                    $0.yield(Data(count: 10))
                    $0.finish()
                }
                let headers: HTTPHeaders = ["Idempotency-Key": "order-7"]
                let request = HTTPRequest(method, server.url("/"), headers: headers, body: .stream(chunks))
                return try await client.send(request).status
            }
            #expect(try await order() == 200)
            let error = await #expect(throws: NetKitError.self) { try await order() }
            #expect(error?.code == .connectionLost)
            #expect(error?.outcome == .unknown)
            #expect(server.requests.map(\.connection) == [1, 1])
        }
    }
#endif
