#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of calls that follow one another quickly. After many of them, any call may come.
    @Suite(.needsTheMachine)
    struct CurlQuickCallTests {
        private let quick: QuickServer
        private var server: MockServer { quick.server }
        private var client: HTTPClient { quick.client }

        init() throws { quick = try QuickServer() }

        /// Often, so that connection and thread are idle between two calls.
        private func callOften() async throws {
            for _ in 0..<40 { try await quick.call() }
        }

        @Test(arguments: [Delivery.buffered(upTo: 1 << 20), .streamed])
        func responsesInManyPiecesArriveComplete(_ delivery: Delivery) async throws {
            let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
            server.on(.get, "/large", .data(body))
            server.on(.get, "/drops", .data(Data(body.prefix(2000))).dripping(bytesPerSecond: 20_000))
            for _ in 0..<3 {
                try await callOften()
                for (path, count) in [("/large", body.count), ("/drops", 2000)] {
                    let response = try await client.send(
                        HTTPRequest(.get, server.url(path)),
                        options: CallOptions(delivery: delivery)
                    )
                    #expect(try await response.body.collect(upTo: 1 << 20) == body.prefix(count))
                }
            }
        }

        @Test func aResponseThatTakesItsTimeArrives() async throws {
            server.on(.get, "/slow", .text("late").pausing(.milliseconds(20)))
            for _ in 0..<3 {
                try await callOften()
                let response = try await client.send(HTTPRequest(.get, server.url("/slow")))
                #expect(try await response.body.text(upTo: 100) == "late")
            }
        }

        /// A waiting call hears of the others, and does not delay them.
        @Test func aMissingResponseDelaysNoOtherCall() async throws {
            server.on(.get, "/never", .text("").stalling(at: .start))
            try await callOften()
            let stuck = Task { try await client.send(HTTPRequest(.get, server.url("/never"))) }
            await server.waitForRequests(41)
            try await callOften()
            stuck.cancel()
            await #expect(throws: CancellationError.self) { try await stuck.value }
            try await callOften()
        }

        @Test func othersAreServedBesideACallThatWaits() async throws {
            let callers = 4
            for _ in 0..<5 {
                try await callOften()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<callers { group.addTask { try await callOften() } }
                    try await group.waitForAll()
                }
            }
            #expect(server.requests.count == 5 * 40 * (1 + callers))
        }

        @Test(arguments: [ServerReply.Moment.start, .inHeaders, .inBody(after: 3)])
        func aConnectionThatIsLostFailsTheCallAlone(_ moment: ServerReply.Moment) async throws {
            server.on(.get, "/lost", .text("half of it").resetting(at: moment))
            try await callOften()
            await #expect(throws: NetKitError.self) {
                let response = try await client.send(HTTPRequest(.get, server.url("/lost")))
                _ = try await response.body.collect(upTo: 100)
            }
            try await callOften()
        }

        @Test func limitsInTimeHold() async throws {
            server.on(.get, "/never", .text("").stalling(at: .start))
            try await callOften()
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(
                    HTTPRequest(.get, server.url("/never")),
                    options: CallOptions(timeouts: Timeouts(attempt: .milliseconds(50)))
                )
            }
            #expect(error?.code == .timeout)
            try await callOften()
        }
    }
#endif
