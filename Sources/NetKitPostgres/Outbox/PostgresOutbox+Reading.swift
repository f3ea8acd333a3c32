public import Foundation
public import NetKit

extension PostgresOutbox {
    /// The maximum number of entries that are removed together because later ones have replaced them.
    private static let maxSuperseded = 5000
    /// The number of positions at which all are forgotten.
    private static let maxPositions = 10_000

    /// Lists the first entries of each lane of owned shards.
    ///
    /// Entries that others have replaced, because they were added in transactions of their callers, are removed first.
    public func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing {
        try checkIsOpen()
        let owned = owned
        let listed = (shards.map { $0.intersection(owned) } ?? owned).sorted()
        let start = floors.withLock { shards == nil ? $0.forAll() : $0 }
        var transactions: OutboxFloors.Transactions?
        var listing = OfflineListing(lines: [], problem: problem)
        var rest = listed
        while !rest.isEmpty {
            let slice = Array(rest.prefix(sliceSize.withLock { $0.shardCount }))
            let (count, began) = (listing.lines.count, table.database.clock.now)
            do {
                let again = try await list(slice, from: start, depth: depth, into: &listing, &transactions)
                rest.replaceSubrange(..<slice.count, with: again)
            } catch let error as NetKitError where error.isOfSlowStatement {
                guard sliceSize.withLock({ $0.noteTimeout(of: slice.count) }) else { throw error }
                continue
            }
            let time = began.duration(to: table.database.clock.now)
            let isQuick = time < table.database.configuration.statementTimeout / 4
            sliceSize.withLock { [found = listing.lines.count - count] in
                $0.note(found, of: slice.count, isQuick: isQuick)
            }
        }
        listing.lines.sort { $0.entry.position < $1.entry.position }
        // Not before, because a listing that fails reports nothing.
        listing.quarantined = spill?.takeQuarantined() ?? []
        if let transactions {
            floors.withLock { [lines = listing.lines] in $0.merge(lines, of: listed, at: transactions, since: start) }
        }
        return listing
    }

    /// Adds the entries of some shards, from their floors on, to a listing.
    ///
    /// `transactions` keeps the oldest number of the first statement, and the next number of the last.
    ///
    /// - Returns: The shards that have to be listed again, because entries were removed from them.
    private func list(
        _ shards: [Int],
        from floors: OutboxFloors,
        depth: Int,
        into listing: inout OfflineListing,
        _ transactions: inout OutboxFloors.Transactions?
    ) async throws -> [Int] {
        let statement = Statement(
            "SELECT * FROM netkit.lines_1($1, $2, $3, $4)",
            .text(table.queue),
            .int4s(shards.map { Int32(clamping: $0) }),
            .int8s(shards.map { floors.floor(of: $0) }),
            .int4(Int32(clamping: max(0, depth))),
            isRepeatable: true
        )
        let date = clock.date
        var (found, superseded): ([Int: OfflineListing], [Int: [UUID]]) = ([:], [:])
        for row in try await table.run(statement) {
            guard let shard = try row.optional("shard", as: Int.self) else {
                transactions = OutboxFloors.Transactions(
                    oldest: try transactions?.oldest ?? row.value("oldest"),
                    next: try row.value("next")
                )
                continue
            }
            guard let id = try row.optional("id", as: UUID.self) else {
                let rest = try row.optional("paused", as: Duration.self)
                found[shard, default: OfflineListing(lines: [])].pauses.updateValue(rest, forKey: try row.value("lane"))
                continue
            }
            if try row.value("superseded") { superseded[shard, default: []].append(id) }
            found[shard, default: OfflineListing(lines: [])].lines.append(try OfflineListedEntry(outbox: row, at: date))
        }
        if !superseded.isEmpty { try await removeSuperseded(Array(superseded.values.joined())) }
        for (shard, part) in found where superseded[shard] == nil {
            listing.lines += part.lines
            listing.pauses.merge(part.pauses) { _, new in new }
        }
        return superseded.keys.sorted()
    }

