import Foundation
import NetKit
import NetKitTestSupport
import Testing

// The service of the page "A service", compiled and run.

// GUIDE: begin
struct StockLevel: Codable, Sendable {
    var name: String
    var count: Int
}

struct ShopOrder: Codable, Sendable {
    var item: String
}

struct ShopService: Sendable {
    let stock: HTTPClient
    let tokens: TokenStore
    let orders: OfflineQueue
    let metrics: MetricsCollector
    let spans: OTLPSpanExporter

    init(
        environment: [String: String],
        folder: URL,
        tokens: TokenStore,
        spans: OTLPSpanExporter,
        transport: some Transport = .platformDefault
    ) async throws {
        let configuration = try HTTPClient.Configuration(environment: environment)
        let metrics = MetricsCollector()
        let stock = HTTPClient(
            baseURL: URL(string: environment["STOCK_URL"] ?? "http://127.0.0.1:8080"),
            transport: transport,
            interceptors: .standard + [
                AuthInterceptor(tokens),
                CircuitBreakerInterceptor(),
                LoggingInterceptor(.standardError),
                TracingInterceptor(spans),
                metrics,
            ],
            configuration: configuration
        )
        let orders = try await OfflineQueue(directory: folder, sender: stock)
        metrics.add(orders, labels: ["queue": "orders"])
        print(stock.explain())
        (self.stock, self.tokens, self.orders) = (stock, tokens, orders)
        (self.metrics, self.spans) = (metrics, spans)
    }
}
// GUIDE: end

// GUIDE: begin
extension ShopService {
    /// Handles a request for the stock of an item.
    func handle(item: String, tenant: String, headers: HTTPHeaders) async throws -> StockLevel {
        let budget = headers["X-Request-Timeout-Ms"].flatMap { Int($0) } ?? 3_000
        let options = CallOptions(principal: Principal(tenant))
        return try await TraceContext.$current.withValue(TraceContext(headers)) {
            try await withDeadline(.milliseconds(min(budget, 10_000))) {
                try await stock.get("/items/\(item)", as: StockLevel.self, options: options)
            }
        }
    }

    /// Accepts an order, which is delivered later if the stock service is down now.
    func accept(_ order: ShopOrder, tenant: String) async throws -> UUID {
        try await orders.enqueue(QueuedRequest(.post("/orders", json: order), lane: tenant)).id
    }
}
// GUIDE: end

// GUIDE: begin
extension ShopService {
    /// The text for `/metrics`.
    func metricsPage() async -> String {
        let figures = await metrics.collect()
        return figures.prometheusText + stock.health().prometheusText
    }

    /// The state for `/health`, and whether the service can take requests.
    func health() async -> (isReady: Bool, state: ClientHealth) {
        let state = stock.health(queueDepth: await orders.pendingCount)
        let problem = await orders.storeProblem
        return (state.isOpen && problem == nil, state)
    }

    /// Stops the service, after its server has stopped accepting requests.
    func stop() async {
        await orders.close(within: .seconds(5))
        await stock.shutdown(within: .seconds(10))
        await tokens.flush(within: .seconds(2))
        await spans.shutdown(within: .seconds(2))
    }
}
// GUIDE: end

// GUIDE: begin
@Suite struct ShopServiceTests {
    let transport = MockTransport()
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    func service() async throws -> ShopService {
        let collector = MockTransport { _, _ in HTTPResponse(status: .ok) }
        return try await ShopService(
            environment: ["STOCK_URL": "https://stock.example.com", "NETKIT_CONNECT_TIMEOUT": "2s"],
            folder: folder,
            tokens: TokenStore(initial: "secret", identity: "shop"),
            spans: OTLPSpanExporter(serviceName: "shop", transport: collector),
            transport: transport
        )
    }

    @Test func aRequestBelongsToTheTraceOfItsCaller() async throws {
        transport.stub(.get, "/items/pears", .json(StockLevel(name: "pears", count: 3)))
        let service = try await service()
        let headers: HTTPHeaders = [
            "traceparent": "00-12345678901234567890123456789012-1234567890123456-01",
            "X-Request-Timeout-Ms": "9000",
        ]
        #expect(try await service.handle(item: "pears", tenant: "tenant-7", headers: headers).count == 3)
        let sent = try #require(transport.requests.first)
        #expect(sent.headers["traceparent"]?.hasPrefix("00-12345678901234567890123456789012-") == true)
        #expect(sent.headers["Authorization"] == "Bearer secret")
        await service.stop()
        try FileManager.default.removeItem(at: folder)
    }

    @Test func anOrderIsDelivered() async throws {
        transport.stub(.post, "/orders", .status(204))
        let service = try await service()
        _ = try await service.accept(ShopOrder(item: "pears"), tenant: "tenant-7")
        await service.orders.processQueue()
        #expect(transport.requests.map(\.method) == [.post])
        #expect(await service.health().isReady)
        #expect(await service.metricsPage().contains(#"netkit_queue_bytes{queue="orders"}"#))
        await service.stop()
        #expect(await !service.health().isReady)
        try FileManager.default.removeItem(at: folder)
    }
}
// GUIDE: end

@Suite(.needsTheMachine)
struct ServiceGuideTests {
    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("A-Service").shows(#filePath))
    }
}
