import Foundation
import NetKit
import NetKitPostgres
import NetKitTestSupport
import Testing

/// The examples of the pages of NetKitPostgres, compiled only: they need a database.
@Suite(.needsTheMachine)
struct PostgresGuideTests {
    private struct Order: Encodable, Sendable {
        let id = 1
    }

    private struct Login: Sendable {
        func renew(_ token: AccessToken?) async throws -> AccessToken { AccessToken("next") }
    }

    private let base = URL(string: "https://api.example.com")
    private let login = Login()
    private let seal = RecordSeal(seal: { $0 }, open: { $0 })
    private let order = Order()

    private func open() async throws {
        // GUIDE: begin
        let database = try await Postgres()  // DATABASE_URL, or PGHOST, PGUSER and so on
        // GUIDE: end
        await database.close()
    }

    private struct Service {
        // GUIDE: begin
        struct Order: Codable, Sendable {
            var item: String
        }

        func sendOrder() async {
            do {
                let database = try await Postgres()
                let client = HTTPClient(baseURL: URL(string: "https://shop.example.com"))
                let queue = try await OfflineQueue(store: database.outbox("orders"), sender: client)
                try await queue.enqueue(QueuedRequest(.post("/orders", json: Order(item: "book")), lane: "customer-7"))
                await queue.processQueue()
                await queue.close()
                await database.close()
            } catch {
                print(error)
            }
        }
        // GUIDE: end
    }

    private func share() async throws {
        // GUIDE: begin
        let database = try await Postgres()
        let tokens = TokenStore(shared: database.token("crm", seal: seal)) { current in try await login.renew(current) }
        let client = HTTPClient(
            baseURL: base,
            interceptors: .standard + [
                AuthInterceptor(tokens),
                RateLimitInterceptor(permits: 100, per: .seconds(1), shared: database.rate("crm")),
                CacheInterceptor(TieredCacheStore(store: try await database.cache())),
            ]
        )
        let queue = try await OfflineQueue(store: database.outbox("orders"), sender: client)
        // GUIDE: end
        // GUIDE: begin
        await queue.close()
        await tokens.flush()
        await database.close()
        // GUIDE: end
    }

    private func observe(_ queue: OfflineQueue, _ metrics: MetricsCollector) async {
        // GUIDE: begin
        metrics.add(queue, labels: ["queue": "orders"])
        let page = await metrics.collect().prometheusText
        // GUIDE: end
        print(page)
    }

    private func add(_ database: Postgres, _ client: HTTPClient) async throws {
        // GUIDE: begin
        let queue = try await OfflineQueue(store: database.outbox("orders"), sender: client)
        try await queue.enqueue(QueuedRequest(.post("/orders", json: order), lane: "customer-7"))
        // GUIDE: end
    }

    private func spill(_ database: Postgres, _ client: HTTPClient, _ folder: URL) async throws {
        // GUIDE: begin
        let store = database.outbox("orders", spill: folder)
        let queue = try await OfflineQueue(store: store, sender: client)
        for spilled in await store.spilledEntries { print(spilled.entry.lane, spilled.problem?.message ?? "waits") }
        // GUIDE: end
        await queue.close()
    }
}
