import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresStatisticsTests {
    private let testDatabase: TestDatabase
    private let database: Postgres
    private let outbox: PostgresOutbox

    init() async throws {
        testDatabase = try await TestDatabase()
        database = try await Postgres(testDatabase.url)
        outbox = database.outbox("orders")
    }

    /// Adds an entry as of some seconds ago.
    private func insert(_ lane: String, _ rest: String = "", age: Int = 0, count: Int = 1) async throws {
        _ = try await outbox.table.shards()
        try await testDatabase.sql(
            """
            SELECT netkit.enqueue('orders', '{"method":"POST","url":"/1"}', lane => '\(lane)') FROM generate_series(1, \(count));
            UPDATE netkit.entry SET made_at = clock_timestamp() - interval '\(age) s'\(rest) WHERE lane = '\(lane)'
            """
        )
    }

    @Test func countsEntriesAndAgesByLaneClass() async throws {
        try await insert("customer-7", age: 60, count: 2)
        try await insert("customer/8", age: 30)
        try await insert("default", age: 10)
        try await insert("7f3a-11", age: 90)
        try await insert("Zürich-1", age: 80)
        try await insert("later", ", not_before = clock_timestamp() + interval '1 h'", age: 500)
        try await insert("tried", ", not_before = clock_timestamp() - interval '5 s'", age: 400)
        try await insert("broken", ", state = 'd'", age: 900)
        try await insert("clash", ", state = 'c'", age: 900)
        let numbers = try await outbox.statistics()
        #expect(numbers.tally.pendingCount == 8)
        #expect(numbers.tally.deadLetterCount == 1)
        #expect(numbers.tally.conflictCount == 1)
        #expect(numbers.tally == (try await outbox.tally()))
        #expect(numbers.laneClasses.map(\.name) == ["later", "tried", "other", "customer", "default"])
        #expect(numbers.laneClasses.map(\.waitingCount) == [1, 1, 2, 3, 1])
        #expect(numbers.laneClasses.map { Int($0.oldestAge.inSeconds / 10) } == [50, 40, 9, 6, 1])
        #expect(Int(numbers.oldestAge?.inSeconds ?? 0) / 10 == 50)
        // The entry that has been due for longest.
        #expect(Int(numbers.lag.inSeconds) / 10 == 9)
        #expect(numbers.lease == nil)
        await database.close()
    }

    @Test func tellsSixteenLaneClassesApart() async throws {
        let letters = (0..<20).map { String(UnicodeScalar(UInt8(97 + $0))) }
        for (index, letter) in letters.enumerated() { try await insert("\(letter)-1", age: 1000 - 10 * index) }
        let classes = try await outbox.statistics().laneClasses
        #expect(classes.map(\.name) == letters.prefix(16) + ["other"])
        #expect(classes.last?.waitingCount == 4)
        await database.close()
    }

    /// Callers at the same time share one statement, and so do those of the next seconds.
    @Test func countsOnceForManyCallers() async throws {
        try await insert("a", count: 3)
        let before = outbox.table.statementCount
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { [outbox] in try await outbox.statistics().tally.pendingCount } }
            for try await count in group { #expect(count == 3) }
        }
        try await insert("a")
        #expect(try await outbox.statistics().tally.pendingCount == 3)
        #expect(outbox.table.statementCount == before + 1)
        await database.close()
    }

    @Test func reportsTheLeaseAndTheBatchesOfAQueue() async throws {
        let judge = OutboxJudge()
        var configuration = OfflineQueue.Configuration()
        configuration.parallelLanes = 16
        let queue = try await OfflineQueue(store: outbox, configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { try await queue.enqueue(.numbered(number, lane: "lane\(number % 10)")) }
            }
            try await group.waitForAll()
        }
        var numbers = try await outbox.statistics()
        #expect(numbers.tally.pendingCount == 100)
        #expect(numbers.additions.entryCount == 100)
        #expect((1...100).contains(numbers.additions.statementCount))
        #expect(numbers.additions.largest >= 2)
        #expect(numbers.additions.averageSize >= 1)
        #expect(numbers.deliveries.statementCount == 0)
        let lease = try #require(numbers.lease)
        #expect(lease.shardCount == 256)
        #expect(lease.timeLeft > .zero && lease.timeLeft <= .seconds(13.5))
        #expect(lease.timeSinceHeartbeat != nil)
        #expect(try await database.replicas().map(\.shardCount) == [256])
        await queue.attach(judge.sender())
        try await judge.wait(for: 100)
        try await waitUntil { outbox.committing.batches.itemCount == 100 }
        let text = await text(of: queue)
        for line in [
            #"netkit_queue_available{queue="orders"} 1"#, #"netkit_queue_owned_shards{queue="orders"} 256"#,
            #"netkit_queue_batch_entries_total{operation="add",queue="orders"} 100"#,
            #"netkit_queue_batch_entries_total{operation="deliver",queue="orders"} 100"#,
            #"netkit_queue_waiting_entries{lane_class="other",queue="orders"} 100"#,
        ] {
            #expect(text.contains(line), "\(line) is not in \(text)")
        }
        await queue.close()
        numbers = try await outbox.statistics()
        #expect(numbers.lease == nil)
        #expect(try await database.replicas().isEmpty)
        await database.close()
    }

    private func text(of queue: OfflineQueue) async -> String {
        let metrics = MetricsCollector()
        metrics.add(queue, labels: ["queue": "orders"])
        return await metrics.collect().prometheusText
    }

    /// A scrape ends, and reports that the entries cannot be counted.
    @Test func reportsWhatItKnowsWithoutTheDatabase() async throws {
        let own = try await PostgresServer()
        let database = try await Postgres(own.url("postgres"))
        let queue = try await OfflineQueue(store: database.outbox("orders"))
        await own.stop()
        let text = await text(of: queue)
        #expect(text.contains(#"netkit_queue_available{queue="orders"} 0"#))
        #expect(text.contains(#"netkit_queue_lease_left_seconds{queue="orders"} "#))
        #expect(!text.contains("netkit_queue_entries"))
        await queue.close()
        await database.close()
    }
}
