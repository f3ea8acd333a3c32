import Foundation
import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

/// Tests of transactions of callers that are committed late, or add the same keys in another order.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresOrderTests {
    private let testDatabase: TestDatabase
    private let judge = OutboxJudge()

    init() async throws { testDatabase = try await TestDatabase() }

    private func sql(_ text: String) async throws -> String { try await testDatabase.sql(text) }

    /// The number of deadlocks that the server has ended in the database.
    private var deadlockCount: String {
        get async throws { try await sql("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") }
    }

    private func call(_ target: String, lane: String, _ rest: String = "") -> String {
        "SELECT netkit.enqueue('orders', '{\"method\":\"PUT\",\"url\":\"\(target)\"}', lane => '\(lane)'\(rest));"
    }

    @Test(arguments: ["a", "b"]) func sendsAnEntryThatIsCommittedAfterLaterOnesWereSent(lane: String) async throws {
        var settings = OutboxReplica.Settings()
        settings.refresh = .milliseconds(100)
        let replica = try await OutboxReplica(testDatabase.url, judge.sender(), settings)
        let gate = Task { [testDatabase] in
            try await testDatabase.sql("SELECT pg_advisory_lock(1); SELECT pg_sleep(60)")
        }
        let locks = """
            SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
            WHERE l.locktype = 'advisory' AND l.objid = 1 AND d.datname = current_database()
            """
        while try await sql(locks) != "1" { try await Task.sleep(for: .milliseconds(5)) }
        // It is committed when the gate opens.
        let late = Task { [testDatabase, text = call("/\(lane)/late", lane: lane)] in
            try await testDatabase.sql("BEGIN; \(text) SELECT pg_advisory_lock(1); COMMIT;")
        }
        while try await sql(locks) != "2" { try await Task.sleep(for: .milliseconds(5)) }
        for number in 1...3 { try await replica.queue.enqueue(.numbered(number, lane: "a")) }
        try await judge.wait(for: 3)
        // An entry is removed after its response arrived.
        while try await sql("SELECT count(*) FROM netkit.entry") != "0" { try await Task.sleep(for: .milliseconds(5)) }
        _ = try await sql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE '%pg_sleep(60)' AND pid <> pg_backend_pid()
            """
        )
        _ = await gate.result
        _ = await late.result
        try await judge.wait(for: 4)
        #expect(judge.targets == ["/a/1", "/a/2", "/a/3", "/\(lane)/late"])
        await replica.close()
    }

    @Test func additionsOfTheSameKeysInOppositeOrderDoNotDeadlock() async throws {
        var settings = OutboxReplica.Settings()
        settings.maxEntries = 1000
        let replicas = [
            try await OutboxReplica(testDatabase.url, judge.sender("first"), settings),
            try await OutboxReplica(testDatabase.url, judge.sender("second"), settings),
        ]
        await replicas[0].queue.pause(lane: "a")
        let keys = (0..<10).map { "key\($0)" }
        let calls = keys.map { call("/a/1", lane: "a", ", subject => '\($0)', rule => 'replace'") }
        let script = "BEGIN; \(calls.joined()) COMMIT;"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let keys = number.isMultiple(of: 2) ? keys : keys.reversed()
                let queue = replicas[number % 2].queue
                group.addTask {
                    for key in keys {
                        var request = QueuedRequest.numbered(number, lane: "a", key: key)
                        request.coalescing = .replace
                        try await queue.enqueue(request)
                    }
                }
            }
            for _ in 0..<4 { group.addTask { _ = try await sql(script) } }
            try await group.waitForAll()
        }
        #expect(try await deadlockCount == "0")
        await replicas[1].queue.resume(lane: "a")
        try await judge.wait(for: 10)
        for replica in replicas { await replica.close() }
        #expect(judge.sent.count == 10)
        #expect(try await sql("SELECT count(*) FROM netkit.entry") == "0")
    }

    /// A statement that changes several entries locks them in the same order as a removal.
    @Test(arguments: ["commit", "revive"]) func aChangeOfEntriesDoesNotDeadlockWithARemoval(change: String) async throws
    {
        let database = try await Postgres(testDatabase.url)
        let outbox = database.outbox("orders")
        _ = try await outbox.table.shards()
        // The first one in the order has the greatest identifier, and would be the last one without it.
        let lanes = "abcdefgh".map(String.init)
        let ids = try lanes.indices.map { index in
            try #require(UUID(uuidString: "F\(9 - index)000000-0000-4000-8000-000000000000"))
        }
        for (lane, id) in zip(lanes, ids) { _ = try await sql(call("/\(lane)", lane: lane, ", id => '\(id)'")) }
        let removal = Task { [testDatabase] in
            try await testDatabase.sql(
                """
                BEGIN;
                SELECT e.id FROM netkit.entry e WHERE e.lane = 'a' FOR UPDATE;
                \(Self.waitForAnotherLock)
                SELECT e.id FROM netkit.entry e ORDER BY \(OutboxTable.lockOrder) FOR UPDATE;
                COMMIT;
                """
            )
        }
        while try await sql(waiting) != "1" { try await Task.sleep(for: .milliseconds(5)) }
        if change == "commit" {
            let deliveries = ids.map { OutboxDelivery(id: $0, position: nil, key: nil) }
            try await OutboxDelivery.remove(deliveries, from: outbox.table)
        } else {
            #expect(try await outbox.revive(ids).count == ids.count)
        }
        _ = try await removal.value
        #expect(try await deadlockCount == "0")
        #expect(try await sql("SELECT count(*) FROM netkit.entry") == (change == "commit" ? "0" : "\(ids.count)"))
        await database.close()
    }

    /// Ends when a statement of the database waits for a lock.
    private static let waitForAnotherLock = """
        DO $$BEGIN
          WHILE NOT EXISTS (SELECT FROM pg_stat_activity a
            WHERE a.datname = current_database() AND a.wait_event_type = 'Lock') LOOP
            PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
          END LOOP;
        END$$;
        """

    /// The number of connections in ``waitForAnotherLock``.
    private var waiting: String {
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(testDatabase.name)' AND wait_event = 'PgSleep'"
    }

    /// A removal of replaced entries locks them in the order of their keys, as an addition does.
    @Test func aRemovalOfReplacedEntriesDoesNotDeadlockWithAnAddition() async throws {
        let replica = try await OutboxReplica(testDatabase.url, judge.sender())
        await replica.queue.pause(lane: "a")
        let keys = (0..<20).map { "\($0)" }.sorted()
        let calls = keys.reversed().map { key in
            call("/a/\(key)", lane: "a", ", subject => '\(key)', rule => 'replace'")
        }.joined()
        _ = try await sql(calls + calls)
        // This stands for an addition of all keys that has locked the entry of the first one.
        let addition = Task { [testDatabase] in
            try await testDatabase.sql(
                """
                BEGIN;
                SELECT e.id FROM netkit.entry e WHERE e.subject = '\(keys[0])' FOR UPDATE;
                \(Self.waitForAnotherLock)
                SELECT e.id FROM netkit.entry e WHERE e.subject <> '\(keys[0])' ORDER BY e.subject COLLATE "C" FOR UPDATE;
                COMMIT;
                """
            )
        }
        while try await sql(waiting) != "1" { try await Task.sleep(for: .milliseconds(5)) }
        await replica.queue.resume(lane: "a")
        _ = try await addition.value
        try await judge.wait(for: keys.count)
        #expect(try await deadlockCount == "0")
        await replica.close()
    }

    @Test func reportsReplacedEntriesAsDropped() async throws {
        let replica = try await OutboxReplica(testDatabase.url, judge.sender())
        let events = replica.queue.events
        let script = (1...3).map { call("/a/\($0)", lane: "a", ", subject => 'key', rule => 'replace'") }.joined()
        _ = try await sql("BEGIN; \(script) COMMIT;")
        await replica.queue.processQueue()
        var (dropped, delivered): ([OfflineEvent], OfflineEvent?) = ([], nil)
        for await event in events {
            if event.kind == .dropped { dropped.append(event) }
            if event.kind == .delivered {
                delivered = event
                break
            }
        }
        #expect(dropped.count == 2)
        #expect(dropped.allSatisfy { $0.entry?.coalescingKey == "key" && $0.reason != nil })
        #expect(delivered?.endpoint == "/a/3")
        await replica.close()
    }
}
