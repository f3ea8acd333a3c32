import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoggingInterceptorTests {
    /// A client with a mock transport and recorded log records.
    private struct Setup {
        let time = TestClock(date: Date(timeIntervalSince1970: 0))
        let transport = MockTransport()
        let records = Notebook<LogRecord>()
        let client: HTTPClient

        init(
            _ level: LogLevel = .trace,
            showsHeaders: Bool = false,
            maxBodyBytes: Int? = nil,
            _ interceptors: any Interceptor...
        ) {
            var configuration = HTTPClient.Configuration()
            configuration.clock = time.clock
            let records = records
            let logging = LoggingInterceptor(level: level, showsHeaders: showsHeaders, maxBodyBytes: maxBodyBytes) {
                records.add($0)
            }
            client = HTTPClient(
                baseURL: exampleBase,
                transport: transport,
                interceptors: InterceptorList([logging] + interceptors),
                configuration: configuration
            )
        }

        var messages: [String] { records.entries.map { "\($0.level): \($0.message)" } }
    }

    @Test func anAttemptAndItsCallWriteOneRecordEach() async throws {
        let setup = Setup()
        setup.transport.stub(.post, "/users", .text("hello", status: 201))
        let id = CallID()
        _ = try await setup.client.send(
            HTTPRequest(.post, "/users?token=s3cret&page=2", body: .text("abc")),
            options: CallOptions(id: id, delivery: .buffered(upTo: 100))
        )
        let line = "POST https://api.example.com/v1/users?token=***&page=2 -> 201 in 0 µs, 5 bytes"
        #expect(setup.messages == ["debug: attempt 1: \(line)", "info: \(line)"])
        let records = setup.records.entries
        #expect(records.allSatisfy { $0.callID == id && $0.error == nil })
        #expect(records.map(\.date) == [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 0)])
        #expect(
            records.first?.metadata == [
                "method": "POST", "url": "https://api.example.com/v1/users?token=***&page=2", "duration_ms": 0.0,
                "attempt": 1, "status": 201, "sent_bytes": 3, "received_bytes": 5,
            ]
        )
        #expect(
            records.last?.metadata == [
                "method": "POST", "url": "https://api.example.com/v1/users?token=***&page=2", "duration_ms": 0.0,
                "attempts": 1, "status": 201, "sent_bytes": 3, "received_bytes": 5,
            ]
        )
    }

    @Test func everyAttemptHasItsNumber() async throws {
        let retrying = Intercepting(stage: .retry) { request, context, next in
            for _ in 0..<2 { _ = try? await next(request, context) }
            return try await next(request, context)
        }
        let setup = Setup(.trace, retrying)
        setup.transport.stub(.get, "/x", .failure(NetKitError(.connect, "refused")), .status(503), .status(200))
        _ = try await setup.client.send(HTTPRequest(.get, "/x"))
        #expect(
            setup.messages == [
                "notice: attempt 1: GET https://api.example.com/v1/x failed after 0 µs: refused [connect, not sent]",
                "notice: attempt 2: GET https://api.example.com/v1/x -> 503 in 0 µs, 0 bytes",
                "debug: attempt 3: GET https://api.example.com/v1/x -> 200 in 0 µs, 0 bytes",
                "info: GET https://api.example.com/v1/x -> 200 in 0 µs, 0 bytes",
            ]
        )
        #expect(setup.records.entries.last?.metadata["attempts"] == 3)
    }

    @Test func theRecordOfACallDescribesTheRetries() async throws {
        let policy = RetryPolicy(maxAttempts: 2, backoffStrategy: .fixed(interval: .zero))
        let lost = MockResponse.failure(URLError(.networkConnectionLost))
        let requests = [
            HTTPRequest(.get, "/well"), HTTPRequest(.get, "/answered"), HTTPRequest(.get, "/failed"),
            HTTPRequest(.post, "/once"),
        ]
        for request in requests {
            let setup = Setup(.info, RetryInterceptor(policy))
            setup.transport.stub(.get, "/well", .status(503), .status(200))
            setup.transport.stub(.get, "/answered", .status(503))
            setup.transport.stub(.get, "/failed", lost)
            setup.transport.stub(.post, "/once", lost)
            let result = await Task { try await setup.client.send(request) }.result
            var log = (try? result.get())?.attemptLog
            if case .failure(let error as NetKitError) = result { log = error.attemptLog }
            let stop = try #require(log?.stop)
            let record = try #require(setup.records.entries.last)
            #expect(record.metadata["attempt_log"] == .text(try #require(log).description))
            #expect(record.message.hasSuffix(", \(stop)") == (stop != .answered), "\(record.message)")
        }
        let setup = Setup(.info, RetryInterceptor(policy))
        setup.transport.stub(.get, "/well", .status(200))
        _ = try await setup.client.send(requests[0])
        #expect(setup.records.entries.map { $0.metadata["attempt_log"] } == [nil])
    }

    /// The first attempt may have arrived, although nothing of the second one was sent.
    @Test func theOutcomeOfACallIsThatOfAllItsAttempts() async throws {
        let policy = RetryPolicy(maxAttempts: 2, backoffStrategy: .fixed(interval: .zero))
        let setup = Setup(.notice, RetryInterceptor(policy))
        let lost = NetKitError(.connectionLost, "gone", outcome: .unknown)
        setup.transport.stub(.get, "/x", .failure(lost), .failure(NetKitError(.connect, "refused")))
        let error = await #expect(throws: NetKitError.self) { try await setup.client.send(HTTPRequest(.get, "/x")) }
        #expect(error?.outcome == .unknown)
        let records = setup.records.entries
        let outcomes = records.compactMap { $0.metadata["outcome"]?.description }
        #expect(outcomes == ["outcome unknown", "not sent", "outcome unknown"])
        #expect(records.last?.message.contains("refused [connect, outcome unknown]") == true)
        #expect((records.last?.error as? NetKitError)?.outcome == .unknown)
    }

    @Test(arguments: [
        (LogLevel.trace, 8), (.debug, 8), (.info, 5), (.notice, 4), (.warning, 2), (.error, 1), (.critical, 0),
    ])
    func recordsBelowTheLevelAreNotWritten(level: LogLevel, count: Int) async throws {
        let setup = Setup(level)
        setup.transport.stub(.get, "/200", .status(200))
        setup.transport.stub(.get, "/404", .status(404))
        setup.transport.stub(.get, "/503", .status(503))
        setup.transport.stub(.get, "/fails", .failure(NetKitError(.connect, "refused")))
        for path: RequestPath in ["/200", "/404", "/503", "/fails"] {
            _ = try? await setup.client.send(HTTPRequest(.get, path))
        }
        #expect(setup.records.entries.allSatisfy { $0.level >= level })
        #expect(setup.records.count == (level == .info ? 6 : level == .notice ? 5 : count))
    }

    @Test func aStreamedCallEndsWithItsBody() async throws {
        let setup = Setup(.info)
        setup.transport.stub(.get, "/x", .stream([Data("12345".utf8), Data("678".utf8)]))
        let response = try await setup.client.send(HTTPRequest(.get, "/x"))
        #expect(setup.records.count == 0)
        setup.time.advance(by: .milliseconds(1500))
        _ = try await response.body.collect(upTo: 100)
        #expect(setup.messages == ["info: GET https://api.example.com/v1/x -> 200 in 1.5 s, 8 bytes"])
        #expect(setup.records.entries.first?.metadata["duration_ms"] == 1500.0)
    }

    @Test func aBrokenBodyIsAnErrorOfTheCall() async throws {
        let setup = Setup(.error)
        setup.transport.stub(
            .get,
            "/x",
            .stream([Data("12".utf8)], failingWith: NetKitError(.connectionLost, "gone", outcome: .answered))
        )
        let response = try await setup.client.send(HTTPRequest(.get, "/x"))
        _ = try? await response.body.collect(upTo: 100)
        #expect(
            setup.messages == [
                "error: GET https://api.example.com/v1/x -> 200, failed after 0 µs: gone [connectionLost, answered]"
            ]
        )
        let metadata = setup.records.entries.first?.metadata
        #expect(metadata?["status"] == 200)
        #expect(metadata?["received_bytes"] == 2)
        #expect(metadata?["error_code"] == "connectionLost")
        #expect(setup.records.entries.first?.error is NetKitError)
    }

    @Test func theMessageOfAFailureHasTheStatusOfItsResponse() async throws {
        let setup = Setup(.error, AuthInterceptor(TokenStore(initial: "old", clock: TestClock().clock) { _ in "new" }))
        setup.transport.stub(.get, "/x", .status(401))
        _ = try? await setup.client.send(HTTPRequest(.get, "/x"))
        let record = try #require(setup.records.entries.first)
        #expect(record.message.hasPrefix("GET https://api.example.com/v1/x -> 401, failed after 0 µs: "))
        #expect(record.metadata["status"] == 401)
    }

    /// The server of the tokens has refused the refresh, and the call was not sent again.
    @Test func theStatusOfARefreshIsNotThatOfTheCall() async throws {
        let refusal = NetKitError.Response(status: 400, headers: [:], body: Data())
        let tokens = TokenStore(initial: "old", clock: TestClock().clock) { _ in
            throw NetKitError(.server, "Expired.", outcome: .answered, response: refusal)
        }
        let setup = Setup(.error, AuthInterceptor(tokens))
        setup.transport.stub(.get, "/x", .status(401))
        let error = await #expect(throws: NetKitError.self) { try await setup.client.send(HTTPRequest(.get, "/x")) }
        #expect(error?.status == 400)
        let record = try #require(setup.records.entries.first)
        #expect(record.message.hasPrefix("GET https://api.example.com/v1/x failed after 0 µs: Expired. "))
        #expect(record.metadata["status"] == nil)
    }

    @Test func theRecordSaysThatABodyWasAbandoned() async throws {
        let setup = Setup(.info)
        setup.transport.stub(.get, "/x", .stream([Data("12".utf8), Data("34".utf8)]))
        try await setup.client.send(HTTPRequest(.get, "/x")).body.discard()
        #expect(setup.messages == ["info: GET https://api.example.com/v1/x -> 200 in 0 µs, 0 bytes, given up"])
    }

    /// The caller gets no response, because the call ends while an interceptor still has it.
    @Test func aCallThatEndsBeforeItsCallerHasTheResponseIsNoSuccess() async throws {
        let clients = Notebook<HTTPClient>()
        let setup = Setup(
            .info,
            Intercepting { request, context, next in
                let response = try await next(request, context)
                for client in clients.entries { client.cancelAll() }
                return response
            }
        )
        clients.add(setup.client)
        setup.transport.stub(.get, "/x", .stream([Data("12".utf8), Data("34".utf8)]))
        await #expect(throws: CancellationError.self) { try await setup.client.send(HTTPRequest(.get, "/x")) }
        #expect(setup.messages == ["info: GET https://api.example.com/v1/x -> 200, was cancelled after 0 µs"])
    }

    @Test func aCancelledCallIsNotAnError() async throws {
        let setup = Setup(.info)
        setup.transport.stub(.get, "/x", .stalled)
        let call = Task { try await setup.client.send(HTTPRequest(.get, "/x")) }
        await setup.transport.waitForRequests(1)
        call.cancel()
        _ = await call.result
        #expect(setup.messages == ["info: GET https://api.example.com/v1/x was cancelled after 0 µs"])
        #expect(setup.records.entries.first?.metadata["outcome"] == "outcome unknown")
    }

    @Test func aPassedDeadlineIsATimeoutAsTheCallerSeesIt() async throws {
        let setup = Setup(.error)
        setup.transport.stub(.get, "/x", .stalled)
        let call = Task {
            try await setup.client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .seconds(3)))
        }
        await setup.transport.waitForRequests(1)
        setup.time.advance(by: .seconds(3))
        #expect(await outcome(of: call) == "timeout")
        #expect(setup.records.count == 1)
        #expect(setup.records.entries.first?.metadata["error_code"] == "timeout")
        #expect(setup.records.entries.first?.metadata["timeout"] == "deadline")
    }

    @Test func headersAreShownOnRequestWithSecretsMasked() async throws {
        let auth = AuthInterceptor.apiKey("s3cret-key", header: "X-Own-Key")
        let setup = Setup(.debug, showsHeaders: true, auth)
        setup.transport.stub(
            .get,
            "/x",
            .status(200).header("Set-Cookie", "s3cret=1").header("X-A", "1").header("X-A", "2").header(
                "X-Bad",
                "a\u{1B}[2J"
            )
        )
        let headers: HTTPHeaders = ["Authorization": "Basic s3cret", "Accept": "text/plain"]
        _ = try await setup.client.send(HTTPRequest(.get, "/x", headers: headers))
        let attempt = try #require(setup.records.entries.first).metadata
        #expect(attempt["request_header.accept"] == "text/plain")
        #expect(attempt["request_header.authorization"] == "***")
        #expect(attempt["request_header.x-own-key"] == "***")
        #expect(attempt["response_header.set-cookie"] == "***")
        #expect(attempt["response_header.x-a"] == "1, 2")
        #expect(attempt["response_header.x-bad"] == "a\\u{1B}[2J")
        #expect(!"\(setup.records.entries)".contains("s3cret"))
    }

    @Test func bodiesAreShownOnRequestBoundedAndMasked() async throws {
        let setup = Setup(.info, maxBodyBytes: 20)
        setup.transport.stub(.post, "/x", .text("0123456789012345678901234"))
        let request = HTTPRequest(
            .post,
            "/x",
            body: .data(Data(#"{"password":"hunter2"}"#.utf8), contentType: "application/json")
        )
        _ = try await setup.client.send(request, options: CallOptions(delivery: .buffered(upTo: 100)))
        _ = try await setup.client.send(request)
        var login = request
        login.requiresAuth = false
        _ = try await setup.client.send(login, options: CallOptions(delivery: .buffered(upTo: 100)))
        let metadata = setup.records.entries.map(\.metadata)
        #expect(metadata.first?["request_body"] == #"{"password":"***"… (22 bytes)"#)
        #expect(metadata.first?["response_body"] == "01234567890123456789… (25 bytes)")
        #expect(metadata.last?["request_body"] == "<not shown: requiresAuth is false>")
        #expect(metadata.last?["response_body"] == "<not shown: requiresAuth is false>")
    }

    @Test func aStreamIsNeverCollectedForTheLog() async throws {
        let setup = Setup(.info, maxBodyBytes: 20)
        setup.transport.stub(.post, "/x", .stream([Data("secret".utf8)]))
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("abc".utf8))
        source.finish()
        _ = try await setup.client.send(HTTPRequest(.post, "/x", body: .stream(chunks))).body.collect(upTo: 10)
        #expect(setup.records.entries.first?.metadata["request_body"] == "<streamed>")
        #expect(setup.records.entries.first?.metadata["response_body"] == "<streamed>")
    }

    @Test func neitherPeerNorCallerForgesALine() async throws {
        let lines = Notebook<String>()
        let hostile = "x\r\n1970-01-01T00:00:00.000Z info    forged\u{2028}\u{1B}[1A"
        for sink in [
            TextLogSink(to: .lines { lines.add($0) }) as any LogSink, JSONLinesLogSink(to: .lines { lines.add($0) }),
        ] {
            let transport = MockTransport { _, _ in
                throw NetKitError(.invalidResponse, "The server said \(hostile)", cause: nil)
            }
            func client(_ sink: some LogSink) -> HTTPClient {
                HTTPClient(
                    baseURL: exampleBase,
                    transport: transport,
                    interceptors: [LoggingInterceptor(sink, level: .trace, showsHeaders: true)]
                )
            }
            _ = try? await client(sink).send(HTTPRequest(HTTPMethod(hostile), "/x"))
            _ = try? await client(sink).send(HTTPRequest(.get, "/x", headers: [hostile: hostile]))
            _ = try? await client(sink).send(HTTPRequest(.get, "/x/\(hostile)"))
        }
        #expect(lines.count >= 6)
        for line in lines.entries {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x2028 && $0.value != 0x7F })
            #expect(!line.contains { $0.isNewline })
        }
    }

    @Test func anotherErrorIsNamedByItsTypeAndKept() async throws {
        struct Secretive: Error, CustomStringConvertible {
            let description = "s3cret"
        }
        let setup = Setup(.error, Intercepting { _, _, _ in throw Secretive() })
        _ = try? await setup.client.send(HTTPRequest(.get, "/x"))
        #expect(setup.records.count == 1)
        #expect(!setup.messages.joined().contains("s3cret"))
        #expect((setup.records.entries.first?.error as? NetKitError)?.cause is Secretive)
    }

    @Test func aNegativeLimitIsClampedAndReported() {
        let logging = LoggingInterceptor(maxBodyBytes: -5) { _ in }
        #expect(logging.maxBodyBytes == 0)
        let named = logging.warnings(in: ClientInspection(interceptors: [logging]))
        #expect(named == ["log: maxBodyBytes is -5, which is out of range; 0 is used instead."])
        #expect(LoggingInterceptor(maxBodyBytes: 5) { _ in }.warnings(in: ClientInspection()) == [])
    }

    @Test func explainShowsBothInterceptors() {
        let text = Setup(.info).client.explain()
        #expect(text.contains("observe    log of calls, from level info"))
        #expect(text.contains("wire       log of attempts, from level info"))
        #expect(!Setup(.error).client.explain().contains("log of attempts"))
    }
}
