#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of the timings in an error, which show how far the exchange came.
    @Suite(.mostlySleeps)
    struct FailureTimingsTests {
        private static let deliveries = [Delivery.streamed, .buffered(upTo: 1 << 20)]

        /// Returns the timings of the error that a call ends with, whether its head arrived or not.
        private func timings(
            _ code: NetKitError.Code,
            from url: URL,
            _ delivery: Delivery,
            timeouts: Timeouts = .standard
        ) async throws -> ExchangeTimings {
            let client = HTTPClient(transport: try CurlTransport(), interceptors: [])
            let options = CallOptions(timeouts: timeouts, delivery: delivery)
            let thrown = await #expect(throws: NetKitError.self) {
                _ = try await client.send(HTTPRequest(.get, url), options: options).body.collect(upTo: 1 << 20)
            }
            let error = try #require(thrown)
            #expect(error.code == code)
            #expect(error.requestLine != nil)
            return try #require(error.timings)
        }

        @Test(arguments: deliveries)
        func aRefusedConnectionIsNeverConnected(_ delivery: Delivery) async throws {
            let server = try MockServer()
            try server.refuseConnections()
            let timings = try await timings(.connect, from: server.url("/"), delivery)
            #expect(timings.connected == nil)
            #expect(timings.secured == nil)
            #expect(timings.firstByte == nil)
            #expect(timings.bytesSent == 0)
            #expect(timings.bytesReceived == 0)
            #expect(timings.reusedConnection == nil)
            #expect(timings.protocolVersion == nil)
            #expect(timings.total != nil)
        }

        @Test(arguments: deliveries)
        func aResetInTheBodyHasTheTimingsBeforeIt(_ delivery: Delivery) async throws {
            let server = try MockServer()
            server.on(
                .get,
                "/",
                .data(Data(count: 1000)).pausing(.milliseconds(20), at: .inBody(after: 600))
                    .resetting(at: .inBody(after: 600))
            )
            let timings = try await timings(.connectionLost, from: server.url("/"), delivery)
            let connected = try #require(timings.connected)
            let firstByte = try #require(timings.firstByte)
            let total = try #require(timings.total)
            #expect(connected <= firstByte)
            #expect(firstByte < total)
            #expect(timings.bytesReceived == 600)
            #expect(timings.reusedConnection == false)
            #expect(timings.protocolVersion == "HTTP/1.1")
            #expect(timings.remoteAddress == "127.0.0.1")
        }

        @Test(arguments: deliveries)
        func silenceTellsHowLongItWas(_ delivery: Delivery) async throws {
            let server = try MockServer()
            server.on(.get, "/", .data(Data(count: 1000)).stalling(at: .inBody(after: 300)))
            // Long enough for the first bytes to come on a busy machine.
            let limits = Timeouts(idle: .seconds(4))
            let timings = try await timings(.timeout, from: server.url("/"), delivery, timeouts: limits)
            let total = try #require(timings.total)
            #expect(timings.connected != nil)
            #expect(timings.firstByte != nil)
            #expect(timings.bytesReceived == 300)
            #expect(total >= .seconds(4))
        }

        private static let budget = Duration.seconds(100)

        /// Returns a client whose time a test advances.
        private func client(_ time: TestClock) throws -> HTTPClient {
            var configuration = HTTPClient.Configuration()
            configuration.clock = time.clock
            return HTTPClient(transport: try CurlTransport(), interceptors: [], configuration: configuration)
        }

        @Test func aDeadlineTellsHowFarTheExchangeCame() async throws {
            let (server, time) = (try MockServer(), TestClock())
            server.on(.get, "/", .text("late").stalling(at: .start))
            let client = try client(time)
            let options = CallOptions(timeout: Self.budget, timeouts: Timeouts.none, delivery: Self.deliveries[1])
            let call = Task { try await client.send(HTTPRequest(.get, server.url("/")), options: options) }
            await server.waitForRequests(1)
            time.advance(by: Self.budget)
            let error = await #expect(throws: NetKitError.self) { try await call.value }
            #expect(error?.code == .timeout)
            #expect(error?.requestLine != nil)
            let timings = try #require(error?.timings)
            #expect(timings.connected != nil)
            #expect(timings.firstByte == nil)
        }

        @Test func aDeadlineInTheBodyTellsWhatItsHeadTook() async throws {
            let (server, time) = (try MockServer(), TestClock())
            server.on(.get, "/", .data(Data(count: 1000)).stalling(at: .inBody(after: 300)))
            let client = try client(time)
            let options = CallOptions(timeout: Self.budget, timeouts: Timeouts.none, delivery: .streamed)
            let response = try await client.send(HTTPRequest(.get, server.url("/")), options: options)
            time.advance(by: Self.budget)
            let error = await #expect(throws: NetKitError.self) { try await response.body.collect(upTo: 1000) }
            #expect(error?.code == .timeout)
            #expect(error?.requestLine != nil)
            let timings = try #require(error?.timings)
            let firstByte = try #require(timings.firstByte)
            let total = try #require(timings.total)
            #expect(try #require(timings.connected) <= firstByte)
            #expect(firstByte < total)
            #expect(total == Self.budget)
            #expect(timings.remoteAddress == "127.0.0.1")
        }

        /// libcurl reports when a connection was established only once it is secured as well.
        @Test func aServerWithoutTLSSecuresNothing() async throws {
            let server = try MockServer()
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let timings = try await timings(.tls, from: url, .streamed)
            #expect(timings.total != nil)
            #expect(timings.secured == nil)
            #expect(timings.firstByte == nil)
            #expect(timings.bytesSent == 0)
        }

        @Test func aTransportThatCannotTellSaysNothing() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("hello").resetting(at: .start))
            let client = HTTPClient(transport: URLSessionTransport(), interceptors: [])
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.get, server.url("/")))
            }
            #expect(error?.code == .connectionLost)
            #expect(error?.timings == nil)
        }
    }
#endif
