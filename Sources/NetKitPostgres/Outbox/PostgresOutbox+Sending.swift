public import Foundation
public import NetKit

extension PostgresOutbox {
    /// Notes that an entry is being sent.
    ///
    /// A queue only calls it for entries that others could replace or drop, so that most entries are inserted and
    /// deleted, and never updated.
    public func begin(_ id: UUID) async throws -> Bool {
        let statement = Statement(
            """
            UPDATE netkit.entry e SET begun = true FROM netkit.shard s
            WHERE e.id = $1 AND \(OutboxTable.isOwn("$3")) AND NOT e.to_be_removed AND s.id = e.shard AND s.owner = $2 RETURNING e.shard
            """,
            .uuid(id),
            .uuid(table.replica),
            .text(table.queue),
            isRepeatable: true
        )
        guard let row = try await table.run(statement).first else { return false }
        return owns(try row.value("shard"))
    }

    /// Removes an entry that was delivered; entries that are delivered at the same time are removed together.
    ///
    /// If the removal is repeated, because its response was lost, a new entry with the same identifier stays.
    public func commit(_ id: UUID, sentAs key: String?) async throws {
        let position = positions.withLock { $0[id] }
        try await committing(OutboxDelivery(id: id, position: position, key: key))
        forgetPosition(of: id, position)
    }

    /// Forgets the position of an entry that is no longer being sent, unless a later entry has its identifier by now.
    private func forgetPosition(of id: UUID, _ position: Int64?) {
        positions.withLock { if $0[id] == position { $0[id] = nil } }
    }

    /// Releases an entry with its new state.
    public func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
        let position = positions.withLock { $0[id] }
        let isReleased = if let update { try await change(id, update) } else { try await putBack(id) }
        forgetPosition(of: id, position)
        return isReleased
    }

    /// Writes the new state of an entry.
    private func change(_ id: UUID, _ update: OfflineUpdate) async throws -> Bool {
        let form = OutboxForm(seal: seal)
        var columns: OutboxRequest?
        if let request = update.request {
            columns = try OutboxRequest(request, body: await OutboxRequest.bytes(of: request.body), form)
        }
        let detail = try update.detail.map { try form.kept(JSONEncoder().encode($0)) }
        let statement = Statement(
            """
            WITH held AS (
              SELECT s.id FROM netkit.shard s
              WHERE s.id = (SELECT e.shard FROM netkit.entry e WHERE e.id = $1 AND \(OutboxTable.isOwn("$17")))
                AND s.owner = $2 FOR SHARE)
            UPDATE netkit.entry e SET
              state = $4::text::"char", in_line = $5, returned = $5 AND (e.returned OR NOT e.in_line),
              begun = false, attempts = $6, conflicts = $7,
              not_before = clock_timestamp() + $8, failing_for = $9, status = $10::integer::smallint, detail = $11,
              settled_at = CASE WHEN $4 <> 'w' THEN clock_timestamp() END,
              expires_at = CASE WHEN $12 THEN $13 ELSE e.expires_at END,
              request = coalesce($14, e.request), body = CASE WHEN $14 IS NULL THEN e.body ELSE $15 END,
              changed_key = CASE WHEN $14 IS NULL THEN e.changed_key ELSE $16 END
            WHERE e.id = $1 AND \(OutboxTable.isOwn("$17")) AND (
              e.state = $3::text::"char" AND (e.state <> 'w' OR e.shard IN (SELECT held.id FROM held))
              -- The same statement ran before, and its connection was lost.
              OR e.state <> 'w' AND e.state = $4::text::"char" AND e.attempts = $6 AND e.detail = $11
              OR e.state = $4::text::"char" AND e.attempts = $6 AND e.changed_key = $16)
            RETURNING e.shard, e.shard IN (SELECT held.id FROM held) AS is_mine
            """,
            .uuid(id),
            .uuid(table.replica),
            .text(update.previousState.outboxLetter),
            .text(update.state.outboxLetter),
            .bool(update.state == .waiting || update.holdsUpLane),
            .int4(Int32(clamping: update.retryCount)),
            .int4(Int32(clamping: update.conflictCount)),
            .interval(update.wait),
            .interval(update.failingFor),
            .int4(update.state == .waiting ? nil : update.status.map { Int32(clamping: $0.code) }),
            .jsonb(detail),
            .bool(update.removesExpiry || update.request != nil),
            .timestamptz(update.removesExpiry ? nil : update.request?.expiresAt),
            .jsonb(columns?.json),
            .bytea(columns?.body),
            .text(update.request?.idempotencyKey),
            .text(table.queue),
            isRepeatable: true
        )
        guard let row = try await table.run(statement).first else { return false }
        // An entry that was settled by this process needs its owner.
        if try !row.value("is_mine", as: Bool.self) { announce([try row.value("shard")]) }
        return true
    }

    /// Releases an entry that has not changed; only a begun one is written.
    private func putBack(_ id: UUID) async throws -> Bool {
        let statement = Statement(
            """
            WITH held AS (
              SELECT e.id, e.base, e.begun FROM netkit.entry e JOIN netkit.shard s ON s.id = e.shard
              WHERE e.id = $1 AND \(OutboxTable.isOwn("$3")) AND (e.state <> 'w' OR s.owner = $2)
            ), put_back AS (
              UPDATE netkit.entry e SET begun = false FROM held h
              WHERE e.id = h.id AND e.base = h.base AND h.begun)
            SELECT held.id FROM held
            """,
            .uuid(id),
            .uuid(table.replica),
            .text(table.queue),
            isRepeatable: true
        )
        return try await !table.run(statement).isEmpty
    }
}

/// An entry that was delivered.
struct OutboxDelivery: Sendable {
    let id: UUID
    /// Its position; `nil` if it was not read before.
    let position: Int64?
    /// The key under which it was sent.
    let key: String?

    static func batcher(_ table: OutboxTable) -> StatementBatcher<OutboxDelivery, Void> {
        StatementBatcher { deliveries in
            try await remove(deliveries, from: table)
            return deliveries.map { _ in .success(()) }
        }
    }

    static func remove(_ deliveries: [OutboxDelivery], from table: OutboxTable) async throws {
        let statement = Statement(
            """
            WITH delivered AS (
              SELECT e.id, e.base FROM netkit.entry e WHERE e.id = ANY ($1) AND \(OutboxTable.isOwn("$3"))
              ORDER BY \(OutboxTable.lockOrder) FOR UPDATE)
            DELETE FROM netkit.entry e USING delivered d
            WHERE e.id = d.id AND e.base = d.base AND (e.changed_key IS NULL OR e.changed_key = ($2)[array_position($1, e.id)])
              AND e.position = coalesce(($4)[array_position($1, e.id)], e.position)
            """,
            .uuids(deliveries.map(\.id)),
            .texts(deliveries.map(\.key)),
            .text(table.queue),
            .int8s(deliveries.map(\.position)),
            isRepeatable: true
        )
        _ = try await table.run(statement)
    }
}
