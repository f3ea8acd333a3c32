import Dispatch
import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// The code on the page "Running in production", compiled, and its figures.
@Suite(.needsTheMachine)
struct ProductionGuideTests {
    @Test func theListMakesSense() throws {
        // GUIDE: begin
        let metrics = MetricsCollector()
        let client = HTTPClient(
            baseURL: URL(string: "https://stock.internal"),
            interceptors: .standard + [
                CircuitBreakerInterceptor(),
                ConcurrencyLimitInterceptor(maxPerHost: 64),
                LoggingInterceptor(.standardError),
                metrics,
            ],
            configuration: try .fromEnvironment()
        )
        // GUIDE: end
        #expect(client.warnings == [])
        #expect(metrics.snapshot().totalRequests == 0)
    }

    private struct Service {
        let queue: OfflineQueue
        let client: HTTPClient
        let spans: OTLPSpanExporter

        // GUIDE: begin
        func stop() async {
            await queue.close(within: .seconds(5))
            await client.shutdown(within: .seconds(10))
            await spans.shutdown(within: .seconds(2))
        }
        // GUIDE: end

        /// Compiled and not called: signals belong to the whole process.
        func run() async {
            // GUIDE: begin
            signal(SIGTERM, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: SIGTERM)
            let stops = AsyncStream<Void> { continuation in
                source.setEventHandler { @Sendable in continuation.yield() }
                source.activate()
            }
            for await _ in stops { break }
            await stop()
            // GUIDE: end
        }
    }

    @Test func connectionsAreOpenedFirst() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(baseURL: URL(string: "https://stock.internal"), transport: transport)
        // GUIDE: begin
        try await client.connect()
        // GUIDE: end
        #expect(transport.requests.count == 1)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Running-In-Production").shows(#filePath))
    }

    @Test func theFiguresAreTheDefaults() throws {
        let page = try GuidePage("Running-In-Production").text
        let configuration = HTTPClient.Configuration()
        #expect(
            RetryPolicy.standard.maxAttempts == 3 && page.contains("3 attempts if repeating is safe, full jitter")
        )
        #expect(configuration.redirects.maxHops == 20 && page.contains("| 20, never from https to http |"))
    }
}
