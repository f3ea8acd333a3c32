import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OTLPSpanExporterTests {
    private let collector = MockTransport()
    private let server = MockTransport { _, _ in HTTPResponse(status: .ok) }
    private let time = TestClock(date: Date(timeIntervalSince1970: 1000))
    private let path = "http://localhost:4318/v1/traces"

    private func exporter(queue: Int = 2048, batch: Int = 512, timeout: Duration? = nil) -> OTLPSpanExporter {
        var configuration = OTLPSpanExporter.Configuration()
        if let timeout { configuration.timeout = timeout }
        (configuration.maxQueueSize, configuration.maxBatchSize) = (queue, batch)
        return OTLPSpanExporter(
            serviceName: "shop",
            headers: ["X-Key": "k", "X-Tenant": "t"],
            resource: ["service.version": "7"],
            configuration: configuration,
            transport: collector,
            clock: time.clock
        )
    }

    private func client(_ exporter: OTLPSpanExporter) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        return HTTPClient(
            baseURL: exampleBase,
            transport: server,
            interceptors: [TracingInterceptor(exporter)],
            configuration: configuration
        )
    }

    private func call(_ client: HTTPClient, _ count: Int = 1) async throws {
        for _ in 0..<count { _ = try await client.send(HTTPRequest(.get, "/x?token=s3cret")).body.collect(upTo: 10) }
    }

    @Test func flushSendsSpansAsJSON() async throws {
        collector.stub(.post, path, .status(200))
        let exporter = exporter()
        try await call(client(exporter))
        #expect(await exporter.flush())
        let request = try #require(collector.requests.first)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["X-Key"] == "k")
        #expect(!request.headers.contains("traceparent"))
        let text = String(decoding: request.body, as: UTF8.self)
        #expect(!text.contains("s3cret"))
        let resource = try #require(try JSONValue(parsing: Data(text.utf8))["resourceSpans"]?[0])
        let names = resource["resource"]?["attributes"]?.array?.compactMap { $0["value"]?["stringValue"]?.string }
        #expect(Set(names ?? []) == ["shop", "7"])
        let spans = try #require(resource["scopeSpans"]?[0]?["spans"]?.array)
        #expect(spans.map { $0["kind"]?.int } == [3, 1])
        #expect(spans.first?["parentSpanId"] == spans.last?["spanId"])
        #expect(spans.first?["startTimeUnixNano"]?.string == "1000000000000")
        #expect(exporter.droppedCount == 0)
    }

    @Test func aBatchIsSentWhenItIsFullOrAfterTheInterval() async throws {
        collector.stub(.post, path, .status(200))
        let exporter = exporter(batch: 4)
        let client = client(exporter)
        try await call(client, 2)
        await collector.waitForRequests(1)
        #expect(await exporter.flush())
        try await call(client, 1)
        #expect(collector.requests.count == 1)
        time.advance(by: .seconds(5))
        await collector.waitForRequests(2)
        #expect(await exporter.flush())
    }

    @Test func withoutAnIntervalEachCallIsSent() async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("api.example.com", SimulatedHost())
        simulation.host("collector.example", SimulatedHost())
        var configuration = OTLPSpanExporter.Configuration()
        configuration.interval = .zero
        let exporter = OTLPSpanExporter(
            serviceName: "shop",
            endpoint: URL(string: "http://collector.example/v1/traces"),
            configuration: configuration,
            transport: simulation.transport,
            clock: simulation.clock
        )
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: simulation.transport,
            interceptors: [TracingInterceptor(exporter)],
            configuration: simulation.configuration
        )
        let counts = try await simulation.run {
            var counts: [Int] = []
            for _ in 0..<2 {
                _ = try await client.send(HTTPRequest(.get, "/x")).body.collect(upTo: 10)
                // By the end, the collector has responded, and the exporter has nothing left to send.
                try await simulation.sleep(for: .seconds(1))
                counts.append(simulation.requestCount(at: "collector.example"))
            }
            return counts
        }
        #expect(counts[0] > 0 && counts[1] > counts[0], "\(counts)")
    }

    @Test func aSilentCollectorDropsSpansAndDelaysNoCall() async throws {
        collector.stub(.post, path, .stalled)
        let exporter = exporter(queue: 4, batch: 2)
        let client = client(exporter)
        try await call(client)
        await collector.waitForRequests(1)
        try await call(client, 10)
        #expect(server.requests.count == 11)
        #expect(exporter.droppedCount == 16)
        let alarms = time.alarmCount
        let closing = Task { await exporter.shutdown(within: .seconds(3)) }
        await time.waitForAlarms(alarms + 1)
        time.advance(by: .seconds(3))
        #expect(await closing.value == false)
        #expect(exporter.droppedCount == 22)
        try await call(client)
        #expect(exporter.droppedCount == 24)
    }

    /// The exchange needs a moment to end after its cancellation.
    @Test func aBatchThatIsGivenUpIsCountedAtTheEndOfTheShutdown() async throws {
        let collector = ScriptedTransport { _, context in
            do {
                try await context.clock.sleep(for: .seconds(5))
            } catch {
                for _ in 0..<20 { await Task.yield() }
                throw error
            }
            return HTTPResponse(status: .ok)
        }
        var configuration = OTLPSpanExporter.Configuration()
        configuration.maxBatchSize = 2
        let exporter = OTLPSpanExporter(
            serviceName: "shop",
            configuration: configuration,
            transport: collector,
            clock: time.clock
        )
        try await call(client(exporter))
        await time.waitForSleepers(1)
        #expect(await exporter.shutdown(within: .zero) == false)
        #expect(exporter.droppedCount == 2)
    }

    @Test func aShorterShutdownBesideItIsKnownToTheFirst() async throws {
        collector.stub(.post, path, .stalled)
        let exporter = exporter(batch: 2)
        try await call(client(exporter))
        await collector.waitForRequests(1)
        let alarms = time.alarmCount
        let flush = Task { await exporter.flush(within: .seconds(3)) }
        let first = Task { await exporter.shutdown(within: .seconds(3)) }
        await time.waitForAlarms(alarms + 2)
        #expect(await exporter.shutdown(within: .zero) == false)
        #expect(await first.value == false)
        #expect(await flush.value == false)
    }

    @Test func anUnreachableCollectorFailsNoCall() async throws {
        collector.stub(.post, path, .failure(NetKitError(.unsupported, "Down.")))
        let exporter = exporter()
        try await call(client(exporter), 3)
        #expect(await exporter.shutdown())
        #expect(exporter.droppedCount == 6)
    }

    @Test(arguments: [
        (#"{}"#, 0), (#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}"#, 3),
        (#"{"partialSuccess":{"rejectedSpans":1}}"#, 1), (#"{"partialSuccess":{"rejectedSpans":"999"}}"#, 4),
        (#"{"partialSuccess":{"rejectedSpans":"-2"}}"#, 0), ("no JSON", 0),
    ])
    func spansThatTheCollectorRejectsAreCounted(response: String, expected: Int) async throws {
        collector.stub(.post, path, .text(response))
        let exporter = exporter()
        try await call(client(exporter), 2)
        #expect(await exporter.flush())
        #expect(exporter.droppedCount == expected)
    }

    @Test func theKeyOfACollectorStaysWithIt() async throws {
        let other = "https://other.example/v1/traces"
        collector.stub(.post, path, .status(308).header("Location", other))
        collector.stub(.post, other, .status(200))
        let exporter = exporter()
        try await call(client(exporter))
        #expect(await exporter.flush())
        #expect(collector.requests.map { $0.headers["X-Tenant"] } == ["t", nil])
    }

    @Test(arguments: [(301, 2), (302, 2), (303, 2), (307, 0)])
    func spansThatARedirectTookOutOfTheRequestAreCounted(status: Int, expected: Int) async throws {
        let page = "http://localhost:4318/login"
        collector.stub(.post, path, .status(HTTPStatus(status)).header("Location", page))
        collector.stub(nil, page, .text("<html>"))
        let exporter = exporter()
        try await call(client(exporter))
        #expect(await exporter.flush())
        #expect(collector.requests.count == 2)
        #expect(exporter.droppedCount == expected)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aTimeoutThatIsNotAboveZeroIsTheDefault(timeout: Duration) async throws {
        collector.stub(.post, path, .status(200))
        let exporter = exporter(timeout: timeout)
        try await call(client(exporter))
        #expect(await exporter.flush())
        #expect(exporter.droppedCount == 0)
    }

    @Test func flushWithoutSpansReturnsAtOnce() async {
        let exporter = exporter()
        #expect(await exporter.flush())
        #expect(await exporter.shutdown())
        #expect(collector.requests.isEmpty)
    }

    @Test func theDeadlineOfACallDoesNotApplyToTheExporter() async throws {
        collector.stub(
            .post,
            path,
            .respond { _, context in
                HTTPResponse(status: context.timeLeft.map { $0 > .seconds(5) } == true ? .ok : .badRequest)
            }
        )
        let exporter = exporter(batch: 2)
        let client = client(exporter)
        try await withDeadline(.seconds(1), clock: time.clock) { try await call(client) }
        await collector.waitForRequests(1)
        #expect(await exporter.flush())
        #expect(exporter.droppedCount == 0)
    }
}
