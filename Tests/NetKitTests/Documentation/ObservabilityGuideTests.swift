import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The examples of the page on events, metrics, traces and recordings, compiled and run.
@Suite(.needsTheMachine)
struct ObservabilityGuideTests {
    private struct User: Codable, Sendable { var name: String }

    // GUIDE: begin
    struct PrintedSpans: SpanExporter {
        func export(_ span: Span) {
            print("\(span.name) took \(span.end.timeIntervalSince(span.start)) s")
        }
    }
    // GUIDE: end

    private let base = exampleBase
    private let log = Notebook<String>()

    @Test func eventsAreRead() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .serviceUnavailable) }
        let client = HTTPClient(
            baseURL: base,
            transport: transport,
            interceptors: [RetryInterceptor(RetryPolicy(maxAttempts: 2, backoffStrategy: .fixed(interval: .zero)))]
        )
        // GUIDE: begin
        let events = client.events
        let listening = Task {
            for await event in events where event.kind == .retry { log.add(event.description) }
        }
        // GUIDE: end
        _ = try await client.data(for: URLRequest(url: try #require(URL(string: "https://api.example.com/x"))))
        await client.shutdown()
        await listening.value
        #expect(log.count == 2)
    }

    @Test func metricsAreCountedAndServed() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .serviceUnavailable) }
        // GUIDE: begin
        let metrics = MetricsCollector()
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: .standard + [metrics])
        // GUIDE: end
        _ = try? await client.send(HTTPRequest(.post, "/users"), options: CallOptions(delivery: .buffered(upTo: 10)))
        // GUIDE: begin
        let counted = metrics.snapshot()
        log.add("\(counted.successRate) of \(counted.totalRequests), 99% within \(counted.percentile(0.99) ?? .zero)")
        for series in counted.series where series.result == "503" {
            log.add("\(series.method) \(series.template ?? "-"): \(series.count)")
        }
        // GUIDE: end
        #expect(log.entries.first?.hasPrefix("0.0 of 1, 99% within") == true)
        #expect(log.entries.last == "POST /users: 1")
        let queue = try await OfflineQueue(store: InMemoryOfflineStore())
        // GUIDE: begin
        let page =
            metrics.snapshot().prometheusText + client.health(queueDepth: await queue.pendingCount).prometheusText
        // GUIDE: end
        #expect(page.contains("netkit_client_queue_depth 0"))
        // GUIDE: begin
        metrics.add(queue, labels: ["queue": "orders"])
        let figures = await metrics.collect().prometheusText
        // GUIDE: end
        await queue.close()
        #expect(figures.contains(#"netkit_queue_bytes{queue="orders"} 0"#))
        let guide = try GuidePage("Observability").text
        for line in (page + figures).split(separator: "\n") where line.hasPrefix("# TYPE") {
            let name = String(line.split(separator: " ")[2])
            #expect(guide.contains("`\(name)`"), "\(name)")
        }
    }

    @Test func tracesAreSent() async throws {
        let collector = try #require(URL(string: "http://127.0.0.1:9/v1/traces"))
        let (transport, id) = (MockTransport(), "42")
        transport.stub(.get, "/users/42", .json(User(name: "Ada")))
        let incoming: HTTPHeaders = ["traceparent": "00-12345678901234567890123456789012-1234567890123456-00"]
        // GUIDE: begin
        let spans = OTLPSpanExporter(serviceName: "shop", endpoint: collector)
        let client = HTTPClient(
            baseURL: base,
            transport: transport,
            interceptors: .standard + [TracingInterceptor(spans)]
        )
        // GUIDE: end
        // GUIDE: begin
        try await TraceContext.$current.withValue(TraceContext(incoming)) {
            let user: User = try await client.send(.get("/users/\(id)"))
            log.add(user.name)
        }
        // GUIDE: end
        // GUIDE: begin
        await client.shutdown(within: .seconds(20))
        await spans.shutdown(within: .seconds(5))
        // GUIDE: end
        #expect(log.entries == ["Ada"])
        #expect(
            transport.requests.first?.headers["traceparent"]?.hasPrefix("00-12345678901234567890123456789012-") == true
        )
    }

    @Test func exchangesAreRecorded() async throws {
        let (transport, ownFolder) = (MockTransport(), try TemporaryFolder())
        let folder = ownFolder.url
        transport.stub(.get, "/users/42", .json(User(name: "Ada")))
        // GUIDE: begin
        let recorder = HARRecorder(maxBodyBytes: 64 << 10)
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: .standard + [recorder])
        // GUIDE: end
        _ = try await client.send(HTTPRequest(.get, "/users/42")).body.collect(upTo: 100)
        // GUIDE: begin
        try await recorder.write(to: folder.appending(path: "calls.har"))
        // GUIDE: end
        let text = try String(contentsOf: folder.appending(path: "calls.har"), encoding: .utf8)
        #expect(text.contains("Ada"))
        withExtendedLifetime(ownFolder) {}
    }

    @Test func aRequestIsACommand() throws {
        // GUIDE: begin
        let request = HTTPRequest(.post, "/orders", headers: ["Authorization": "Bearer 1234"], body: .json(["id": 42]))
        print(try request.curlCommand(baseURL: base))
        // GUIDE: end
        #expect(try GuidePage("Observability").text.contains(request.curlCommand(baseURL: base)))
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Observability").shows(#filePath))
    }
}
