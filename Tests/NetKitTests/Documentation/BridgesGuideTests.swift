import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The bridges on the page "Bridges to other packages", compiled against stand-ins with the signatures of those
/// packages, and run.
@Suite(.needsTheMachine)
struct BridgesGuideTests {
    private let transport = MockTransport()
    private let base = URL(string: "https://api.example.com")

    private func client(_ interceptors: InterceptorList) -> HTTPClient {
        HTTPClient(baseURL: base, transport: transport, interceptors: interceptors)
    }

    @Test func recordsReachTheLogger() async throws {
        transport.stub(.get, "/x", .text("ok"))
        let lines = Locked<[(Logging.Logger.Level, String, String?)]>([])
        let logger = Logging.Logger { level, message, metadata in
            var method: String?
            if case .string(let text) = metadata?["http.request.method"] ?? metadata?["method"] { method = text }
            lines.withLock { $0.append((level, message.text, method)) }
        }
        let client = client([LoggingInterceptor(Logging.SwiftLogSink(logger: logger))])
        _ = try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 10)
        let line = try #require(lines.withLock { $0.first })
        #expect(line.0 == .info)
        #expect(line.1.contains("GET https://api.example.com/x"))
        #expect(line.2 == "GET")
    }

    @Test func exchangesReachTheMetrics() async throws {
        transport.stub(.get, "/x", .status(503), .text("ok"))
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .zero), jitter: .none)
        let client = client([RetryInterceptor(policy)])
        let events = client.events
        let forwarding = Task { await CoreMetrics().forward(events) }
        _ = try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 10)
        await client.shutdown(within: .seconds(1))
        // Events from before the end of the task are still read.
        forwarding.cancel()
        await forwarding.value
        let recorded = CoreMetrics.recorded.withLock { $0 }
        #expect(recorded["http_client_request_duration"] == 2)
        #expect(recorded["http_client_retries"] == 1)
    }

    @Test func attemptsAreSpans() async throws {
        transport.stub(.get, "/x", .text("ok"))
        let tracer = RecordingTracer()
        let client = client([Tracing.TracerInterceptor(tracer: tracer)])
        _ = try await client.send(HTTPRequest(.get, "/x")).body.text(upTo: 10)
        #expect(tracer.names == ["GET"])
        #expect(tracer.span.attributes == ["http.response.status_code": 200])
        #expect(transport.requests.first?.headers["traceparent"] == "00-1-2-01")
    }

    @Test func theServiceStopsWhatItHolds() async throws {
        let client = client([])
        let queue = try await OfflineQueue(store: InMemoryOfflineStore())
        let service = ServiceLifecycle.NetworkService(client: client, queue: queue)
        let run = Task { try await service.run() }
        ServiceLifecycle.stops.continuation.yield()
        try await run.value
        await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/x")) }
        await #expect(throws: NetKitError.self) { try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/x"))) }
    }

    @Test func asyncHTTPClientIsATransport() async throws {
        let wire = AsyncHTTPClient.Client { request in
            guard case .RAW(let method) = request.method else { throw NetKitError(.custom, "no method") }
            var bytes = Array("\(method) \(request.url) ".utf8)
            for try await chunk in request.body?.chunks ?? AsyncThrowingStream(unfolding: { nil }) {
                bytes += chunk.bytes
            }
            let whole = bytes
            var headers = AsyncHTTPClient.Headers()
            for field in request.headers where field.name == "X-A" { headers.add(name: field.name, value: field.value) }
            return AsyncHTTPClient.HTTPClientResponse(
                status: .init(code: 201),
                headers: headers,
                body: AsyncThrowingStream { continuation in
                    continuation.yield(AsyncHTTPClient.ByteBuffer(bytes: whole))
                    continuation.finish()
                }
            )
        }
        let client = HTTPClient(
            baseURL: base,
            transport: AsyncHTTPClient.AsyncHTTPTransport(client: wire),
            interceptors: []
        )
        let request = HTTPRequest(.post, "/echo", headers: ["X-A": "1"], body: .text("body"))
        let response = try await client.send(request)
        #expect(response.status == 201)
        #expect(response.headers["X-A"] == "1")
        #expect(try await response.body.text(upTo: 100) == "POST https://api.example.com/echo body")
    }

    @Test func netKitIsAnOpenAPITransport() async throws {
        transport.stub(.post, "/v1/echo", .text("done", status: 201))
        let bridge = OpenAPIRuntime.NetKitClientTransport(client: client([]))
        var request = OpenAPIRuntime.HTTPTypes.HTTPRequest(method: .init(rawValue: "POST"), path: "/echo")
        request.headerFields.append(.init(name: try #require(.init("X-A")), value: "1"))
        let chunks = AsyncStream<ArraySlice<UInt8>> { continuation in
            continuation.yield(ArraySlice("body".utf8))
            continuation.finish()
        }
        let (head, body) = try await bridge.send(
            request,
            body: OpenAPIRuntime.HTTPBody(chunks, length: .unknown),
            baseURL: try #require(URL(string: "https://api.example.com/v1")),
            operationID: "echo"
        )
        #expect(head.status.code == 201)
        var text = ""
        for try await chunk in try #require(body).chunks { text += String(decoding: chunk, as: UTF8.self) }
        #expect(text == "done")
        let seen = try #require(transport.requests.first)
        #expect(seen.headers["X-A"] == "1")
        #expect(seen.body == Data("body".utf8))
    }

    @Test func thePageShowsThisCode() throws {
        let folder = "Tests/NetKitTests/Documentation/Bridges/"
        #expect(
            try GuidePage("Bridges").shows(
                #filePath,
                and: folder + "LoggingBridge.swift",
                folder + "MetricsBridge.swift",
                folder + "TracingBridge.swift",
                folder + "ServiceBridge.swift",
                folder + "AsyncHTTPClientBridge.swift",
                folder + "OpenAPIBridge.swift"
            )
        )
    }

    /// Each bridge has to be short enough to read at a glance.
    @Test func noBridgeIsLong() throws {
        let blocks = try GuidePage("Bridges").text.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 6)
        for block in blocks {
            let code = block.components(separatedBy: "\n```").first ?? ""
            #expect(code.components(separatedBy: "\n").count < 40)
        }
    }

    private final class RecordingTracer: Tracing.Tracer {
        final class OneSpan: Tracing.Span {
            private let known = Locked<[String: Int]>([:])

            var context: Tracing.ServiceContext { Tracing.ServiceContext(traceparent: "00-1-2-01") }
            var attributes: [String: Int] { known.withLock { $0 } }

            func setAttribute(_ value: Int, forKey key: String) {
                known.withLock { $0[key] = value }
            }
        }

        let span = OneSpan()
        private let begun = Locked<[String]>([])

        var names: [String] { begun.withLock { $0 } }

        func withSpan<Result>(
            _ operationName: String,
            ofKind kind: Tracing.SpanKind,
            _ operation: (any Tracing.Span) async throws -> Result
        ) async rethrows -> Result {
            begun.withLock { $0.append(operationName) }
            return try await operation(span)
        }

        func inject<Carrier, Inject: Tracing.Injector>(
            _ context: Tracing.ServiceContext,
            into carrier: inout Carrier,
            using injector: Inject
        ) where Inject.Carrier == Carrier {
            injector.inject(context.traceparent, forKey: "traceparent", into: &carrier)
        }
    }
}
