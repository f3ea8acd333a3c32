import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the metrics with Prometheus's own tool.
@Suite(.needsTheMachine)
struct PrometheusTests {
    @Test(.enabled(if: SystemTool.find("promtool") != nil, "Debian's package prometheus has promtool."))
    func promtoolAcceptsTheMetrics() async throws {
        let promtool = try #require(SystemTool.find("promtool"))
        let metrics = MetricsCollector(maxSeries: 5)
        let transport = MockTransport { request, _ in
            if request.url.path().hasSuffix("7") { throw URLError(.cannotConnectToHost) }
            return HTTPResponse(status: HTTPStatus(200 + request.url.path().utf8.count))
        }
        let tokens = TokenStore(initial: nil) { _ in "token" }
        let breaker = CircuitBreakerInterceptor()
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [AuthInterceptor(tokens), CacheInterceptor(MemoryCacheStore()), breaker, metrics]
        )
        breaker.isolate()
        breaker.reset()
        for path: RequestPath in ["/a\"\\b", "/bb", "/ccc", "/dddd", "/7", "/eeeee", "/ffffff"] {
            _ = try? await client.send(HTTPRequest(.get, path), options: CallOptions(delivery: .buffered(upTo: 10)))
        }
        let queue = try await OfflineQueue(store: InMemoryOfflineStore(), sender: client)
        try await queue.enqueue(QueuedRequest(.post("/orders")))
        await queue.processQueue()
        let text =
            metrics.snapshot().prometheusText + client.health(queueDepth: await queue.pendingCount).prometheusText
        await queue.close()
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "metrics")
        try Data(text.utf8).writeUnsynced(to: file)
        let shell = try #require(SystemTool.find("sh"))
        let (status, output) = try await shell.run(["-c", "'\(promtool.path)' check metrics < '\(file.path)'"])
        #expect(status == 0, "\(output)")
        #expect(output.isEmpty, "\(output)")
        for part in [
            "otel_metric_overflow", "error_type=\"connect\"", "refreshes_total", "breaker_changes", "queue_events",
        ] {
            #expect(text.contains(part), "\(part)")
        }
    }
}
