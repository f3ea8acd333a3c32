public import NetKit

extension PostgresOutbox {
    /// Pauses a lane for every process.
    public func pause(_ lane: String, for time: Duration?) async throws {
        try await pause(lane, for: time, reason: nil)
    }

    /// Pauses a lane for every process, and notes the reason; a pause that lasts longer stays.
    public func pause(_ lane: String, for time: Duration?, because reason: OfflinePauseReason) async throws {
        try await pause(lane, for: time, reason: reason)
    }

    private func pause(_ lane: String, for time: Duration?, reason: OfflinePauseReason?) async throws {
        guard OutboxTable.canKeep(lane) else { return }
        let statement = Statement(
            """
            WITH place AS (SELECT s.shard FROM netkit.shard_1($1, $2) AS s(shard) WHERE s.shard IS NOT NULL),
            over AS (
              DELETE FROM netkit.lane l USING place p
              WHERE l.shard = p.shard AND l.lane <> $2 AND l.paused_until < clock_timestamp()),
            paused AS (
              INSERT INTO netkit.lane AS l (shard, lane, paused_until, reason)
              SELECT p.shard, $2, coalesce(clock_timestamp() + $3::interval, 'infinity'), $4::text FROM place p
              ON CONFLICT (shard, lane) DO UPDATE SET paused_until = excluded.paused_until, reason = excluded.reason
              WHERE excluded.reason IS NULL OR l.paused_until < excluded.paused_until)
            SELECT p.shard FROM place p
            """,
            .text(table.queue),
            .text(lane),
            .interval(time),
            .text(reason?.description),
            isRepeatable: true
        )
        // The queue might not exist yet, or might have been dropped.
        _ = try await table.shards()
        guard let row = try await table.run(statement).first else {
            table.forgetShards()
            throw NetKitError(
                .storeUnavailable,
                "The queue \"\(name)\" is not in the database anymore. The next heartbeat recreates it."
            )
        }
        announce([try row.value("shard")])
    }

    /// Ends the pause of a lane for every process.
    public func resume(_ lane: String) async throws {
        guard OutboxTable.canKeep(lane) else { return }
        let statement = Statement(
            """
            WITH place AS (SELECT s.shard FROM netkit.shard_1($1, $2) AS s(shard) WHERE s.shard IS NOT NULL),
            over AS (DELETE FROM netkit.lane l USING place p WHERE l.shard = p.shard AND l.lane = $2)
            SELECT p.shard FROM place p
            """,
            .text(table.queue),
            .text(lane),
            isRepeatable: true
        )
        try await resume(statement)
    }

    /// Ends the pauses that have a reason, whichever process has noted it.
    public func resumeLanes(pausedBecause reason: OfflinePauseReason) async throws {
        let statement = Statement(
            """
            DELETE FROM netkit.lane l USING netkit.queue q
            WHERE q.name = $1 AND l.shard BETWEEN q.base AND q.base + q.shards - 1 AND l.reason = $2 RETURNING l.shard
            """,
            .text(table.queue),
            .text(reason.description),
            isRepeatable: true
        )
        try await resume(statement)
    }

    private func resume(_ statement: Statement) async throws {
        let rows = try await table.run(statement)
        announce(Set(try rows.map { try $0.value("shard", as: Int.self) }))
    }
}
