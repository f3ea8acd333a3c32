import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of retries over real sockets.
@Suite(.needsTheMachine)
struct RetryWireTests {
    private let server: MockServer
    private let attemptLimit = Duration.seconds(60)

    init() throws {
        server = try MockServer()
    }

    private func client(
        _ wire: WireTransport,
        clock: NetKitClock = .system,
        shouldRetry: (@Sendable (RetryCandidate) -> Bool)? = nil
    ) throws -> HTTPClient {
        let policy = RetryPolicy(
            maxAttempts: 4,
            backoffStrategy: .fixed(interval: .milliseconds(1)),
            shouldRetry: shouldRetry
        )
        let timeouts = Timeouts(attempt: attemptLimit)
        return try wire.client(server.baseURL, timeouts: timeouts, clock: clock, RetryInterceptor(policy))
    }

    /// Lets the attempt limit pass as soon as the server has received requests with certain numbers, from 1, if their
    /// peer is silent.
    private func passAttemptLimit(of time: TestClock, _ mode: FailureMode, at numbers: Int...) async {
        guard mode.isSilent else { return }
        for number in numbers {
            await server.waitForRequests(number)
            time.advance(by: attemptLimit)
        }
    }

    private let buffered = CallOptions(delivery: .buffered(upTo: 1000))

    private func posts() -> [ServerRequest] { server.requests.filter { $0.path == "/x" } }

    @Test(arguments: WireTransport.allCases, FailureMode.all)
    func aPostWithoutKeyIsSentExactlyOnce(_ wire: WireTransport, _ mode: FailureMode) async throws {
        server.on(.post, "/x", mode.reply, .text("a second time"))
        let time = TestClock(skipsSleeps: true)
        let client = try client(wire, clock: time.clock)
        async let limits: Void = passAttemptLimit(of: time, mode, at: 1)
        let result = await Result.catching {
            try await client.send(HTTPRequest(.post, "/x", body: .text("pay")), options: buffered)
        }
        let log = (try? result.get())?.attemptLog ?? result.failure?.attemptLog
        await limits
        #expect(log?.stop == .notIdempotent)
        #expect(posts().map(\.bodyText) == ["pay"])
    }

    /// By itself, libcurl repeats what it sent over a used connection that then ends without a byte, even a POST.
    @Test(arguments: WireTransport.allCases, FailureMode.all)
    func aPostOverAUsedConnectionIsSentExactlyOnce(_ wire: WireTransport, _ mode: FailureMode) async throws {
        server.on(nil, "/warm", .text("warm"))
        let time = TestClock(skipsSleeps: true)
        let client = try client(wire, clock: time.clock)
        async let limits: Void = passAttemptLimit(of: time, mode, at: 3, 6)
        for (path, body) in [("/x", HTTPBody.text("pay")), ("/empty", nil)] {
            server.on(.post, path, mode.reply, .text("a second time"))
            for method in [HTTPMethod.get, .post] {
                _ = try await client.send(HTTPRequest(method, "/warm"), options: buffered)
            }
            _ = try? await client.send(HTTPRequest(.post, RequestPath(raw: path), body: body), options: buffered)
            #expect(server.requests.filter { $0.path == path }.count == 1)
        }
        await limits
        #expect(posts().map(\.bodyText) == ["pay"])
    }

    @Test(arguments: WireTransport.allCases)
    func aFailureBeyondTheBoundOfTheCallIsSentAgain(_ wire: WireTransport) async throws {
        let large = String(repeating: "x", count: 5000)
        server.on(.get, "/x", .text(large, status: .serviceUnavailable), .text("done"))
        let options = CallOptions(delivery: .buffered(upTo: 10))
        let response = try await client(wire).send(HTTPRequest(.get, "/x"), options: options)
        #expect(try await response.body.text(upTo: 10) == "done")
        #expect(server.requests.count == 2)
    }

    @Test(arguments: WireTransport.allCases, FailureMode.all)
    func aPostWithAKeyIsSentAgainWithTheSameKey(_ wire: WireTransport, _ mode: FailureMode) async throws {
        server.on(.post, "/x", mode.reply, mode.reply, .text("done"))
        let time = TestClock(skipsSleeps: true)
        let client = try client(wire, clock: time.clock)
        async let limits: Void = passAttemptLimit(of: time, mode, at: 1, 2)
        var options = buffered
        options.idempotencyKey = .automatic
        let response = try await client.send(HTTPRequest(.post, "/x", body: .text("pay")), options: options)
        await limits
        #expect(try await response.body.text(upTo: 100) == "done")
        #expect(posts().map(\.bodyText) == ["pay", "pay", "pay"])
        #expect(Set(posts().map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(posts().first?.headers["Idempotency-Key"] != nil)
        #expect(response.attemptLog?.count == 3)
        #expect(response.attemptLog?.stop == .answered)
    }

