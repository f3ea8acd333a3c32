import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MetricsCollectorTests {
    private let metrics = MetricsCollector(maxSeries: 20)
    private let transport = MockTransport()
    private var options: CallOptions { CallOptions(delivery: .buffered(upTo: 1000)) }

    private func responding(_ status: HTTPStatus) -> HTTPClient {
        HTTPClient(transport: MockTransport { _, _ in HTTPResponse(status: status) }, interceptors: [metrics])
    }

    private func client(_ others: InterceptorList = []) -> HTTPClient {
        HTTPClient(baseURL: exampleBase, transport: transport, interceptors: others + [metrics])
    }

    @Test func nothingIsCountedAtFirst() {
        let empty = metrics.snapshot()
        #expect(empty.totalRequests == 0)
        #expect(empty.successRate == 0)
        #expect(empty.averageDuration == .zero)
        #expect(empty.percentile(0.5) == nil)
    }

    @Test func requestsMadeElsewhereCanBeRecorded() {
        metrics.recordRequest(success: true, duration: .seconds(1), didRetry: true)
        metrics.recordRequest(success: false, duration: .seconds(3))
        let counted = metrics.snapshot()
        #expect(counted.totalRequests == 2)
        #expect(counted.successfulRequests == 1)
        #expect(counted.failedRequests == 1)
        #expect(counted.retryCount == 1)
        #expect(counted.totalDuration == .seconds(4))
        #expect(counted.averageDuration == .seconds(2))
        #expect(counted.successRate == 0.5)
        metrics.reset()
        #expect(metrics.snapshot().totalRequests == 0)
    }

    @Test func callsRetriesAndExchangesAreCounted() async throws {
        transport.stub(.get, "/users/42", .status(503), .status(503), .text("a"))
        transport.stub(.get, "/users/43", .text("b"))
        transport.stub(.get, "/gone", .failure(URLError(.cannotConnectToHost)))
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .zero), jitter: .none)
        let client = client([RetryInterceptor(policy)])
        for id in [42, 43] { _ = try await client.send(HTTPRequest(.get, "/users/\(id)"), options: options) }
        _ = try? await client.send(HTTPRequest(.get, "/gone"), options: options)
        let counted = metrics.snapshot()
        #expect(counted.successfulRequests == 2)
        #expect(counted.failedRequests == 1)
        #expect(counted.retryCount == 4)
        #expect(counted.activeRequests == 0)
        let series = Dictionary(
            uniqueKeysWithValues: counted.series.map { ("\($0.template ?? "-") \($0.result)", $0.count) }
        )
        #expect(series == ["/users/{} 200": 2, "/users/{} 503": 2, "/gone connect": 3])
        #expect(counted.series.allSatisfy { $0.origin?.host == "api.example.com" && $0.method == "GET" })
    }

    @Test func aRetryThatItsCallDoesNotWaitForIsNotCounted() async throws {
        transport.stub(.get, "/x", .status(503))
        let time = TestClock()
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .seconds(10)), jitter: .none)
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [RetryInterceptor(policy), metrics],
            configuration: configuration
        )
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(10))
        await transport.waitForRequests(2)
        await time.waitForSleepers(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.count == 2)
        #expect(metrics.snapshot().retryCount == 1)
    }

    @Test func callsInFlightAreCounted() async throws {
        transport.stub(.get, "/x", .stalled)
        let client = HTTPClient.testing(transport, metrics)
        let call = Task { try await client.send(HTTPRequest(.get, "/x")) }
        await transport.waitForRequests(1)
        #expect(metrics.snapshot().activeRequests == 1)
        metrics.reset()
        #expect(metrics.snapshot().activeRequests == 1)
        transport.release()
        _ = try await call.value.body.collect(upTo: 10)
        #expect(metrics.snapshot().activeRequests == 0)
    }

    @Test func tenThousandURLsMakeABoundedNumberOfSeries() async throws {
        let client = responding(.ok)
        for number in 0..<10_000 {
            _ = try await client.send(
                HTTPRequest(.get, "https://h\(number % 100).example.com/\(number)"),
                options: options
            )
        }
        let counted = metrics.snapshot()
        #expect(counted.series.count == 21)
        let rest = try #require(counted.series.first { $0.isOverflow })
        #expect(rest.count == 10_000 - 20 * 100)
        #expect(counted.prometheusText.contains("otel_metric_overflow=\"true\""))
        #expect(counted.prometheusText.utf8.count < 100_000)
    }

    @Test func unknownMethodsShareASeries() async throws {
        let client = responding(.ok)
        for name in ["PURGE", "LINK"] {
            _ = try await client.send(HTTPRequest(HTTPMethod(name), "https://a.example/x"), options: options)
        }
        #expect(metrics.snapshot().series.map(\.method) == ["_OTHER"])
    }

    @Test func eventsOfOtherInterceptorsAreCounted() async throws {
        transport.stub(.get, "/x", .text("x").header("Cache-Control", "max-age=60"))
        transport.stub(.get, "/down", .status(500))
        let tokens = TokenStore(initial: nil, clock: TestClock().clock) { _ in "token" }
        let breaker = CircuitBreakerInterceptor(CircuitBreakerPolicy(minThroughput: 3))
        let cache = CacheInterceptor(MemoryCacheStore())
        let client = HTTPClient.testing(transport, cache, AuthInterceptor(tokens), breaker, metrics, time: TestClock())
        for _ in 0..<3 { _ = try await client.send(HTTPRequest(.get, "/x"), options: options) }
        for _ in 0..<3 { _ = try? await client.send(HTTPRequest(.get, "/down"), options: options) }
        let counted = metrics.snapshot()
        #expect(counted.count(of: .cache, as: "hit") == 2)
        #expect(counted.count(of: .cache, as: "failure") == 1)
        #expect(counted.count(of: .cache) == 6)
        #expect(counted.count(of: .refreshEnded, as: "success") == 1)
        #expect(counted.count(of: .breaker, as: "open") == 1)
        let health = client.health()
        #expect(health.isOpen)
        #expect(health.troubledServers.map(\.value) == ["open"])
        #expect(health.connectionsInUse == nil)
        #expect(health.queueDepth == nil)
    }

    @Test func aStoredResponseInPlaceOfAFailureIsNotConfirmed() async throws {
        transport.stub(
            .get,
            "/x",
            .text("x").header("Cache-Control", "max-age=0, stale-if-error=600").header("ETag", "\"1\""),
            .status(503),
            .failure(URLError(.cannotConnectToHost)),
            .status(304)
        )
        let client = client([CacheInterceptor(MemoryCacheStore())])
        for _ in 0..<4 {
            #expect(try await client.send(HTTPRequest(.get, "/x"), options: options).status == .ok)
        }
        let counted = metrics.snapshot()
        #expect(counted.count(of: .cache, as: "miss") == 1)
        #expect(counted.count(of: .cache, as: "hit") == 2)
        #expect(counted.count(of: .cache, as: "revalidated") == 1)
    }

    @Test func healthReportsCallsInFlightAndWaiting() async throws {
        transport.stub(.get, "/x", .stalled)
        let client = client()
        let queue = try await OfflineQueue(
            store: InMemoryOfflineStore(),
            monitor: ManualNetworkMonitor(isConnected: false)
        )
        try await queue.enqueue(QueuedRequest(.post("/orders")))
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
        await transport.waitForRequests(1)
        let health = client.health(
            queueDepth: await queue.pendingCount,
            quarantinedCount: await queue.quarantined.count
        )
        #expect(health.activeCallCount == 1)
        #expect(health.oldestCallAge != nil)
        #expect(health.queueDepth == 1)
        #expect(health.prometheusText.contains("netkit_client_queue_depth 1\n"))
        transport.release()
        _ = try await call.value
        await client.shutdown()
        #expect(client.health().isOpen == false)
        await queue.close()
    }

    @Test func explainListsACollectorThatInterceptsNothing() {
        let client = client()
        #expect(client.explain().contains("events     metrics: at most 20 series"))
        #expect(!client.pipeline.interceptors.contains { $0 is MetricsCollector })
        let wrong = HTTPClient(transport: transport, interceptors: [MetricsCollector(maxSeries: 0)])
        #expect(wrong.warnings == ["metrics: maxSeries is 0, which is out of range; 1 is used instead."])
    }

    @Test func absurdDurationsAreCounted() {
        for _ in 0..<40 { metrics.recordRequest(success: true, duration: .seconds(Int64.max)) }
        #expect(metrics.snapshot().totalRequests == 40)
    }

    @Test func theTextHasCumulativeBuckets() async throws {
        metrics.recordRequest(success: true, duration: .milliseconds(20))
        metrics.recordRequest(success: true, duration: .seconds(60))
        let lines = metrics.snapshot().prometheusText.split(separator: "\n").map(String.init)
        let name = "netkit_client_call_duration_seconds"
        for line in [
            "# TYPE \(name) histogram", "\(name)_bucket{le=\"0.01\"} 0", "\(name)_bucket{le=\"0.025\"} 1",
            "\(name)_bucket{le=\"10.0\"} 1", "\(name)_bucket{le=\"+Inf\"} 2", "\(name)_sum 60.02", "\(name)_count 2",
            "netkit_client_calls_total{result=\"success\"} 2",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func labelsAreEscaped() async throws {
        let request = HTTPRequest(.get, "https://a.example/a\"b\\c\nd")
        _ = try await responding(.notFound).send(request, options: options)
        let text = metrics.snapshot().prometheusText
        let samples = text.split(separator: "\n").filter { $0.hasPrefix("http_client_request_duration_seconds_count") }
        #expect(samples.count == 1)
        #expect(samples.first?.contains("error_type=\"404\"") == true)
    }
}
