import Foundation
public import NetKit

extension PostgresOutbox {
    /// Adds an entry, and returns after it is committed.
    ///
    /// Entries that are added at the same time are committed together. If the outcome of a call is unknown, repeat it
    /// with the same identifier: an entry that is still there is recognized, and not added again.
    ///
    /// An outbox with a spill folder returns after the entry is safe in the folder if the database is unreachable or
    /// takes too long, or if earlier entries of the same lane wait in the folder.
    ///
    /// - Throws: `.storeUnavailable` if the database is unreachable; with the outcome `.notSent`, nothing was added.
    ///   `.queueFull` at the bounds, and `.invalidRequest` for an identifier that another request has, for a body over
    ///   8 MiB and for a lane over 1,000 bytes. `.file` if the spill folder is needed and cannot be written to.
    @concurrent
    public func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws -> OfflineAppendResult {
        try checkIsOpen()
        let item = try await OutboxItem(addition, within: bounds, OutboxForm(seal: seal), at: clock.date)
        guard let spill else { return try await add(item) }
        return try await spill.append(addition, body: item.body, within: bounds, isAway: isAway) { bounds in
            var item = item
            item.bounds = bounds
            return try await add(item)
        }
    }

    /// The maximum number of attempts to add an entry.
    private static let maxTries = 10

    /// Adds an entry to the database.
    ///
    /// - Throws: `.invalidRequest` if the identifier exists again and again, and its entry is never found.
    private func add(_ item: OutboxItem) async throws -> OfflineAppendResult {
        var item = item
        var problem = NetKitError.nameTaken(item.request.id)
        for _ in 0..<Self.maxTries {
            item.shard = try await table.shards().shard(of: item.request.lane)
            do {
                let outcome = try await adding(item, size: item.columns.json.count + (item.columns.body?.count ?? 0))
                if let appended = try await appended(item, outcome) { return appended }
            } catch let error as NetKitError where error.hasOtherShards {
                problem = error
            }
        }
        throw problem
    }

    /// Returns the result for an entry that the database has taken, knows or refuses.
    ///
    /// - Returns: The result; `nil` if the identifier existed and is free again by now, because its entry was
    ///   delivered or removed.
    func appended(_ item: OutboxItem, _ outcome: OutboxItem.Outcome) async throws -> OfflineAppendResult? {
        let request = item.request
        switch outcome {
        case .exists: return try await known(request, body: item.body)
        case .full: throw item.bounds.refusal(await tally(refusing: item))
        case .kept(let id): return .kept(id)
        case .added(let position, let replaced, let dropped):
            // Other processes find dropped entries in their own shards.
            announce([item.shard])
            if request.takesFile, let path = request.body?.filePath {
                try? FileManager.default.removeItem(atPath: path)
            }
            var entry = OfflineEntry(request, position: position, byteCount: item.size)
            entry.shard = item.shard
            return .added(entry, replaced: replaced, dropped: dropped)
        }
    }

    /// Returns the number of entries for the error of a full queue, which is counted only if the latest count explains
    /// nothing: each caller of a full queue would count otherwise.
    private func tally(refusing item: OutboxItem) async -> OfflineTally {
        let (known, bounds) = (estimate.tally, item.bounds)
        let isExplained =
            known.count >= bounds.maxEntries || known.byteCount > bounds.maxBytes - item.size
            || bounds.maxDeadLetters.map { known.deadLetterCount >= $0 } ?? false
        guard !isExplained, let counted = try? await table.tally() else { return known }
        estimate.set(counted, at: table.database.clock.now)
        return counted
    }

    /// Returns the result for an identifier that exists, if the same request was added by an earlier attempt.
    ///
    /// - Returns: The result; `nil` if the entry is gone by now.
    private func known(_ request: QueuedRequest, body: Data?) async throws -> OfflineAppendResult? {
        let (entry, stored): (OfflineEntry?, Result<StoredRequest, NetKitError>?)
        do {
            entry = try await table.browse(OfflineFilter(ids: [request.id]), after: nil, limit: 1).first
            stored = try await table.load([request.id], seal)[request.id]?.stored
        } catch let error as NetKitError {
            // The entry may be the one of this call.
            throw error.with(outcome: .unknown)
        }
        guard let entry, let stored else { return nil }
        guard case .success(let stored) = stored, stored.request.isSame(as: request, body: body) else {
            throw NetKitError.nameTaken(request.id)
        }
        guard stored.request.idempotencyKey == request.idempotencyKey else { return .kept(entry.id) }
        announce([entry.shard])
        return .added(entry, replaced: [], dropped: [])
    }
}

extension QueuedRequest {
    /// Returns the time from a date of this machine until the request expires; `nil` if it never does.
    func lifetime(at date: Date) -> Duration? {
        OfflineListedEntry(OfflineEntry(self, position: 0, byteCount: 0), at: date).timeLeft
    }
}

/// An entry that is to be added.
struct OutboxItem: Sendable {
    let request: QueuedRequest
    /// The bytes of the body, which are not sealed.
    let body: Data?
    let columns: OutboxRequest
    let size: Int
    /// The time until it expires; a date of this machine may be wrong.
    let lifetime: Duration?
    var shard = 0
    var bounds: OfflineBounds

