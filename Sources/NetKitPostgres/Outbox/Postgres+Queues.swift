import NetKit

/// A process that sends from a queue, as the database knows it.
package struct PostgresReplica: Sendable, Hashable {
    package let queue: String
    /// The host, the program and the number of the process.
    package let label: String
    /// The time until its lease ends; below zero if it is over, and no other process has noticed yet.
    package let leaseLeft: Duration
    package let shardCount: Int
}

/// A lane that is paused, as the database knows it.
package struct PostgresPause: Sendable, Hashable {
    package let queue: String
    package let lane: String
    /// The reason that a process has noted, such as `unauthorized`; `nil` if a person paused the lane.
    package let reason: String?
    /// The time until the pause ends; `nil` if it lasts until the lane is resumed.
    package let timeLeft: Duration?
}

extension Postgres {
    /// Returns the names of all queues in the database.
    package func queueNames() async throws -> [String] {
        let statement = Statement("SELECT name FROM netkit.queue ORDER BY name", isRepeatable: true)
        return try await run(statement).map { try $0.value("name") }
    }

    /// Returns the processes that send from queues, by queue and label.
    package func replicas() async throws -> [PostgresReplica] {
        let statement = Statement(
            """
            SELECT r.queue, r.label, r.expires_at - clock_timestamp() AS rest,
              (SELECT count(*) FROM netkit.shard s WHERE s.queue = r.queue AND s.owner = r.id) AS shards
            FROM netkit.replica r ORDER BY r.queue, r.label, r.id
            """,
            isRepeatable: true
        )
        return try await run(statement).map { row in
            PostgresReplica(
                queue: try row.value("queue"),
                label: try row.value("label"),
                leaseLeft: try row.value("rest"),
                shardCount: try row.value("shards")
            )
        }
    }

    /// Returns the lanes that are paused, by queue and lane.
    package func pauses() async throws -> [PostgresPause] {
        let statement = Statement(
            """
            SELECT s.queue, l.lane, l.reason,
              CASE WHEN l.paused_until < 'infinity' THEN l.paused_until - clock_timestamp() END AS rest
            FROM netkit.lane l JOIN netkit.shard s ON s.id = l.shard
            WHERE l.paused_until > clock_timestamp() ORDER BY s.queue, l.lane
            """,
            isRepeatable: true
        )
        return try await run(statement).map { row in
            PostgresPause(
                queue: try row.value("queue"),
                lane: try row.value("lane"),
                reason: try row.optional("reason"),
                timeLeft: try row.optional("rest")
            )
        }
    }
}
