import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TracingInterceptorTests {
    /// An exporter that records the spans that begin and end.
    private struct Keeper: SpanExporter {
        let begun = Notebook<Span>()
        let ended = Notebook<Span>()

        func begin(_ span: Span) { begun.add(span) }

        func export(_ span: Span) { ended.add(span) }
    }

    private let spans = Keeper()
    private let transport = MockTransport()
    private let time = TestClock(date: Date(timeIntervalSince1970: 1000))
    private var options: CallOptions { CallOptions(delivery: .buffered(upTo: 1000)) }

    private func client(_ others: InterceptorList = [], samplingRatio: Double = 1) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: others + [TracingInterceptor(spans, samplingRatio: samplingRatio)],
            configuration: configuration
        )
    }

    @Test func aCallAndItsAttemptsAreOneTrace() async throws {
        transport.stub(.get, "/users/42", .status(503), .text("hello"))
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .zero), jitter: .none)
        let id = 42
        let request = HTTPRequest(.get, "/users/\(id)?token=s3cret")
        _ = try await client([RetryInterceptor(policy)]).send(request, options: options)
        let ended = spans.ended.entries
        try #require(ended.count == 3)
        let (first, second, call) = (ended[0], ended[1], ended[2])
        #expect(Set(ended.map(\.context.traceID)).count == 1)
        #expect(Set(ended.map(\.context.spanID)).count == 3)
        #expect(call.parentID == nil)
        #expect([first.parentID, second.parentID] == [call.context.spanID, call.context.spanID])
        #expect(ended.map(\.kind) == [.client, .client, .internal])
        #expect(ended.map(\.name) == Array(repeating: "GET /users/{}", count: 3))
        #expect(
            transport.requests.map { $0.headers["traceparent"] } == [
                first.context.traceparent, second.context.traceparent,
            ]
        )
        #expect(spans.begun.entries.map(\.context.spanID) == [call, first, second].map(\.context.spanID))
        #expect(
            second.attributes == [
                "http.request.method": "GET", "url.full": "https://api.example.com/v1/users/42?token=***",
                "url.template": "/users/{}", "url.scheme": "https", "server.address": "api.example.com",
                "server.port": 443,
                "http.response.status_code": 200, "http.response.body.size": 5, "http.request.resend_count": 1,
            ]
        )
        #expect(first.attributes["error.type"] == "503")
        #expect(first.errorType == "503")
        #expect(call.errorType == nil)
        #expect(call.events.count == 2)
        #expect(call.attributes["netkit.retry.stop"] == .text(RetryStop.answered.description))
    }

    @Test func aRefreshBelongsToTheCallThatBeganItAndToNoOther() async throws {
        transport.stub(.post, "/login", .stalled)
        transport.stub(.get, "**", .text("hello"))
        let (login, options) = (client(), options)
        let store = TokenStore(initial: nil, clock: time.clock) { _ in
            _ = try await login.send(HTTPRequest(.post, "/login"), options: options)
            return "new"
        }
        let client = client([AuthInterceptor(store)])
        let first = Task { try await client.send(HTTPRequest(.get, "/first"), options: options).status }
        await transport.waitForRequests(1)
        let second = Task { try await client.send(HTTPRequest(.get, "/second"), options: options).status }
        transport.release()
        for call in [first, second] { #expect(try await call.value == .ok) }
        let calls = spans.ended.entries.filter { $0.kind == .internal }
        let began = try #require(calls.first { $0.name == "GET /first" })
        let joined = try #require(calls.first { $0.name == "GET /second" })
        let refresh = try #require(calls.first { $0.name == "POST /login" })
        #expect(refresh.parentID == began.context.spanID)
        #expect(refresh.context.traceID == began.context.traceID)
        #expect(joined.context.traceID != began.context.traceID)
        #expect(calls.count == 3)
    }

    @Test func aResponseThatIsTooLargeHasItsStatus() async throws {
        transport.stub(.get, "/x", .text("hello"))
        let options = CallOptions(delivery: .buffered(upTo: 2))
        _ = try? await client().send(HTTPRequest(.get, "/x"), options: options)
        let ended = spans.ended.entries
        #expect(ended.map { $0.attributes["http.response.status_code"] } == [200, 200])
        #expect(ended.map(\.errorType) == ["bodyTooLarge", "bodyTooLarge"])
    }

    @Test func attemptsAfterAWaitAreDatedFromTheStartOfTheCall() async throws {
        transport.stub(.get, "/x", .status(503), .text("hello"))
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .zero), jitter: .none)
        let waiting = StagedInterceptor(.call) { [time] request, context, next in
            time.advance(by: .seconds(2))
            return try await next(request, context)
        }
        _ = try await client([RetryInterceptor(policy), waiting]).send(HTTPRequest(.get, "/x"), options: options)
        let call = try #require(spans.ended.entries.last)
        #expect(call.events.map(\.date.timeIntervalSince1970) == [1002, 1002])
    }

    @Test func aSpanLastsAsLongAsTheBody() async throws {
        transport.stub(.get, "/log", .stream([Data("one".utf8)]))
        let response = try await client().send(HTTPRequest(.get, "/log"))
        #expect(spans.ended.count == 0)
        time.advance(by: .seconds(3))
        _ = try await response.body.collect(upTo: 10)
        let ended = spans.ended.entries
        #expect(ended.map(\.start.timeIntervalSince1970) == [1000, 1000])
        #expect(ended.map(\.end.timeIntervalSince1970) == [1003, 1003])
    }

    @Test func anAttemptHasTheTimingsOfTheTransport() async throws {
        var timings = ExchangeTimings()
        (timings.nameResolved, timings.connected) = (.milliseconds(1), .milliseconds(2))
        (timings.secured, timings.firstByte) = (.milliseconds(5), .milliseconds(9))
        (timings.remoteAddress, timings.protocolVersion) = ("192.0.2.1", "HTTP/2")
        let known = timings
        let client = HTTPClient(
            transport: MockTransport { _, _ in HTTPResponse(status: .ok, timings: known) },
            interceptors: [TracingInterceptor(spans)]
        )
        _ = try await client.send(HTTPRequest(.get, "https://a.example/x"), options: options)
        let attempt = try #require(spans.ended.entries.first)
        #expect(attempt.attributes["network.peer.address"] == "192.0.2.1")
        #expect(attempt.attributes["network.protocol.version"] == "2")
        #expect(attempt.events.map(\.name) == ["name resolved", "connected", "secured", "first byte"])
    }

    @Test func aFailureHasATypeButNoText() async throws {
        transport.stub(.get, "/x", .failure(URLError(.cannotConnectToHost)))
        _ = try? await client().send(HTTPRequest(.get, "/x"))
        #expect(spans.ended.entries.map(\.errorType) == ["connect", "connect"])
        transport.stub(.get, "/y", .stalled)
        let call = Task { [client = client()] in try await client.send(HTTPRequest(.get, "/y")) }
        await transport.waitForRequests(2)
        call.cancel()
        _ = await call.result
        #expect(spans.ended.entries.map(\.errorType).suffix(2) == ["cancelled", "cancelled"])
    }

    /// The interceptor does not promise to end with its calls, so everything behind it is in a task of its own.
    @Test(arguments: [true, false])
    func theReasonOfAnEndIsSeenThroughAForeignInterceptor(isDeadline: Bool) async throws {
        transport.stub(.get, "/x", .stalled)
        let metrics = MetricsCollector()
        let client = client([StagedInterceptor(.call) { try await $2($0, $1) }, metrics])
        let options = CallOptions(timeout: isDeadline ? .seconds(3) : nil)
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
        await transport.waitForRequests(1)
        if isDeadline {
            time.advance(by: .seconds(3))
        } else {
            let alarms = time.alarmCount
            let closing = Task { await client.shutdown(within: .seconds(1)) }
            await time.waitForAlarms(alarms + 1)
            time.advance(by: .seconds(1))
            _ = await closing.value
        }
        _ = await call.result
        let expected = isDeadline ? "timeout" : "closed"
        #expect(spans.ended.entries.map(\.errorType) == [expected, expected])
        #expect(metrics.snapshot().series.map(\.result) == [expected])
    }

    /// Waits until the task is cancelled, and ends a moment later.
    private static func endLate(_ clock: NetKitClock) async throws -> HTTPResponse {
        try? await clock.sleep(for: .seconds(3600))
        let moment = Promise<Void>()
        let alarm = clock.schedule(at: clock.now.advanced(by: .milliseconds(100))) { moment.resolve(.success(())) }
        defer { alarm.cancel() }
        try await moment.value()
        throw CancellationError()
    }

    private func client(_ simulation: Simulation, _ transport: MockTransport, _ other: any Interceptor) -> HTTPClient {
        HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList([other, TracingInterceptor(spans)]),
            configuration: simulation.configuration
        )
    }

    /// The call must not leave its exchanges behind.
    @Test(arguments: [true, false])
    func aShutdownWaitsForTheExchangesOfACancelledCall(isHedged: Bool) async throws {
        let simulation = Simulation(seed: 1)
        let transport = MockTransport { _, context in try await Self.endLate(context.clock) }
        let other: any Interceptor = isHedged ? HedgeInterceptor(after: .fixed(.seconds(1))) : CoalesceInterceptor()
        let client = client(simulation, transport, other)
        let count = try await simulation.run { [spans, options] in
            async let response = client.send(HTTPRequest(.get, "/x"), options: options)
            try await simulation.sleep(for: .seconds(2))
            client.cancelAll()
            #expect(await client.shutdown())
            let count = spans.ended.count
            _ = try? await response
            return count
        }
        #expect(count == (isHedged ? 3 : 2))
        #expect(simulation.now == .milliseconds(2100))
    }

    @Test func aShutdownWaitsForTheLoserOfARace() async throws {
        let simulation = Simulation(seed: 1)
        let transport = MockTransport { _, context in
            if context.attempt.number == 2 { return HTTPResponse(status: .ok) }
            return try await Self.endLate(context.clock)
        }
        let client = client(simulation, transport, HedgeInterceptor(after: .fixed(.seconds(1))))
        let count = try await simulation.run { [spans, options] in
            _ = try await client.send(HTTPRequest(.get, "/x"), options: options)
            #expect(client.activeCallCount == 0)
            #expect(simulation.now == .seconds(1))
            #expect(await client.shutdown())
            return spans.ended.count
        }
        #expect(count == 3)
        #expect(simulation.now == .milliseconds(1100))
    }

    @Test func aShutdownDoesNotWaitForALoserThatNeverEnds() async throws {
        let (simulation, end) = (Simulation(seed: 1), Promise<HTTPResponse>())
        let transport = MockTransport { _, context in
            if context.attempt.number == 2 { return HTTPResponse(status: .ok) }
            return try await end.value()
        }
        let client = client(simulation, transport, HedgeInterceptor(after: .fixed(.seconds(1))))
        // It is shorter than the limit of an attempt, so only the whole race is in a task that can be abandoned.
        let limited = CallOptions(timeout: .seconds(10), delivery: .buffered(upTo: 1000))
        try await simulation.run {
            _ = try await client.send(HTTPRequest(.get, "/x"), options: limited)
            #expect(simulation.now == .seconds(1))
            #expect(await client.shutdown())
            #expect(simulation.now == .seconds(2))
            end.resolve(.failure(CancellationError()))
        }
    }

    @Test func aParentIsFoundInTheRequestOrTheTask() async throws {
        transport.stub(.get, "/x", .status(200))
        let (own, around) = (TraceContext(), TraceContext())
        var request = HTTPRequest(.get, "/x")
        own.inject(into: &request.headers)
        let client = client()
        try await TraceContext.$current.withValue(around) {
            _ = try await client.send(request, options: options)
            _ = try await client.send(HTTPRequest(.get, "/x"), options: options)
        }
        let calls = spans.ended.entries.filter { $0.kind == .internal }
        #expect(calls.map(\.context.traceID) == [own.traceID, around.traceID])
        #expect(calls.map(\.parentID) == [own.spanID, around.spanID])
    }

    @Test func anUnsampledTraceIsOnlyPropagated() async throws {
        transport.stub(.get, "/x", .status(200))
        let client = client()
        try await TraceContext.$current.withValue(TraceContext(isSampled: false)) {
            _ = try await client.send(HTTPRequest(.get, "/x"), options: options)
        }
        #expect(spans.ended.count == 0)
        #expect(transport.requests.first?.headers["traceparent"]?.hasSuffix("-00") == true)
    }

    @Test func withoutAnExporterTracesAreOnlyPropagated() async throws {
        transport.stub(.get, "/x", .status(200))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [TracingInterceptor()])
        let parent = TraceContext()
        _ = try await client.send(HTTPRequest(.get, "/x"), options: options)
        try await TraceContext.$current.withValue(parent) {
            _ = try await client.send(HTTPRequest(.get, "/x"), options: options)
        }
        let sent = transport.requests.map { TraceContext($0.headers) }
        #expect(sent == [nil, parent])
    }

    /// A span of the attempt would not be recorded, and the server's spans would have an unknown parent.
    @Test func withoutAnExporterEachAttemptPassesOnTheSpanOfTheRequest() async throws {
        transport.stub(.get, "/x", .status(503), .status(200))
        let retry = RetryInterceptor(RetryPolicy(backoffStrategy: .fixed(interval: .zero)))
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [retry, TracingInterceptor()]
        )
        var (parent, request) = (TraceContext(), HTTPRequest(.get, "/x"))
        parent.state["vendor"] = "a"
        parent.inject(into: &request.headers)
        _ = try await client.send(request, options: options)
        #expect(transport.requests.map { TraceContext($0.headers) } == [parent, parent])
    }

    @Test func aFractionOfTracesIsRecorded() async throws {
        transport.stub(.get, "/x", .status(200))
        let client = client(samplingRatio: 0)
        _ = try await client.send(HTTPRequest(.get, "/x"), options: options)
        #expect(spans.ended.count == 0)
        #expect(transport.requests.first?.headers["traceparent"]?.hasSuffix("-00") == true)
        let wrong = HTTPClient(transport: transport, interceptors: [TracingInterceptor(spans, samplingRatio: 7)])
        #expect(wrong.warnings == ["tracing: samplingRatio is 7.0, which is out of range; 1.0 is used instead."])
    }

    @Test func tracingAloneEmitsNoEvents() async throws {
        transport.stub(.get, "/x", .stalled)
        let client = client()
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
        await transport.waitForRequests(1)
        let events = client.events
        transport.release()
        _ = try await call.value
        await client.shutdown()
        for await event in events { Issue.record("\(event)") }
        #expect(spans.ended.count == 2)
    }
}
