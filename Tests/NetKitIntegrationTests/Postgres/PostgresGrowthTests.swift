import Foundation
import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

/// Tests of the cost of an outbox with many rows, measured by the pages that its statements read.
@Suite(.needs(.postgres), .needsTheMachine(for: .seconds(1200)), .serialized)
struct PostgresGrowthTests {
    private let testDatabase: TestDatabase
    private let database: Postgres

    init() async throws {
        testDatabase = try await TestDatabase()
        database = try await Postgres(testDatabase.url)
        _ = try await database.outbox("orders").table.shards()
    }

    /// Returns the number of pages that a statement reads, after another one that has read the catalog.
    private func pages(_ statement: String, after first: String = "SELECT 1") async throws -> Int {
        let plan = try await testDatabase.sql("\(first); EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) \(statement)")
        let match = try #require(plan.firstMatch(of: #/shared hit=(\d+)(?: read=(\d+))?/#))
        return (Int(match.1) ?? 0) + (match.2.flatMap { Int($0) } ?? 0)
    }

    private static let holder = """
        FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()
        """

    /// A transaction that keeps the server from removing deleted rows.
    private func holdSnapshot() async throws -> Task<String, any Error> {
        let task = Task { [testDatabase] in
            let look = "SELECT count(*) FROM netkit.entry"
            return try await testDatabase.sql(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; \(look); SELECT pg_sleep(3600);"
            )
        }
        let isThere = "SELECT count(*) \(Self.holder) AND backend_xmin IS NOT NULL"
        while try await testDatabase.sql(isThere) != "1" { try await Task.sleep(for: .milliseconds(5)) }
        return task
    }

    private func endSnapshot(_ task: Task<String, any Error>) async throws {
        try await testDatabase.sql("SELECT pg_terminate_backend(pid) \(Self.holder)")
        _ = await task.result
    }

    @Test func readsLittleForSomeShardsWhileDeletedRowsStay() async throws {
        let snapshot = try await holdSnapshot()
        _ = try await testDatabase.sql(
            """
            INSERT INTO netkit.entry (base, shard, lane, size, request)
              SELECT 0, n % 256, 'lane' || n % 1024, 10, '{}' FROM generate_series(1, 50000) AS n;
            DELETE FROM netkit.entry;
            INSERT INTO netkit.entry (base, shard, lane, size, request)
              SELECT 0, n % 256, 'lane' || n % 1024, 10, '{}' FROM generate_series(1, 1024) AS n;
            """
        )
        // 4 of 256 shards have 780 of the deleted rows.
        let some = try await pages("SELECT * FROM netkit.lines_1('orders', '{1,2,3,4}', NULL, 64)")
        #expect(some < 2000, "\(some)")
        // Above the floors there are none, and the index alone tells.
        let lowest = try await testDatabase.sql("SELECT min(position) FROM netkit.entry")
        let floors = "array_fill(\(lowest)::bigint, ARRAY[4])"
        let listing = "SELECT * FROM netkit.lines_1('orders', '{1,2,3,4}', \(floors), 64)"
        let new = try await pages(listing, after: listing)
        #expect(new < 300, "\(new)")
        let count = "SELECT count(id) FROM netkit.lines_1('orders', '{1,2,3,4}', \(floors), 64)"
        #expect(try await testDatabase.sql(count) == "16")
        try await endSnapshot(snapshot)
        await database.close()
    }

    private static let environment = ProcessInfo.processInfo.environment
    #if DEBUG
        private static let isDebugBuild = true
    #else
        private static let isDebugBuild = false
    #endif
    /// The time in seconds of the long test.
    private static let seconds = environment["NETKIT_SNAPSHOT_SECONDS"].flatMap { Int($0) } ?? 600

    private final class CountingSender: RequestSending {
        let counts = Locked([Int](repeating: 0, count: PostgresGrowthTests.seconds))
        let start = ContinuousClock.now

