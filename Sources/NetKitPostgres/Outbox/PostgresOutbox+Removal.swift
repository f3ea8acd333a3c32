public import Foundation
public import NetKit

extension PostgresOutbox {
    /// Makes entries due now; those in the spill folder are moved as soon as possible.
    public func revive(_ ids: [UUID]) async throws -> [OfflineEntry] {
        let spilled = try await spill?.retry(ids) ?? []
        let rest = Set(ids).subtracting(spilled.map(\.id))
        return spilled + (rest.isEmpty ? [] : try await reviveInDatabase(Array(rest)))
    }

    private func reviveInDatabase(_ ids: [UUID]) async throws -> [OfflineEntry] {
        let statement = Statement(
            """
            WITH target AS (
              SELECT e.id, e.base FROM netkit.entry e WHERE e.id = ANY ($1) AND \(OutboxTable.isOwn("$2"))
              ORDER BY \(OutboxTable.lockOrder) FOR UPDATE)
            UPDATE netkit.entry e SET
              state = 'w', in_line = true, returned = e.returned OR NOT e.in_line, not_before = NULL, failing_for = NULL,
              settled_at = NULL, status = NULL, detail = NULL, attempts = CASE WHEN e.state = 'w' THEN e.attempts ELSE 0 END,
              conflicts = CASE WHEN e.state = 'w' THEN e.conflicts ELSE 0 END,
              expires_at = CASE WHEN e.state = 'w' THEN e.expires_at END
            FROM target t WHERE e.id = t.id AND e.base = t.base RETURNING \(OfflineEntry.outboxColumns)
            """,
            .uuids(ids),
            .text(table.queue),
            isRepeatable: true
        )
        let entries = try await table.run(statement).map { try OfflineEntry(wholeOutbox: $0) }
        announce(Set(entries.map(\.shard)))
        return entries
    }

    /// Removes dead letters, conflicts and entries of shards that no other process owns, and asks the owners of other
    /// entries to remove them.
    ///
    /// Entries in the spill folder are removed there.
    public func remove(_ ids: [UUID]) async throws -> OfflineRemoval {
        guard let spill, !spill.isEmpty else { return try await removeFromDatabase(ids) }
        defer { spill.unclaim(ids) }
        let spilled = try await spill.claim(ids)
        let rest = ids.filter { !spilled.contains($0) }
        var removal = rest.isEmpty ? OfflineRemoval() : try await removeFromDatabase(rest)
        if !spilled.isEmpty { removal.removed += try await spill.remove(spilled) }
        return removal
    }

    private func removeFromDatabase(_ ids: [UUID]) async throws -> OfflineRemoval {
        let statement = Statement(
            """
            WITH target AS (
              SELECT e.id, e.base, e.state <> 'w' OR coalesce(s.owner, $2) = $2 AS is_mine
              FROM netkit.entry e JOIN netkit.shard s ON s.id = e.shard
              WHERE e.id = ANY ($1) AND \(OutboxTable.isOwn("$3"))
              ORDER BY \(OutboxTable.lockOrder) FOR UPDATE OF e FOR SHARE OF s
            ), removed AS (
              DELETE FROM netkit.entry e USING target t WHERE e.id = t.id AND e.base = t.base AND t.is_mine
              RETURNING true AS is_removed, \(OfflineEntry.outboxColumns)
            ), asked AS (
              UPDATE netkit.entry e SET to_be_removed = true FROM target t
              WHERE e.id = t.id AND e.base = t.base AND NOT t.is_mine
              RETURNING false AS is_removed, \(OfflineEntry.outboxColumns)
            )
            SELECT * FROM removed UNION ALL SELECT * FROM asked
            """,
            .uuids(ids),
            .uuid(table.replica),
            .text(table.queue)
        )
        var removal = OfflineRemoval()
        var asked: Set<Int> = []
        for row in try await table.run(statement) {
            let entry = try OfflineEntry(wholeOutbox: row)
            if try row.value("is_removed") {
                removal.removed.append(entry)
            } else {
                removal.asked.append(entry.id)
                asked.insert(entry.shard)
            }
        }
        announce(asked)
        return removal
    }

    /// Removes dead letters that are too old, and the oldest ones above a number, with one statement.
    public func removeDeadLetters(
        olderThan age: Duration?,
        above maxCount: Int?,
        limit: Int
    ) async throws -> [OfflineRemovedEntry] {
        let statement = Statement(
            "SELECT * FROM netkit.remove_dead_1($1, $2, $3, $4)",
            .text(table.queue),
            .interval(age),
            .int8(maxCount.map { Int64(max(0, $0)) }),
            .int4(Int32(clamping: max(0, limit)))
        )
        let form = OutboxForm(seal: seal)
        let removed = try await table.run(statement).map { row in
            OfflineRemovedEntry(try OfflineEntry(wholeOutbox: row), form.stored(row))
        }
        return removed.sorted { $0.entry.position < $1.entry.position }
    }
}