    /// Removes entries that later ones have replaced, and more of the same subjects.
    private func removeSuperseded(_ ids: [UUID]) async throws {
        let statement = Statement(
            """
            WITH replaced AS (
              SELECT e.id, e.base FROM netkit.entry e
              WHERE e.state = 'w' AND NOT e.begun AND \(OutboxTable.isOwn("$2")) AND e.id = ANY ($1 || ARRAY(
                SELECT o.id
                FROM (SELECT DISTINCT e.shard, e.lane, e.subject, e.identity FROM netkit.entry e
                      WHERE e.id = ANY ($1) AND \(OutboxTable.isOwn("$2"))) s
                CROSS JOIN LATERAL (
                  SELECT max(n.position) AS position FROM netkit.entry n
                  WHERE n.shard = s.shard AND n.lane = s.lane AND n.subject = s.subject AND n.state = 'w' AND n.rule = 'r'
                    AND NOT n.to_be_removed AND n.identity IS NOT DISTINCT FROM s.identity
                ) last
                JOIN netkit.entry o ON o.shard = s.shard AND o.lane = s.lane AND o.subject = s.subject AND o.state = 'w'
                  AND o.position < last.position AND NOT o.begun AND o.identity IS NOT DISTINCT FROM s.identity
                LIMIT \(Self.maxSuperseded)))
              ORDER BY \(OutboxTable.lockOrder) FOR UPDATE)
            DELETE FROM netkit.entry e USING replaced r WHERE e.id = r.id AND e.base = r.base
            RETURNING \(OfflineEntry.outboxColumns)
            """,
            .uuids(ids),
            .text(table.queue)
        )
        let removed = try await table.run(statement).map { try OfflineEntry(wholeOutbox: $0) }
        if !removed.isEmpty { report(.left(removed, reason: "Another entry has its coalescing key.")) }
    }

    /// Reads entries with their bodies, including those in the spill folder.
    @concurrent
    public func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] {
        // An entry is in the folder until it is in the database.
        var found = try await spill?.load(ids) ?? [:]
        let ids = found.isEmpty ? ids : ids.filter { found[$0] == nil }
        if ids.count == 1, let id = ids.first {
            if let record = try await loading(id) {
                note(record.position, of: id)
                found[id] = record.stored
            }
            return found
        }
        for start in stride(from: 0, to: ids.count, by: 32) {
            let records = try await table.load(Array(ids[start..<min(start + 32, ids.count)]), seal)
            found.merge(records.mapValues(\.stored)) { $1 }
        }
        return found
    }

    /// Notes the position of an entry that may be about to be sent, until it is committed or released.
    ///
    /// One that was only looked at is sent later, or leaves in another way. An entry whose position is forgotten is
    /// recognized by its identifier alone.
    private func note(_ position: Int64, of id: UUID) {
        positions.withLock { positions in
            if positions.count >= Self.maxPositions { positions = [:] }
            positions[id] = position
        }
    }

    /// Lists entries of all shards, in order, and then those in the spill folder.
    ///
    /// While the database is unreachable, only entries of the folder can be listed by their identifiers;
    /// `spilledEntries` lists them all.
    public func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) async throws -> [OfflineEntry] {
        // An entry is in the folder until it is in the database, so the folder is read first.
        let spilled = try await spill?.entries(filter, after: position, limit: limit) ?? []
        let isInFolder = position.map { $0 >= OutboxSpill.firstPosition } ?? false
        if isInFolder || !spilled.isEmpty && spilled.count == filter.ids?.count { return spilled }
        var entries = try await table.browse(filter, after: position, limit: limit)
        guard !spilled.isEmpty, entries.count < limit else { return entries }
        let found = Set(entries.map(\.id))
        entries += spilled.filter { !found.contains($0.id) }.prefix(limit - entries.count)
        return entries
    }

    /// Counts the entries of all shards and of the spill folder.
    public func tally() async throws -> OfflineTally {
        let spilled = try await spill?.tally()
        let tally = try await table.tally()
        estimate.set(tally, at: table.database.clock.now)
        return spilled.map { tally.adding($0) } ?? tally
    }
}

