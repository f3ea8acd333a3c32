import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of the end of the chain: the checks before a transport gets the request, and after it has responded.
@Suite(.timeLimit(.minutes(5)))
struct PipelineTerminalTests {
    struct Broken: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: NetKitError.Code
        let change: @Sendable (inout HTTPRequest) -> Void

        init(_ name: String, _ code: NetKitError.Code, _ change: @escaping @Sendable (inout HTTPRequest) -> Void) {
            testDescription = name
            self.code = code
            self.change = change
        }
    }

    private struct Breakdown: Error {}

    private let url: URL
    private let transport = MockTransport { _, _ in HTTPResponse(status: 200) }

    init() throws {
        url = try #require(URL(string: "https://api.example.com/x"))
    }

    @Test(
        arguments: [
            Broken("line break in a value", .invalidRequest) { $0.headers["X-A"] = "1\r\nX-B: 2" },
            Broken("NUL in a value", .invalidRequest) { $0.headers["X-A"] = "1\u{0}" },
            Broken("line break in a name", .invalidRequest) { $0.headers.add("X-A: 1\r\nX-B", "2") },
            Broken("empty name", .invalidRequest) { $0.headers.add("", "2") },
            Broken("line break in the method", .invalidRequest) { $0.method = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET" },
            Broken("empty method", .invalidRequest) { $0.method = "" },
            Broken("CONNECT", .invalidRequest) { $0.method = "CONNECT" },
            Broken("Transfer-Encoding", .invalidRequest) { $0.headers["Transfer-Encoding"] = "chunked" },
            Broken("Content-Length without a body", .invalidRequest) { $0.headers["Content-Length"] = "4" },
            Broken("wrong Content-Length", .invalidRequest) {
                $0.body = .text("four!")
                $0.headers["Content-Length"] = "4"
            },
            Broken("another scheme", .invalidURL) { $0.url = URL(fileURLWithPath: "/etc/passwd") },
            Broken("no host", .invalidURL) { request in URL(string: "https:///x").map { request.url = $0 } },
            Broken("relative", .invalidURL) { request in URL(string: "/only/a/path").map { request.url = $0 } },
            Broken("impossible port", .invalidURL) { request in
                URL(string: "https://api.example.com:99999/").map { request.url = $0 }
            },
            Broken("body that cannot be encoded", .encoding) { $0.body = .json(Double.nan) },
            Broken("file that is not there", .file) { $0.body = .file(at: URL(fileURLWithPath: "/nowhere/at/all")) },
        ]
    )
    func anInvalidRequestOfAnInterceptorReachesNoTransport(broken: Broken) async throws {
        let context = RequestContext.test()
        let pipeline = Pipeline([StagedInterceptor.changing(.wire, broken.change)], transport: transport)
        let error = await #expect(throws: NetKitError.self) {
            try await pipeline.send(HTTPRequest(.get, url), context: context)
        }
        #expect(error?.code == broken.code)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
        #expect(context.call.outcome == .notSent)
    }

    @Test func aDeferredBodyIsMadeBeforeTheTransportGetsIt() async throws {
        let pipeline = Pipeline(
            [StagedInterceptor.changing(.wire) { $0.body = .json(["ok": true]) }],
            transport: transport
        )
        _ = try await pipeline.send(HTTPRequest(.post, url), context: .test())
        let sent = try #require(transport.requests.first)
        #expect(sent.bodyText == #"{"ok":true}"#)
        #expect(sent.headers == ["Content-Type": "application/json"])
    }

    @Test(arguments: [Timeouts.standard, .none])
    func aCancelledTaskSendsNothing(timeouts: Timeouts) async throws {
        let context = RequestContext.test(timeouts: timeouts)
        let (url, transport) = (url, transport)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: context)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.isEmpty)
        #expect(context.call.outcome == .notSent)
    }

    @Test(arguments: [Timeouts.standard, .none])
    func aCancelledTaskSendsNoFurtherRequestEvenIfAnInterceptorTries(timeouts: Timeouts) async throws {
        let stubborn = StagedInterceptor(.retry) { request, context, next in
            _ = try await next(request, context)
            withUnsafeCurrentTask { $0?.cancel() }
            return try await next(request, context)
        }
        let context = RequestContext.test(timeouts: timeouts)
        let (url, transport) = (url, transport)
        let task = Task {
            try await Pipeline([stubborn], transport: transport).send(HTTPRequest(.get, url), context: context)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.map(\.attempt) == [1])
    }

    @Test(
        arguments: [
            (.timedOut, .timeout, .unknown, [.handedOver]),
            (.timedOut, .timeout, .notSent, [.connecting]),
            (.cannotFindHost, .dns, .notSent, [.handedOver]),
            (.cannotConnectToHost, .connect, .notSent, [.sending]),
            (.networkConnectionLost, .connectionLost, .unknown, [.sending]),
            (.networkConnectionLost, .connectionLost, .answered, [.answered]),
        ] as [(URLError.Code, NetKitError.Code, NetKitError.Outcome, [Progress])]
    )
    func foundationsErrorsAreTranslatedWithWhatTheExchangeReported(
        thrown: URLError.Code,
        code: NetKitError.Code,
        outcome: NetKitError.Outcome,
        progress: [Progress]
    ) async throws {
        let transport = ScriptedTransport { _, context in
            for step in progress { step.note(to: context.attempt) }
            throw URLError(thrown)
        }
        let error = await #expect(throws: NetKitError.self) {
            try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: .test())
        }
        #expect(error?.code == code)
        #expect(error?.outcome == outcome)
        #expect((error?.cause as? URLError)?.code == thrown)
    }

    /// The reports of a transport through the public interface.
    enum Progress: Sendable {
        case handedOver, connecting, sending, answered

        func note(to attempt: Attempt) {
            switch self {
            case .handedOver: break
            case .connecting: attempt.noteConnecting()
            case .sending: attempt.noteSending()
            case .answered: attempt.noteAnswered()
            }
        }
    }

    @Test func otherErrorsOfATransportAreCustom() async throws {
        let transport = ScriptedTransport { _, context in
            context.attempt.noteConnecting()
            throw Breakdown()
        }
        let error = await #expect(throws: NetKitError.self) {
            try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: .test())
        }
        #expect(error?.code == .custom)
        #expect(error?.cause is Breakdown)
        #expect(error?.outcome == .notSent)
    }

    @Test func aTransportsOwnErrorsPassAsTheyAre() async throws {
        let transport = ScriptedTransport { _, _ in throw NetKitError(.tls, "bad certificate", outcome: .notSent) }
        let error = await #expect(throws: NetKitError.self) {
            try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: .test())
        }
        #expect(error?.code == .tls)
        #expect(error?.message == "bad certificate")
        #expect(error?.outcome == .notSent)
    }

    @Test(arguments: [URLError(.cancelled), CancellationError()] as [any Error])
    func cancellationIsNotAFailure(thrown: any Error) async throws {
        let transport = ScriptedTransport { _, _ in
            withUnsafeCurrentTask { $0?.cancel() }
            throw thrown
        }
        await #expect(throws: CancellationError.self) {
            try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: .test())
        }
    }

    @Test func aBodyOverTheBoundIsAnswered() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .stream([Data("1234".utf8), Data("5678".utf8)]))
        let pipeline = Pipeline([], transport: transport)
        let error = await #expect(throws: NetKitError.self) {
            try await pipeline.send(HTTPRequest(.get, url), context: .test(delivery: .buffered(upTo: 7)))
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.outcome == .answered)
        let whole = try await pipeline.send(HTTPRequest(.get, url), context: .test(delivery: .buffered(upTo: 8)))
        #expect(whole.body.buffered == Data("12345678".utf8))
    }

    @Test func aBufferedBodyThatFailsFailsTheExchange() async throws {
        transport.stub(.get, "/x", .stream([Data("half".utf8)], failingWith: URLError(.networkConnectionLost)))
        let context = RequestContext.test()
        let error = await #expect(throws: NetKitError.self) {
            try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: context)
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.outcome == .answered)
    }

    @Test func aStreamedBodyIsHandedOnUnread() async throws {
        transport.stub(.get, "/x", .stream([Data("a".utf8), Data("b".utf8)]))
        let pipeline = Pipeline([], transport: transport)
        let response = try await pipeline.send(HTTPRequest(.get, url), context: .test(delivery: .streamed))
        #expect(response.body.buffered == nil)
        #expect(!response.body.isConsumed)
        #expect(try await response.body.text(upTo: 10) == "ab")
    }

    @Test func theResponseNamesItsURLAndHowLongItTook() async throws {
        let time = TestClock()
        let transport = MockTransport()
        transport.stub(.get, "/x", .status(200).delayed(by: .milliseconds(1500)))
        let (url, context) = (url, RequestContext.test(clock: time.clock))
        let task = Task { try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: context) }
        await time.waitForSleepers(1)
        time.advance(by: .milliseconds(1500))
        let response = try await task.value
        #expect(response.url == url)
        #expect(response.timings.total == .milliseconds(1500))
    }

    @Test func theTransportsURLAndTimingsStay() async throws {
        let own = try #require(URL(string: "https://cdn.example.com/y"))
        let transport = ScriptedTransport { _, _ in
            var response = HTTPResponse(status: 200, url: own)
            response.timings.total = .seconds(7)
            return response
        }
        let response = try await Pipeline([], transport: transport).send(HTTPRequest(.get, url), context: .test())
        #expect(response.url == own)
        #expect(response.timings.total == .seconds(7))
    }

    @Test func theAddressATransportConnectedToIsJudged() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.addressGuard = AddressGuard(resolve: { _ in ["93.184.216.34"] })
        let pipe = BodyPipe()
        let transport = ScriptedTransport { _, _ in
            var response = HTTPResponse(status: 200, body: ResponseBody(source: pipe))
            response.timings.remoteAddress = "169.254.169.254"
            return response
        }
        let seen = Notebook<NetKitError.Outcome?>()
        let watching = StagedInterceptor(.attempt) { request, context, next in
            do {
                return try await next(request, context)
            } catch {
                seen.add((error as? NetKitError)?.outcome)
                throw error
            }
        }
        let client = HTTPClient(transport: transport, interceptors: [watching], configuration: configuration)
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, url)) }
        #expect(error?.code == .addressRefused)
        #expect(error?.outcome == .answered)
        #expect(seen.entries == [.answered])
        #expect(pipe.isCancelled)
    }
}
