import Foundation
import NetKit

/// An entry that is to be added.
struct OutboxItem: Sendable {
    let request: QueuedRequest
    /// The bytes of the body, before they are sealed.
    let body: Data?
    let columns: OutboxRequest
    let size: Int
    /// The time until it expires, rather than a date, because the clock of this machine may be wrong.
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
    /// The date is the current one of this machine, whose clock has set the date of expiry.
    init(_ addition: OfflineAddition, within bounds: OfflineBounds, _ form: OutboxForm, at date: Date) async throws {
        request = addition.request
        body = try await OutboxRequest.bytes(of: request.body)
        columns = try OutboxRequest(request, body: body, form)
        size = addition.byteCount
        lifetime = request.lifetime(at: date)
        self.bounds = bounds
    }

    /// The rule for waiting entries with the same key; an entry without a key is always appended.
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
        let outcomes = try outcomes(of: items, rows)
        estimate.add(difference(of: items, outcomes))
        return outcomes
    }

    /// Returns the difference that additions make to the numbers of entries.
    ///
    /// One that is refused, or kept out by another entry, makes none. As many of them as the bound has entries would
    /// otherwise look like a full queue.
    static func difference(of items: [OutboxItem], _ outcomes: [Outcome]) -> OfflineTally {
        var tally = OfflineTally()
        for case (let item, .added(_, let replaced, let dropped)) in zip(items, outcomes) {
            tally.pendingCount += 1
            tally.byteCount += item.size
            for entry in replaced + dropped { tally.add(entry, -1) }
        }
        return tally
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
            // An identifier that exists is recognized.
            isRepeatable: true
        )
    }

    private static func outcomes(of items: [OutboxItem], _ rows: Rows) throws -> [Outcome] {
        var found: [UUID: Outcome] = [:]
        var leaving: [UUID: (replaced: [OfflineEntry], dropped: [OfflineEntry])] = [:]
        for row in rows {
            let id = try row.value("addition", as: UUID.self)
            let isItself = try row.optional("id", as: UUID.self) == id
            switch try row.value("outcome", as: String.self) {
            case "added":
                let (replaced, dropped) = leaving[id] ?? ([], [])
                found[id] = .added(position: try row.value("position"), replaced: replaced, dropped: dropped)
            // It was added by an earlier attempt, whose connection was lost, while this one waited in the server.
            case "replaced" where isItself, "kept" where isItself: break
            case "replaced": leaving[id, default: ([], [])].replaced.append(try OfflineEntry(outbox: row))
            case "dropped": leaving[id, default: ([], [])].dropped.append(try OfflineEntry(outbox: row))
            case "kept": found[id] = .kept(try row.value("id"))
            default: found[id] = .full
            }
        }
        // If several entries have the same identifier, the first one was added.
        return items.map { found.removeValue(forKey: $0.request.id) ?? .exists }
    }
}

extension QueuedRequest {
    /// Returns the time from a date of this machine until the request expires; `nil` if it never does.
    func lifetime(at date: Date) -> Duration? {
        OfflineListedEntry(OfflineEntry(self, position: 0, byteCount: 0), at: date).timeLeft
    }
}
