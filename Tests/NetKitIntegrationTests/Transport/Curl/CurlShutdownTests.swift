#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of the shutdown of a libcurl transport, with and without calls in flight.
    @Suite(.needsTheMachine)
    struct CurlShutdownTests {
        private let server: MockServer
        private let transport: CurlTransport
        private let client: HTTPClient

        init() throws {
            server = try MockServer()
            server.on(.get, "/", .text("ok"))
            server.on(.get, "/held", .text("late").stalling(at: .start))
            var configuration = CurlTransport.Configuration()
            configuration.loops = 2
            transport = try CurlTransport(configuration: configuration)
            client = HTTPClient(baseURL: server.baseURL, transport: transport, interceptors: [])
        }

        @Test func waitsForCallsInFlight() async throws {
            _ = try await client.send(HTTPRequest(.get, "/")).body.text(upTo: 10)
            let held = (0..<3).map { _ in
                Task { try await client.send(HTTPRequest(.get, "/held")).body.text(upTo: 10) }
            }
            await server.waitForRequests(4)
            let clock = TestClock()
            let shutdown = Task { await transport.shutdown(within: .seconds(5), clock: clock.clock) }
            await clock.waitForAlarms(1)
            let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/")) }
            #expect(error?.code == .closed)
            #expect(error?.outcome == .notSent)
            server.release()
            for call in held { #expect(try await call.value == "late") }
            #expect(await shutdown.value)
            await server.waitForOpenConnections(0)
            #expect(await transport.shutdown())
        }

        /// A transfer that begins just after the stop must not keep the transport open.
        @Test func endsWhileCallsBegin() async throws {
            server.on(.post, "/hang", .text("late").stalling(at: .start))
            for round in 0..<20 {
                let transport = try CurlTransport()
                let client = HTTPClient(baseURL: server.baseURL, transport: transport, interceptors: [])
                let calls = (0..<40).map { _ in
                    Task { _ = try await client.send(HTTPRequest(.post, "/hang", body: .text("a"))) }
                }
                for _ in 0..<(round * 5) { await Task.yield() }
                _ = await transport.shutdown(within: .zero)
                for call in calls {
                    let error = await #expect(throws: NetKitError.self) { try await call.value }
                    #expect(error?.code == .closed)
                }
            }
            server.release()
        }

        @Test func endsAWaitingCallAtTheTimeLimit() async throws {
            let request = stallingRequest
            let cut = Task { try await client.send(request, options: CallOptions(delivery: .buffered(upTo: 2000))) }
            await server.waitForRequests(1)
            let error = try await errorAtTheTimeLimit { _ = try await cut.value }
            // The head may or may not have arrived by then.
            #expect(error.outcome != .notSent)
        }

        @Test func endsAnArrivingBodyAtTheTimeLimit() async throws {
            let response = try await client.send(stallingRequest, options: CallOptions(delivery: .streamed))
            let error = try await errorAtTheTimeLimit { _ = try await response.body.text(upTo: 2000) }
            #expect(error.outcome == .answered)
        }

        /// A second signal to a service often shortens the time that the first one allowed.
        @Test func saysThatAShorterShutdownBesideItHasEndedCalls() async throws {
            let held = Task { try await client.send(HTTPRequest(.get, "/held")) }
            await server.waitForRequests(1)
            let clock = TestClock()
            let first = Task { await transport.shutdown(within: .seconds(5), clock: clock.clock) }
            await clock.waitForAlarms(1)
            #expect(await transport.shutdown(within: .zero) == false)
            #expect(await first.value == false)
            let error = await #expect(throws: NetKitError.self) { try await held.value }
            #expect(error?.code == .closed)
            await server.waitForOpenConnections(0)
        }

        /// A request with a body, whose response stops after ten of a thousand bytes.
        private var stallingRequest: HTTPRequest {
            server.on(.post, "/half", .text(String(repeating: "x", count: 1000)).stalling(at: .inBody(after: 10)))
            return HTTPRequest(.post, "/half", body: .text("a"))
        }

        /// Returns the error of a call that a shutdown has waited for until its time limit.
        private func errorAtTheTimeLimit(
            of call: @escaping @Sendable () async throws -> Void
        ) async throws -> NetKitError {
            let clock = TestClock()
            let shutdown = Task { await transport.shutdown(within: .seconds(5), clock: clock.clock) }
            await clock.waitForAlarms(1)
            clock.advance(by: .seconds(5))
            #expect(await shutdown.value == false)
            let error = try #require(await #expect(throws: NetKitError.self) { try await call() })
            #expect(error.code == .closed)
            await server.waitForOpenConnections(0)
            return error
        }

        /// All threads and descriptors of the process belong to the test.
        @Test(.inAProcessOfItsOwn) func leavesNoThreadsEvenIfTheTransportIsStillReferenced() async {
            await #expect(processExitsWith: .success) {
                let server = try MockServer()
                server.on(.get, "/", .text("ok"))
                var transports: [CurlTransport] = []
                // The first sleep of a process opens a descriptor for its timer.
                try await Task.sleep(for: .milliseconds(20))
                var before = try OwnProcess.counts()
                for round in 0..<6 {
                    let transport = try CurlTransport()
                    transports.append(transport)
                    let client = HTTPClient(baseURL: server.baseURL, transport: transport, interceptors: [])
                    _ = try await client.send(HTTPRequest(.get, "/")).body.text(upTo: 10)
                    guard try OwnProcess.counts().loops > 0 else { exit(2) }
                    let calls = (0..<20).map { _ in Task { try? await client.send(HTTPRequest(.get, "/")) } }
                    await transport.shutdown()
                    for call in calls { _ = await call.value }
                    await server.waitForOpenConnections(0)
                    if round == 0 { before = try await OwnProcess.settled { $0.loops == 0 } }
                }
                // A transport keeps these until it is deallocated: its inbox, its event set and its wake-up descriptor.
                let limit = before.descriptors + 5 * 3
                let after = try await OwnProcess.settled { $0.loops == 0 && $0.descriptors <= limit }
                #expect(after.loops == 0 && after.descriptors <= limit)
                #expect(transports.count == 6)
            }
        }

        /// A loop and a transfer with unread bytes must not keep each other alive.
        @Test(.inAProcessOfItsOwn) func leavesNothingOfBodiesThatAreStillArriving() async {
            await #expect(processExitsWith: .success) {
                let server = try MockServer()
                server.on(.get, "/", .data(Data(count: 64 << 20)))
                try await Task.sleep(for: .milliseconds(20))
                var before = try OwnProcess.counts()
                for round in 0..<20 {
                    let transport = try CurlTransport()
                    let client = HTTPClient(baseURL: server.baseURL, transport: transport, interceptors: [])
                    let calls = (0..<3).map { _ in
                        Task {
                            for try await _ in try await client.send(HTTPRequest(.get, "/")).body {}
                        }
                    }
                    await server.waitForRequests(3 * (round + 1))
                    await transport.shutdown(within: .zero)
                    for call in calls { _ = await call.result }
                    await server.waitForOpenConnections(0)
                    if round == 0 { before = try await OwnProcess.settled { $0.loops == 0 } }
                }
                let after = try await OwnProcess.settled { $0.loops == 0 && $0.descriptors <= before.descriptors }
                #expect(after.loops == 0 && after.descriptors <= before.descriptors, "\(after), first \(before)")
            }
        }
    }
#endif
