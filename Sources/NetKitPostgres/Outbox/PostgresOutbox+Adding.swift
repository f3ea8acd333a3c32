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
            request.removeTakenFile()
            var entry = OfflineEntry(request, position: position, byteCount: item.size)
            entry.shard = item.shard
            return .added(entry, replaced: replaced, dropped: dropped)
        }
    }

    /// Returns the number of entries for the error of a full queue.
    ///
    /// They are counted only if the latest count does not explain the error. Otherwise, each call to a full queue would
    /// count them.
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
