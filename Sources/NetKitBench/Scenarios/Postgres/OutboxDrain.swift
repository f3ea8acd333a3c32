import Foundation
import NetKit
import NetKitPostgres

/// The draining of an outbox by 1, 2 and 4 processes whose sender responds at once, beside pgbench with the statements
/// that read and delete entries.
struct OutboxDrain: Sendable {
    let address: DatabaseAddress
    let database: Postgres

    private static let depth = 100
    private static let entries = PostgresScenario.lanes * depth
    private static let processCounts = [1, 2, 4]
    /// The number of entries that pgbench reads and deletes with one statement each, which is what one process of
    /// NetKit takes together on average.
    private static let window = 10
    private static let theirs = "pgbench, clients: 2"

    func run(_ settings: BenchSettings) async throws -> PostgresScenario.Part {
        let updates = Locked<[Double]>([])
        let ours = Self.processCounts.map { count in
            Contender(name: Self.name(count)) {
                let before = try await updateCount()
                let measurement = try await drain(processes: count)
                let updated = try await updateCount() - before
                updates.withLock { $0.append(updated) }
                return measurement
            }
        }
        let contenders = ours + [Contender(name: Self.theirs) { try await drainByPgbench() }]
        let contest = Contest(rounds: settings.rounds ?? 3, seed: settings.seed, warmsUp: false)
        let results = try await contest.run(contenders)
        var part = PostgresScenario.Part()
        let rate = Gauge.each("entries a second", isCharted: true, \.perSecond)
        part.tables = [ResultTable(title: "Draining \(Self.entries) entries", of: results, [rate])]
        part.figures = Self.processCounts.map { count in
            let ratio = results.ratio(of: Self.name(count), to: Self.theirs, \.perSecond)
            return Figure("\(Self.name(count)), to \(Self.theirs)", ratio?.median, .atLeast(0.6))
        }
        part.figures += Self.processCounts.dropFirst().map { count in
            let ratio = results.ratio(of: Self.name(count), to: Self.name(1), \.perSecond)
            return Figure("\(Self.name(count)), to one process", ratio?.median, .atLeast(0.95))
        }
        let updated = updates.withLock { $0.max() }
        part.figures.append(Figure("rows of entries that were updated", updated, .atMost(0)))
        return part
    }

    private static func name(_ processes: Int) -> String { "drain, processes: \(processes)" }

    /// Returns the number of rows of entries that were updated so far.
    private func updateCount() async throws -> Double {
        // Processes of the server report their numbers once they have been idle for a second.
        try await Task.sleep(for: .seconds(2))
        let count = try await address.sql(
            "SELECT n_tup_upd FROM pg_stat_user_tables WHERE schemaname = 'netkit' AND relname = 'entry'"
        )
        return Double(count) ?? .nan
    }

    private func drain(processes: Int) async throws -> Measurement {
        let queue = "drain-\(UUID().uuidString.prefix(8))"
        _ = try await database.outbox(queue).tally()
        let replicas = try (0..<processes).map { _ in
            try ReplicaProcess(OutboxReplicaJob(url: address.url, queue: queue))
        }
        defer { for replica in replicas { replica.end(SIGKILL) } }
        try await address.wait(untilShared: queue, by: processes)
        try await address.fill(queue, depth: Self.depth)
        let start = ContinuousClock.now
        try await address.sql(
            "SELECT pg_notify('netkit_work', '\(queue) ' || string_agg(id::text, ',')) FROM netkit.shard WHERE queue = '\(queue)'"
        )
        try await address.sql(Self.untilDrained)
        let wall = start.duration(to: .now).seconds * 1e6 / Double(Self.entries)
        return Measurement(calls: Self.entries, cpu: .nan, wall: wall)
    }

    /// Waits inside the server, which costs it less than to count the entries again and again.
    private static let untilDrained = """
        DO $$
          DECLARE last uuid := (SELECT id FROM netkit.entry ORDER BY position DESC LIMIT 1);
          BEGIN
            FOR turn IN 1..12000 LOOP
              EXIT WHEN NOT EXISTS (SELECT FROM netkit.entry WHERE id = last) AND NOT EXISTS (SELECT FROM netkit.entry);
              COMMIT;
              PERFORM pg_sleep(0.01);
            END LOOP;
            ASSERT NOT EXISTS (SELECT FROM netkit.entry), 'The queue is not drained after 120 s.';
          END
        $$
        """

    private func drainByPgbench() async throws -> Measurement {
        let queue = "drain-\(UUID().uuidString.prefix(8))"
        _ = try await database.outbox(queue).tally()
        try await address.fill(queue, depth: Self.depth)
        try await address.sql(
            "DROP TABLE IF EXISTS bench_window",
            "DROP SEQUENCE IF EXISTS bench_number",
            """
            CREATE TABLE bench_window AS SELECT n, array_agg(id) AS ids
            FROM (SELECT id, (row_number() OVER (ORDER BY position) - 1) / \(Self.window) AS n FROM netkit.entry) e GROUP BY n
            """,
            "ALTER TABLE bench_window ADD PRIMARY KEY (n)",
            "CREATE SEQUENCE bench_number MINVALUE 0 CACHE 1",
            "ANALYZE bench_window"
        )
        let turns = Self.entries / Self.window / 2
        let rate = try await address.pgbench(Self.script, clients: 2, ["-t", "\(turns)"])
        try await address.sql("TRUNCATE netkit.entry")
        return Measurement(calls: Self.entries, cpu: .nan, wall: 1e6 / (rate * Double(Self.window)))
    }

    private static let script = """
        SELECT nextval('bench_number') AS n \\gset
        SELECT e.id, e.request, e.body, e.detail, e.lane, e.priority, e.attempts, e.conflicts, e.max_attempts, e.expires_at,
          e.made_at, e.subject, e.rule, e.identity
        FROM netkit.entry e WHERE e.id = ANY ((SELECT ids FROM bench_window WHERE n = :n)::uuid[]);
        DELETE FROM netkit.entry e WHERE e.id = ANY ((SELECT ids FROM bench_window WHERE n = :n)::uuid[])
          AND e.changed_key IS NULL;

        """
}

extension DatabaseAddress {
    /// Fills a queue with entries of 1 KB, in one transaction.
    func fill(_ queue: String, depth: Int) async throws {
        try await sql(
            """
            INSERT INTO netkit.entry (base, shard, lane, request, body, size)
            SELECT (SELECT base FROM netkit.queue WHERE name = '\(queue)'), netkit.shard_1('\(queue)', l.lane), l.lane,
              '{"v": 1, "url": "/orders", "method": "POST", "headers": [["Content-Type", "text/plain"]]}',
              convert_to(repeat('x', 1024), 'UTF8'), 1100
            FROM generate_series(1, \(depth)) d,
              (SELECT 'lane' || n AS lane FROM generate_series(1, \(PostgresScenario.lanes)) n) l
            ORDER BY d
            """,
            "VACUUM ANALYZE netkit.entry"
        )
    }

    /// Waits until a number of processes have the same share of a queue.
    func wait(untilShared queue: String, by processes: Int) async throws {
        let condition = """
            SELECT count(*) FROM (SELECT owner FROM netkit.shard WHERE queue = '\(queue)' AND owner IS NOT NULL
            GROUP BY owner HAVING count(*) = \(256 / processes)) o
            """
        for _ in 0..<300 {
            if try await sql(condition) == "\(processes)" { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw BenchError("The processes do not share the queue after 30 s.")
    }
}
