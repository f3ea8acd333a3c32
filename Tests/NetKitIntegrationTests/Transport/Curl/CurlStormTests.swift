#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of what calls leave behind that are cancelled at any moment, ten thousand of them.
    ///
    /// Each runs in a process of its own, so that all threads and descriptors belong to the test.
    @Suite(.needsTheMachine)
    struct CurlStormTests {
        @Test(.inAProcessOfItsOwn, arguments: 1...5) func cancellationsLeaveNothingBehind(_ seed: UInt64) async throws {
            let folder = try TemporaryFolder()
            await #expect(processExitsWith: .success) {
                [seed = seed as UInt64, path = folder.file("errors").path() as String] in
                try OwnStandardError.write(to: path)
                let server = try MockServer()
                Storm.addRoutes(to: server)
                // Descriptors that are opened only once are opened here.
                try await Storm(calls: 100, seed: 0).run(server)
                await server.waitForOpenConnections(0)
                let before = try OwnProcess.counts()

                let ends = try await Storm(calls: 2000, seed: seed).run(server)
                #expect(ends.cancelled + ends.answered == 2000, "\(ends)")
                // Otherwise, the moments were not random.
                #expect(ends.cancelled > 0 && ends.answered > 0, "\(ends)")

                await server.waitForOpenConnections(0)
                let after = try await OwnProcess.settled { $0.loops == 0 && $0.descriptors <= before.descriptors }
                #expect(after.loops == 0)
                #expect(after.descriptors <= before.descriptors)
            }
            let said = try OwnStandardError.text(in: folder.file("errors"))
            #expect(!said.contains("leaked its continuation"), "\(said)")
        }
    }

    /// Calls of all kinds, each cancelled at a moment of its own.
    private struct Storm {
        let calls: Int
        let seed: UInt64

        struct Ends {
            var cancelled = 0
            var answered = 0
            var others: [String] = []
        }

        private static let callers = 16

        static func addRoutes(to server: MockServer) {
            server.on(.get, "/fast", .text("hello"))
            server.on(.get, "/slow", .text("hello").pausing(.milliseconds(2)))
            server.on(.get, "/large", .data(Data(count: 300_000)))
            server.on(.post, "/upload", .text("done"))
            server.on(.get, "/held", .text("held").stalling(at: .start))
        }

        @discardableResult
        func run(_ server: MockServer) async throws -> Ends {
            var configuration = CurlTransport.Configuration()
            configuration.connections.maxTotal = Self.callers
            let client = HTTPClient(
                baseURL: server.baseURL,
                transport: try CurlTransport(configuration: configuration),
                interceptors: []
            )
            // A moment may be anywhere in a call, and some time after it.
            let span = try await defaultTime(client) * 2
            let ends = await withTaskGroup(of: Ends.self) { group in
                for caller in 0..<Self.callers {
                    let share = calls / Self.callers + (caller < calls % Self.callers ? 1 : 0)
                    group.addTask {
                        var random = RandomSource.seeded(seed &* 1000 &+ UInt64(caller))
                        var ends = Ends()
                        for _ in 0..<share { await Self.cancelOne(client, within: span, &random, &ends) }
                        return ends
                    }
                }
                return await group.reduce(into: Ends()) {
                    $0.cancelled += $1.cancelled
                    $0.answered += $1.answered
                    $0.others += $1.others
                }
            }
            #expect(client.activeCallCount == 0)
            try await useEveryHandle(client, server)
            return ends
        }

        private static func cancelOne(
            _ client: HTTPClient,
            within span: Duration,
            _ random: inout RandomSource,
            _ ends: inout Ends
        ) async {
            let kind = Int(random.next() % 5)
            let call = Task { try await Self.send(client, kind) }
            let delay = random.next() % 4 == 0 ? .zero : span * random.unitInterval()
            if delay > .zero { try? await Task.sleep(for: delay, tolerance: .zero) }
            call.cancel()
            switch await call.result {
            case .success(200): ends.answered += 1
            case .failure(is CancellationError): ends.cancelled += 1
            case .success(let status): ends.others.append("\(status)")
            case .failure(let error): ends.others.append("\(error)")
            }
        }

        /// The time of a call that is not cancelled, among as many others.
        private func defaultTime(_ client: HTTPClient) async throws -> Duration {
            let rounds = 10
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.callers {
                    group.addTask { for kind in 0..<rounds { _ = try await Self.send(client, kind % 5) } }
                }
                try await group.waitForAll()
            }
            return start.duration(to: .now) / rounds
        }

        private static func send(_ client: HTTPClient, _ kind: Int) async throws -> Int {
            switch kind {
            case 0: return try await client.send(HTTPRequest(.get, "/slow")).status.code
            case 1:
                let response = try await client.send(
                    HTTPRequest(.get, "/large"),
                    options: CallOptions(delivery: .streamed)
                )
                for try await _ in response.body {}
                return response.status.code
            case 2:
                let body = HTTPBody.data(Data(count: 200_000))
                return try await client.send(HTTPRequest(.post, "/upload", body: body)).status.code
            case 3:
                let chunks = AsyncStream(unfolding: { Task.isCancelled ? nil : Data(count: 10_000) })
                let request = HTTPRequest(.post, "/upload", body: .stream(chunks.prefix(20)))
                return try await client.send(request).status.code
            default: return try await client.send(HTTPRequest(.get, "/fast")).status.code
            }
        }

        /// As many calls at once as there are handles. A lost handle would keep the last of them waiting.
        private func useEveryHandle(_ client: HTTPClient, _ server: MockServer) async throws {
            server.removeAllRequests()
            let held = (0..<Self.callers).map { _ in
                Task { try await client.send(HTTPRequest(.get, "/held")).body.text(upTo: 10) }
            }
            while server.requests.filter({ $0.path == "/held" }).count < Self.callers {
                try await Task.sleep(for: .milliseconds(1))
            }
            for task in held { task.cancel() }
            for task in held { _ = await task.result }
        }
    }
#endif