extension OutboxTable {
    /// Lists entries of the queue, in order.
    func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) async throws -> [OfflineEntry] {
        let statement = browsing(filter, of: try await shards(), after: position, limit: limit)
        return try await run(statement).map { try OfflineEntry(wholeOutbox: $0) }
    }

    /// Returns the statement that lists entries.
    ///
    /// It names the shards of wanted lanes, because the index of lanes begins with them. Without it, each call that
    /// must not overtake the entries of a lane would read the whole queue.
    func browsing(_ filter: OfflineFilter, of shards: OutboxShards, after position: Int64?, limit: Int) -> Statement {
        Statement(
            """
            SELECT \(OfflineEntry.outboxColumns) FROM netkit.entry e
            WHERE \(Self.isInQueue) AND ($4::bigint IS NULL OR e.position > $4)
              AND ($5::uuid[] IS NULL OR e.id = ANY ($5)) AND ($6::text[] IS NULL OR e.lane = ANY ($6))
              AND ($7::text[] IS NULL OR e.state = ANY ($7::text[]::"char"[]))
              AND ($8::integer[] IS NULL OR e.status = ANY ($8)) AND ($9::text[] IS NULL OR e.identity = ANY ($9))
              AND ($10::interval IS NULL OR coalesce(e.settled_at, e.made_at) <= clock_timestamp() - $10)
              AND ($12::integer[] IS NULL OR e.shard = ANY ($12))
            ORDER BY e.position LIMIT $11
            """,
            .int4(shards.first),
            .int4(shards.last),
            .text(queue),
            .int8(position),
            filter.ids.map { .uuids(Array($0)) } ?? nil,
            filter.lanes.map { .texts(Self.keepable($0)) } ?? nil,
            filter.states.map { .texts($0.map(\.outboxLetter)) } ?? nil,
            filter.statuses.map { .int4s($0.map { Int32(clamping: $0.code) }) } ?? nil,
            filter.identities.map { .texts(Self.keepable($0)) } ?? nil,
            .interval(filter.olderThan),
            .int8(Int64(max(0, limit))),
            filter.lanes.map { .int4s($0.map { Int32(clamping: shards.shard(of: $0)) }) } ?? nil,
            isRepeatable: true
        )
    }

    private static func keepable(_ names: Set<String>) -> [String] { names.filter { canKeep($0) } }

    /// Counts the entries of the queue.
    func tally() async throws -> OfflineTally {
        let shards = try await shards()
        let statement = Statement(
            """
            SELECT count(*) FILTER (WHERE e.state = 'w') AS waiting, count(*) FILTER (WHERE e.state = 'd') AS dead,
              count(*) FILTER (WHERE e.state = 'c') AS conflicts, coalesce(sum(e.size), 0)::bigint AS bytes,
              coalesce(max(e.position), 0) AS last
            FROM netkit.entry e WHERE \(Self.isInQueue)
            """,
            .int4(shards.first),
            .int4(shards.last),
            .text(queue),
            isRepeatable: true
        )
        let row = try await run(statement).one()
        var tally = OfflineTally()
        tally.pendingCount = try row.value("waiting")
        tally.deadLetterCount = try row.value("dead")
        tally.conflictCount = try row.value("conflicts")
        tally.byteCount = try row.value("bytes")
        tally.lastPosition = try row.value("last")
        return tally
    }

    /// Reads entries with their bodies.
    func load(_ ids: [UUID], _ seal: RecordSeal?) async throws -> [UUID: OutboxRecord] {
        let statement = Statement(
            """
            SELECT e.id, e.position, e.request, e.body, e.detail, e.lane, e.priority, e.attempts, e.conflicts, e.max_attempts,
              e.expires_at, e.made_at, e.subject, e.rule, e.identity
            FROM netkit.entry e WHERE e.id = ANY ($1) AND \(Self.isOwn("$2"))
            """,
            .uuids(ids),
            .text(queue),
            isRepeatable: true
        )
        let form = OutboxForm(seal: seal)
        var found: [UUID: OutboxRecord] = [:]
        for row in try await run(statement) {
            found[try row.value("id")] = OutboxRecord(position: try row.value("position"), stored: form.stored(row))
        }
        return found
    }
}

/// An entry that was read with its body.
struct OutboxRecord: Sendable {
    let position: Int64
    /// The stored request, or the reason why it cannot be read.
    let stored: Result<StoredRequest, NetKitError>
}