    /// The result of adding an entry.
    enum Outcome: Sendable {
        case added(position: Int64, replaced: [OfflineEntry], dropped: [OfflineEntry])
        case kept(UUID)
        case exists
        case full
    }

    /// Creates an entry whose shard is not known yet, after its body was read.
    ///
    /// The date is that of this machine, by whose clock the entry expires.
    init(_ addition: OfflineAddition, within bounds: OfflineBounds, _ form: OutboxForm, at date: Date) async throws {
        request = addition.request
        body = try await OutboxRequest.bytes(of: request.body)
        columns = try OutboxRequest(request, body: body, form)
        size = addition.byteCount
        lifetime = request.lifetime(at: date)
        self.bounds = bounds
    }

    /// The rule with which the entry is added; it needs a subject.
    private var rule: CoalescingRule { request.coalescingKey == nil ? .append : request.coalescing }

    /// The lane, key and identity of the entries that the item may replace, in the order of ``OutboxTable/lockOrder``.
    private var subject: [String]? {
        guard rule != .append else { return nil }
        return [request.lane, request.coalescingKey ?? ""] + [request.identity].compactMap { $0 }
    }

    static func batcher(
        _ table: OutboxTable,
        _ estimate: OutboxEstimate
    ) -> StatementBatcher<OutboxItem, Outcome> {
        StatementBatcher(
            mayJoin: { $0.bounds == $1.bounds },
            run: { items in
                let isBound = try await isBound(items, table, estimate)
                return try await add(items, isBound: isBound, to: table, estimate).map { .success($0) }
            }
        )
    }

    /// Returns whether entries could exceed their bounds, so that the database has to count.
    static func isBound(_ items: [OutboxItem], _ table: OutboxTable, _ estimate: OutboxEstimate) async throws -> Bool {
        guard let bounds = items.first?.bounds, !bounds.isUnbounded else { return false }
        let clock = table.database.clock
        if estimate.isOutdated(clock.now) { estimate.set(try await table.tally(), at: clock.now) }
        return estimate.isNear(bounds, count: items.count, bytes: items.reduce(0) { $0 + $1.size })
    }

    /// Adds entries with the same bounds.
    static func add(
        _ items: [OutboxItem],
        isBound: Bool,
        to table: OutboxTable,
        _ estimate: OutboxEstimate
    ) async throws -> [Outcome] {
        let rows = try await table.run(statement(items, table.queue, isBound ? items.first?.bounds : nil))
        estimate.add(count: items.count, bytes: items.reduce(0) { $0 + $1.size })
        return try outcomes(of: items, rows)
    }

    private static func statement(_ items: [OutboxItem], _ queue: String, _ bounds: OfflineBounds?) -> Statement {
        // Every process locks subjects in the same order, which is OutboxTable.lockOrder.
        let items =
            items.filter { $0.subject == nil }
            + items.filter { $0.subject != nil }.sorted {
                ($0.subject ?? []).lexicographicallyPrecedes($1.subject ?? []) {
                    $0.utf8.lexicographicallyPrecedes($1.utf8)
                }
            }
        return Statement(
            "SELECT * FROM netkit.add_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
            .text(queue),
            .uuids(items.map(\.request.id)),
            .int4s(items.map { Int32(clamping: $0.shard) }),
            .texts(items.map(\.request.lane)),
            .jsonbs(items.map(\.columns.json)),
            .byteas(items.map(\.columns.body)),
            .int4s(items.map { Int32(clamping: $0.size) }),
            .int4s(items.map { Int32(clamping: $0.request.priority) }),
            .intervals(items.map(\.lifetime)),
            .int4s(items.map { $0.request.maxAttempts.map { Int32(clamping: $0) } }),
            .texts(items.map(\.request.identity)),
            .texts(items.map(\.request.coalescingKey)),
            .texts(items.map(\.rule.outboxLetter)),
            .int8(bounds.map { Int64($0.maxEntries) }),
            .int8(bounds.map { Int64($0.maxBytes) }),
            .int8(bounds?.maxDeadLetters.map { Int64($0) }),
            .bool(bounds?.dropsOldest ?? false),
            // A name that exists is recognized.
            isRepeatable: true
        )
    }

    private static func outcomes(of items: [OutboxItem], _ rows: Rows) throws -> [Outcome] {
        var found: [UUID: Outcome] = [:]
        var leaving: [UUID: (replaced: [OfflineEntry], dropped: [OfflineEntry])] = [:]
        for row in rows {
            let id = try row.value("addition", as: UUID.self)
            switch try row.value("outcome", as: String.self) {
            case "added":
                let (replaced, dropped) = leaving[id] ?? ([], [])
                found[id] = .added(position: try row.value("position"), replaced: replaced, dropped: dropped)
            case "replaced": leaving[id, default: ([], [])].replaced.append(try OfflineEntry(outbox: row))
            case "dropped": leaving[id, default: ([], [])].dropped.append(try OfflineEntry(outbox: row))
            case "kept": found[id] = .kept(try row.value("id"))
            default: found[id] = .full
            }
        }
        // Of several entries with one name, the first was added.
        return items.map { found.removeValue(forKey: $0.request.id) ?? .exists }
    }
}
