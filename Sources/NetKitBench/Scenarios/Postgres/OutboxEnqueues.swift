import Foundation
import NetKit
import NetKitPostgres

/// Durable enqueues into an outbox, beside pgbench with the statement that an outbox sends for one entry.
struct OutboxEnqueues: Sendable {
    let address: DatabaseAddress
    let database: Postgres

    private static let queue = "enqueue"
    private static let round = Duration.seconds(1)
    private static let counts = [(callers: 1, clients: 1, bound: 0.7), (callers: 64, clients: 16, bound: 2)]

    func run(_ settings: BenchSettings) async throws -> PostgresScenario.Part {
        let store = database.outbox(Self.queue)
        _ = try await store.tally()
        let base = try await address.sql("SELECT base FROM netkit.queue WHERE name = '\(Self.queue)'")
        let contenders = Self.counts.flatMap { counts in
            [
                Contender(name: Self.ours(counts.callers)) {
                    try await address.sql("TRUNCATE netkit.entry")
                    return await measure(store, callers: counts.callers)
                },
                Contender(name: Self.theirs(counts.clients)) {
                    try await address.sql("TRUNCATE netkit.entry")
                    let rate = try await address.pgbench(
                        Self.script,
                        clients: counts.clients,
                        ["-T", "1", "-D", "base=\(base)"]
                    )
                    return Measurement(calls: Int(rate), cpu: .nan, wall: 1e6 / rate)
                },
            ]
        }
        let results = try await Contest(rounds: settings.rounds ?? 5, seed: settings.seed).run(contenders)
        try await address.sql("TRUNCATE netkit.entry")
        var part = PostgresScenario.Part()
        let rate = Gauge.each("a second", isCharted: true, \.perSecond)
        let columns = [rate, .each("CPU each, µs", \.cpu), .failed]
        part.tables = [ResultTable(title: "Enqueues of 1 KB", of: results, columns)]
        part.figures = Self.counts.flatMap { counts in
            let (ours, theirs) = (Self.ours(counts.callers), Self.theirs(counts.clients))
            return [
                Figure(
                    "\(ours), to \(theirs)",
                    results.ratio(of: ours, to: theirs, \.perSecond)?.median,
                    .atLeast(counts.bound)
                ),
                .noFailure(of: ours, in: results),
            ]
        }
        part.notes = results.failureNotes
        return part
    }

    private static func ours(_ callers: Int) -> String { "enqueue, callers: \(callers)" }
    private static func theirs(_ clients: Int) -> String { "pgbench, clients: \(clients)" }

    private func measure(_ store: PostgresOutbox, callers: Int) async -> Measurement {
        let numbers = Locked(0)
        return await .during(Self.round, callers: callers) {
            let number = numbers.withLock { number in
                number += 1
                return number
            }
            let request = PostgresScenario.request(lane: "lane\(number % PostgresScenario.lanes)")
            _ = try await store.append(OfflineAddition(request: request, byteCount: 1100), within: OfflineBounds())
        }
    }

    /// The statement of one enqueue with a body of 1 KB.
    private static let script = """
        \\set shard random(:base, :base + 255)
        SELECT * FROM netkit.add_1('\(queue)', ARRAY[gen_random_uuid()], ARRAY[:shard]::integer[],
          ARRAY['lane' || :shard], ARRAY['{"v": 1, "url": "/orders", "method": "POST", "timestamp": 801234567.5,
          "headers": [["Content-Type", "text/plain"]], "idempotency_key": "6f1f6b5e-30b2-4f4e-a0ab-9a4c6b6e3d11"}'::jsonb],
          ARRAY[convert_to(repeat('x', 1024), 'UTF8')], ARRAY[1100], ARRAY[0], ARRAY[NULL]::interval[],
          ARRAY[NULL]::integer[], ARRAY[NULL]::text[], ARRAY[NULL]::text[], ARRAY['a'], NULL, NULL, NULL, false);

        """
}