        func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
            let second = Int((ContinuousClock.now - start) / .seconds(1))
            counts.withLock { if $0.indices.contains(second) { $0[second] += 1 } }
            return HTTPResponse(status: 204)
        }
    }

    @Test(
        .enabled(if: environment["NETKIT_LONG"] == "1", "it takes ten minutes"),
        .disabled(if: isDebugBuild, "a debug build does not send 1,000 a second")
    )
    func sendsAsMuchAtTheEndOfALongTransaction() async throws {
        let snapshot = try await holdSnapshot()
        let sender = CountingSender()
        let replica = try await OutboxReplica(testDatabase.url, sender)
        let rate = 1000
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<50 {
                group.addTask {
                    for number in 0..<(Self.seconds * rate / 50) {
                        let due = sender.start + .milliseconds(number * 50) + .milliseconds(caller)
                        if due > .now { try await Task.sleep(until: due) }
                        if due > sender.start + .seconds(Self.seconds) { return }
                        try await replica.queue.enqueue(.numbered(number, lane: "lane\(caller)-\(number % 20)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        let part = max(1, min(60, Self.seconds / 5))
        let (first, last) = sender.counts.withLock { ($0.prefix(part).reduce(0, +), $0.suffix(part).reduce(0, +)) }
        print("snapshot: \(first / part)/s at first and \(last / part)/s at last of \(Self.seconds) s")
        #expect(Double(last) >= 0.8 * Double(first))
        await replica.close()
        try await endSnapshot(snapshot)
        await database.close()
    }

    @Test func countsNoEntriesOfOtherQueues() async throws {
        _ = try await database.outbox("others").table.shards()
        _ = try await testDatabase.sql(
            """
            INSERT INTO netkit.entry (base, shard, lane, size, request)
              SELECT 256, 256 + n % 256, 'lane' || n % 1024, 10, '{}' FROM generate_series(1, 50000) AS n;
            INSERT INTO netkit.entry (base, shard, lane, size, request, state, in_line) VALUES
              (0, 0, 'a', 1, '{}', 'w', true), (0, 1, 'a', 1, '{}', 'd', false), (0, 2, 'a', 1, '{}', 'c', true);
            ANALYZE netkit.entry;
            """
        )
        let condition = OutboxTable.isInQueue.replacing("$1", with: "0").replacing("$2", with: "255")
            .replacing("$3", with: "'orders'")
        #expect(try await pages("SELECT count(*), sum(e.size) FROM netkit.entry e WHERE \(condition)") < 30)
        let tally = try await database.outbox("orders").tally()
        #expect(tally.pendingCount == 1 && tally.deadLetterCount == 1 && tally.conflictCount == 1)
        let bounds = "max_entries => 10, max_bytes => 10, max_dead => 10"
        let arrays = String(repeating: ", '{}'", count: 12)
        let add = "SELECT * FROM netkit.add_1('orders'\(arrays), \(bounds))"
        // What the function itself reads from the catalog for the first time is read before.
        #expect(try await pages(add, after: "\(add); \(add)") < 60)
    }

    /// Every call that must not overtake the entries of its lane asks for them.
    @Test func findsTheEntriesOfALaneWithoutReadingTheOthers() async throws {
        let table = database.outbox("orders").table
        let shards = try await table.shards()
        _ = try await testDatabase.sql(
            """
            INSERT INTO netkit.entry (base, shard, lane, size, request)
              SELECT \(shards.base), netkit.shard_1('orders', lane), lane, 10, '{}'
              FROM (SELECT 'lane' || n % 1024 AS lane FROM generate_series(1, 20000) AS n) AS l;
            ANALYZE netkit.entry;
            """
        )
        let filter = OfflineFilter(lanes: ["lane7"], states: [.waiting])
        let found = try await table.browse(filter, after: nil, limit: 16)
        #expect(found.map(\.lane) == Array(repeating: "lane7", count: 16))
        #expect(try await table.browse(OfflineFilter(lanes: ["none"]), after: nil, limit: 16).isEmpty)
        var statement = table.browsing(filter, of: shards, after: nil, limit: 16)
        statement.text = "EXPLAIN \(statement.text)"
        let plan = try await database.run(statement).map { try $0.value("QUERY PLAN", as: String.self) }
        #expect(!plan.contains { $0.contains("Seq Scan on entry") }, "\(plan)")
        await database.close()
    }

    @Test func removesManyReplacedEntriesWithFewStatements() async throws {
        _ = try await testDatabase.sql(
            """
            INSERT INTO netkit.entry (base, shard, lane, size, request, subject, rule)
              SELECT 0, netkit.shard_1('orders', 'a'), 'a', 10, jsonb_build_object('url', '/a/' || n, 'method', 'POST'),
                'state', 'r'
              FROM generate_series(1, 12000) AS n
            """
        )
        let judge = OutboxJudge()
        let replica = try await OutboxReplica(testDatabase.url, judge.sender())
        try await judge.wait(for: 1)
        await replica.queue.processQueue()
        #expect(judge.targets == ["/a/12000"])
        #expect(try await replica.store.statistics().statementCount < 60)
        await replica.close()
    }

    @Test func dropsTheOldestOfManyWithoutSortingThemForEach() async throws {
        _ = try await testDatabase.sql(
            """
            INSERT INTO netkit.entry (base, shard, lane, size, request)
              SELECT 0, n % 256, 'lane' || n % 1024, 10, '{}' FROM generate_series(1, 30000) AS n;
            ANALYZE netkit.entry;
            """
        )
        func add(_ count: Int) -> String {
            """
            SELECT count(*) FROM netkit.add_1('orders',
              (SELECT array_agg(gen_random_uuid()) FROM generate_series(1, \(count))), array_fill(0, ARRAY[\(count)]),
              array_fill('a'::text, ARRAY[\(count)]), array_fill('{}'::jsonb, ARRAY[\(count)]),
              array_fill(NULL::bytea, ARRAY[\(count)]), array_fill(10, ARRAY[\(count)]), array_fill(0, ARRAY[\(count)]),
              array_fill(NULL::interval, ARRAY[\(count)]), array_fill(NULL::integer, ARRAY[\(count)]),
              array_fill(NULL::text, ARRAY[\(count)]), array_fill(NULL::text, ARRAY[\(count)]),
              array_fill('a'::text, ARRAY[\(count)]), 30000, NULL, NULL, true)
            """
        }
        let (one, many) = (try await pages(add(1)), try await pages(add(100)))
        // The entries are counted and sorted once, however many are added.
        #expect(many < one * 3, "\(one) and \(many)")
        let oldest = try await testDatabase.sql("SELECT min(position) FROM netkit.entry")
        #expect(oldest == "102")
        #expect(try await testDatabase.sql("SELECT count(*) FROM netkit.entry") == "30000")
        await database.close()
    }

    /// A listing of all shards with one statement would take longer than a statement may, each time.
    @Test func listsFewerShardsAtATimeIfAStatementTakesTooLong() async throws {
        _ = try await testDatabase.sql(
            """
            CREATE VIEW public.found AS SELECT * FROM netkit.lines_1('', '{}', '{}', 1);
            ALTER FUNCTION netkit.lines_1(text, integer[], bigint[], integer) SET SCHEMA public;
            CREATE FUNCTION netkit.lines_1(queue text, shards integer[], floors bigint[], depth integer)
              RETURNS SETOF public.found LANGUAGE plpgsql AS
              'BEGIN
                 IF cardinality(lines_1.shards) > 4 THEN PERFORM pg_sleep(60); END IF;
                 RETURN QUERY SELECT * FROM public.lines_1(queue, shards, floors, depth);
               END';
            """
        )
        var configuration = Postgres.Configuration()
        // Long enough for the other statements on a busy machine.
        configuration.statementTimeout = .seconds(4)
        let slow = try await Postgres(testDatabase.url, configuration: configuration)
        let store = slow.outbox("few", shards: 16)
        try await store.open(clock: .system) { _ in }
        _ = try await testDatabase.sql(
            """
            SELECT netkit.enqueue('few', '{"method": "POST", "url": "/"}', lane => 'lane' || n)
              FROM generate_series(1, 40) AS n
            """
        )
        let listing = try await store.lines(of: nil, depth: 64)
        #expect(Set(listing.lines.map(\.entry.lane)).count == 40)
        #expect(listing.lines.count == 40)
        await store.close(within: .seconds(5))
        await slow.close()
        await database.close()
    }
}