    @Test(arguments: WireTransport.allCases)
    func aFileIsSentWholeEachTime(_ wire: WireTransport) async throws {
        let folder = try TemporaryFolder()
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let file = try folder.write(content, to: "file")
        server.on(.put, "/x", .status(503), .text("lost").closing(at: .start), .text("done"))
        let client = try client(wire)
        let response = try await client.send(HTTPRequest(.put, "/x", body: .file(at: file)), options: buffered)
        #expect(response.status == 200)
        #expect(server.requests.map { $0.body == content } == [true, true, true])
    }

    private static let ends: [(mode: FailureMode, code: NetKitError.Code?)] = [
        (.serverError, nil), (.closedEarly, .connectionLost),
    ]

    @Test(arguments: WireTransport.allCases, ends)
    func aStreamThatIsReadOnceSurfacesTheOriginalOutcome(
        _ wire: WireTransport,
        _ end: (mode: FailureMode, code: NetKitError.Code?)
    ) async throws {
        server.on(.put, "/x", end.mode.reply, .text("a second time"))
        let client = try client(wire)
        let stream = AsyncStream<Data> { continuation in
            continuation.yield(Data("once".utf8))
            continuation.finish()
        }
        let request = HTTPRequest(.put, "/x", body: .stream(length: 4, stream))
        let result = await Result.catching { try await client.send(request, options: buffered) }
        let response = try? result.get()
        #expect(response?.status == (end.code == nil ? 500 : nil))
        #expect(result.failure?.code == end.code)
        #expect((response?.attemptLog ?? result.failure?.attemptLog)?.stop == .bodyNotReplayable)
        #expect(server.requests.map(\.bodyText) == ["once"])
    }

    @Test(arguments: WireTransport.allCases)
    func aPostToAHostThatRefusesIsSentOnceItAccepts(_ wire: WireTransport) async throws {
        server.on(.post, "/x", .text("done"))
        try server.refuseConnections()
        let client = try client(wire) { [server] candidate in
            if candidate.attempt == 2 { try? server.acceptConnections() }
            return candidate.isRetryable
        }
        let response = try await client.send(HTTPRequest(.post, "/x", body: .text("pay")), options: buffered)
        #expect(response.status == 200)
        #expect(response.attemptLog?.attempts.map(\.outcome) == [.notSent, .notSent, .answered])
        #expect(posts().map(\.bodyText) == ["pay"])
    }

    @Test(arguments: WireTransport.allCases)
    func aTLSFailureIsNotTriedAgain(_ wire: WireTransport) async throws {
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/x"))
        let client = try client(wire) { _ in true }
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, url)) }
        #expect(error?.code == .tls)
        #expect(error?.attemptLog?.stop == .notRetryable)
        #expect(server.connectionCount == 1)
    }

    #if os(Linux)
        /// A server that stops does so, and so does a load balancer without one.
        @Test(arguments: [ConnectionFault.close, .reset])
        func aConnectionThatIsClosedWhileItIsSecuredIsTriedAgain(_ fault: ConnectionFault) async throws {
            server.onConnect(nil, fault)
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/x"))
            let request = HTTPRequest(.post, url, body: .text("pay"))
            let error = await #expect(throws: NetKitError.self) { try await client(.curl).send(request) }
            #expect(error?.code == .connect, "\(error?.message ?? "")")
            #expect(error?.outcome == .notSent)
            #expect(error?.attempts == 4)
        }
    #endif

    @Test(arguments: WireTransport.allCases)
    func cancellingDuringTheWaitSendsNothingMore(_ wire: WireTransport) async throws {
        server.on(.get, "/x", .status(503).header("Retry-After", "30"))
        let client = try client(wire)
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: buffered) }
        await server.waitForRequests(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(server.requests.count == 1)
        #expect(client.activeCallCount == 0)
    }
}

extension Result where Failure == any Error {
    fileprivate var failure: NetKitError? {
        if case .failure(let error) = self { error as? NetKitError } else { nil }
    }
}
