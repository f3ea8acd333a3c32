import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests of the parts that replicas share, through pgbouncer in transaction mode with very few connections.
@Suite(.needs(.postgres, .pgbouncer), .needsTheMachine)
struct PostgresPoolerTests {
    private let testDatabase: TestDatabase
    private let judge = OutboxJudge()

    init() async throws { testDatabase = try await TestDatabase() }

    @Test(arguments: [1, 2]) func drainsAnOutbox(poolSize: Int) async throws {
        let pooler = try await PgBouncer(before: testDatabase.server, poolSize: poolSize)
        let failed = Locked(Set<String>())
        var settings = OutboxReplica.Settings()
        // With so few, each addition counts the entries under a lock.
        (settings.lease, settings.maxEntries) = (.seconds(6), 1000)
        var replicas: [OutboxReplica] = []
        for label in ["first", "second"] {
            let sender = judge.sender(label) { target in
                // The first request of each lane is refused once.
                guard target.hasSuffix("/0"), failed.withLock({ $0.insert(target).inserted }) else { return 204 }
                return 503
            }
            replicas.append(try await OutboxReplica(pooler.url(testDatabase.name), sender, settings))
        }
        let (first, second) = (replicas[0], replicas[1])
        for replica in replicas { try await waitUntil { replica.store.owned.count == 128 } }
        #expect(!first.database.health.isListening)
        #expect(first.database.health.isPooled)
        for lane in ["replaced", "removed"] { await first.queue.pause(lane: lane) }
        let lanes = (0..<20).map { "lane\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, lane) in lanes.enumerated() {
                let queue = replicas[index % 2].queue
                group.addTask {
                    for number in 0..<5 { try await queue.enqueue(.numbered(number, lane: lane)) }
                }
            }
            // Both replace the entries of each other.
            for number in 1..<20 {
                let queue = replicas[number % 2].queue
                group.addTask {
                    var request = QueuedRequest.numbered(number, lane: "replaced", key: "key")
                    request.coalescing = .replace
                    try await queue.enqueue(request)
                }
            }
            try await group.waitForAll()
        }
        let receipt = try await first.queue.enqueue(.numbered(1, lane: "removed"))
        try await second.queue.remove(receipt.id)
        await second.queue.resume(lane: "replaced")
        await second.queue.resume(lane: "removed")
        // Each first request twice, and one of those that replaced each other.
        try await judge.wait(for: 20 * 6 + 1)
        #expect(judge.complaints == [])
        for lane in lanes { #expect(judge.order[lane] == (0..<5).map { "/\(lane)/\($0)" }) }
        #expect(judge.order["replaced"]?.count == 1)
        #expect(judge.order["removed"] == nil)
        await second.close()
        try await waitUntil { first.store.owned.count == 256 }
        for lane in lanes { try await first.queue.enqueue(.numbered(5, lane: lane)) }
        try await judge.wait(for: 20 * 7 + 1)
        await first.close()
        #expect(try await testDatabase.sql("SELECT count(*) FROM netkit.entry") == "0")
    }

    private actor TokenServer {
        private(set) var count = 0

        func renew() -> AccessToken {
            count += 1
            return AccessToken("a\(count)", expiry: Date(timeIntervalSinceNow: 3600), refreshToken: "r\(count)")
        }
    }

    @Test func sharesATokenALimitAndACache() async throws {
        let pooler = try await PgBouncer(before: testDatabase.server, poolSize: 1)
        let tokens = TokenServer()
        let transport = MockTransport()
        transport.stub(.get, "/item", .json("{}").header("Cache-Control", "max-age=600"))
        var databases: [Postgres] = []
        for _ in 0..<3 { databases.append(try await Postgres(pooler.url(testDatabase.name))) }
        try await withThrowingTaskGroup(of: String.self) { group in
            for database in databases {
                let store = TokenStore(shared: database.token("crm")) { _ in await tokens.renew() }
                for _ in 0..<20 { group.addTask { try await store.token().value } }
            }
            for try await value in group { #expect(value == "a1") }
        }
        #expect(await tokens.count == 1)
        let bucket = SharedRateBucket(key: "", interval: .seconds(60), burst: 50)
        let granted = try await withThrowingTaskGroup(of: Int.self) { group in
            for database in databases {
                for _ in 0..<30 { group.addTask { try await database.rate("crm").take(1, from: bucket).count } }
            }
            return try await group.reduce(0, +)
        }
        #expect(granted == 50)
        // It stands still: a call waits for a store for a second, and works without it after that.
        let time = TestClock(date: Date())
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        for _ in 0..<3 {
            let database = try await Postgres(pooler.url(testDatabase.name), clock: time.clock)
            databases.append(database)
            let client = HTTPClient(
                baseURL: URL(string: "https://api.example.com"),
                transport: transport,
                interceptors: .standard + [CacheInterceptor(TieredCacheStore(store: try await database.cache()))],
                configuration: configuration
            )
            _ = try await client.get("/item")
        }
        #expect(transport.requests.count == 1)
        for database in databases { await database.close() }
    }
}
