import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests of a queue that is open while its schema is created again, or its database is replaced by a backup.
@Suite(.needs(.postgres), .needsTheMachine(for: .seconds(60)))
struct PostgresRestoreTests {
    private let testDatabase: TestDatabase
    private let database: Postgres

    init() async throws {
        testDatabase = try await TestDatabase()
        database = try await Postgres(testDatabase.url)
    }

    @discardableResult
    private func sql(_ text: String) async throws -> String { try await testDatabase.sql(text) }

    /// The change to the database while the queue `orders` is open.
    enum Change: String, CaseIterable, Sendable {
        /// The schema is dropped, and another process creates it again and opens another queue.
        case schemaIsMadeAgain
        /// The same, but the other process opens the same queue first.
        case schemaIsMadeAgainForTheSameQueue
        /// The queue is dropped, and another one is opened.
        case queueIsDropped
        /// A backup from before the queue was opened, with a queue of the same shards.
        case backupIsRestored
    }

    private func perform(_ change: Change) async throws {
        switch change {
        case .schemaIsMadeAgain, .schemaIsMadeAgainForTheSameQueue:
            try await sql("DROP SCHEMA netkit CASCADE")
            let second = try await Postgres(testDatabase.url)
            if change == .schemaIsMadeAgainForTheSameQueue { _ = try await second.outbox("orders").table.shards() }
            _ = try await second.outbox("mails").table.shards()
            await second.close()
        case .queueIsDropped:
            try await sql(
                "DELETE FROM netkit.replica; SELECT netkit.drop_queue('orders'); SELECT netkit.open_1('mails')"
            )
        case .backupIsRestored:
            try await sql(
                """
                DELETE FROM netkit.replica; UPDATE netkit.queue SET name = 'mails';
                UPDATE netkit.shard SET queue = 'mails', owner = NULL
                """
            )
        }
    }

    private func add(_ target: String, to queue: String) async throws {
        try await sql(
            "SELECT netkit.enqueue('\(queue)', '{\"method\": \"POST\", \"url\": \"\(target)\"}', lane => 'a')"
        )
    }

    private static let places = """
        SELECT q.name, e.request ->> 'url' FROM netkit.entry e
        JOIN netkit.queue q ON e.shard BETWEEN q.base AND q.base + q.shards - 1 ORDER BY 1, 2
        """

    @Test(arguments: Change.allCases) func anAdditionGoesToItsOwnQueue(change: Change) async throws {
        let store = database.outbox("orders")
        let queue = try await OfflineQueue(store: store)
        try await perform(change)
        try await queue.enqueue(.numbered(1, lane: "a"))
        try await queue.enqueue(.numbered(2, lane: "a", key: "key"))
        #expect(try await sql(Self.places) == "orders|/a/1\norders|/a/2")
        await queue.close()
        await database.close()
    }

    @Test(arguments: Change.allCases) func aSpilledEntryGoesToItsOwnQueue(change: Change) async throws {
        let folder = try TemporaryFolder()
        let store = database.outbox("orders", spill: folder.url)
        let queue = try await OfflineQueue(store: store)
        try await perform(change)
        let addition = OfflineAddition(request: .numbered(1, lane: "a"), byteCount: 10)
        for _ in 0..<100 {
            if case .success? = try? await store.move([addition], within: OfflineBounds())[addition.request.id] {
                break
            }
        }
        #expect(try await sql(Self.places) == "orders|/a/1")
        await queue.close()
        await database.close()
    }

    /// Until the next heartbeat, which the lease puts off, and after it.
    @Test(arguments: Change.allCases) func anotherQueueIsNeitherListedNorChanged(change: Change) async throws {
        let store = database.outbox("orders", lease: .seconds(600))
        try await store.open(clock: .system) { _ in }
        #expect(store.owned.count == 256)
        try await perform(change)
        try await add("/a/1", to: "mails")
        #expect(try await store.lines(of: nil, depth: 3).lines.isEmpty)
        #expect(try await store.browse(OfflineFilter(), after: nil, limit: 3).isEmpty)
        #expect(try await store.tally().count == 0)
        #expect(try await store.statistics().tally.count == 0)
        try? await store.pause("a", for: nil)
        let pauses = """
            SELECT count(*) FROM netkit.lane l JOIN netkit.queue q ON l.shard BETWEEN q.base AND q.base + q.shards - 1
            WHERE q.name = 'mails'
            """
        #expect(try await sql(pauses) == "0")
        await store.close(within: .seconds(1))
        await database.close()
    }

    @Test(arguments: Change.allCases) func sendsAgainAfterAHeartbeat(change: Change) async throws {
        let judge = OutboxJudge()
        var settings = OutboxReplica.Settings()
        (settings.lease, settings.refresh) = (.seconds(6), .milliseconds(100))
        let replica = try await OutboxReplica(testDatabase.url, judge.sender(), settings)
        for number in 1...3 { try await replica.queue.enqueue(.numbered(number, lane: "a")) }
        try await judge.wait(for: 3)
        for _ in 0..<3 { await replica.queue.processQueue() }
        try await perform(change)
        try await add("/a/0", to: "mails")
        try await replica.queue.enqueue(.numbered(4, lane: "a"))
        try await judge.wait(for: 4)
        while await replica.queue.storeProblem != nil { try await Task.sleep(for: .milliseconds(5)) }
        // Rows of a transaction have positions that were used before.
        try await add("/a/5", to: "orders")
        try await judge.wait(for: 5)
        #expect(judge.targets == (1...5).map { "/a/\($0)" })
        // The shards are taken heartbeat by heartbeat.
        let owned = "FROM netkit.shard WHERE queue = 'orders' AND owner IS NOT NULL"
        let owners = "SELECT count(*), count(DISTINCT owner) \(owned)"
        while try await sql(owners) != "256|1" { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try await sql(Self.places) == "mails|/a/0")
        await replica.close()
        await database.close()
    }

    @Test func aNewQueueNeverGetsTheShardsOfADroppedOne() async throws {
        _ = try await database.outbox("first").table.shards()
        let base = "SELECT base FROM netkit.open_1('second')"
        let before = try await sql(base)
        try await sql("SELECT netkit.drop_queue('second')")
        let after = try await sql(base)
        #expect((Int(after) ?? 0) >= (Int(before) ?? 0) + 256)
        await database.close()
    }

    @Test func saysThatTheSchemaIsMissingUntilItIsMadeAgain() async throws {
        var settings = OutboxReplica.Settings()
        (settings.lease, settings.refresh) = (.seconds(2), .milliseconds(100))
        let judge = OutboxJudge()
        let replica = try await OutboxReplica(testDatabase.url, judge.sender(), settings)
        try await sql("DROP SCHEMA netkit CASCADE")
        let error = await #expect(throws: NetKitError.self) { try await replica.queue.enqueue(.numbered(1, lane: "a")) }
        #expect(error?.code == .invalidConfiguration)
        while await replica.queue.storeProblem?.code != .invalidConfiguration {
            try await Task.sleep(for: .milliseconds(5))
        }
        await (try await Postgres(testDatabase.url)).close()
        while await replica.queue.storeProblem != nil { try await Task.sleep(for: .milliseconds(5)) }
        try await replica.queue.enqueue(.numbered(2, lane: "a"))
        try await judge.wait(for: 1)
        #expect(judge.targets == ["/a/2"])
        await replica.close()
        await database.close()
    }
}
