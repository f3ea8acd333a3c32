public import Foundation
public import NetKit

extension PostgresOutbox {
    /// An entry in the spill folder of an outbox.
    public struct SpilledEntry: Sendable, Identifiable {
        /// The entry.
        public let entry: OfflineEntry
        /// The reason why the database refuses the entry; `nil` if it was not refused.
        public let problem: NetKitError?

        /// The identifier of the entry.
        public var id: UUID { entry.id }
    }

    /// The entries that wait in the spill folder until they are moved to the database, in order.
    ///
    /// It is empty without a folder, and before the outbox is opened.
    public var spilledEntries: [SpilledEntry] {
        get async {
            guard let spill, let entries = try? await spill.entries(OfflineFilter()) else { return [] }
            return entries.map { SpilledEntry(entry: $0, problem: spill.problem(of: $0.id)) }
        }
    }

    /// Whether it is known that no connection to the database can be made at the moment.
    var isAway: Bool { table.database.absence?.isTransient == true }

    /// Adds entries of the spill folder to the database, in order.
    ///
    /// - Returns: A result for each entry that was tried. After a failure, no later entry of the lane was tried.
    func move(
        _ additions: [OfflineAddition],
        within bounds: OfflineBounds
    ) async throws -> [UUID: Result<OfflineAppendResult, any Error>] {
        let shards = try await table.shards()
        let form = OutboxForm(seal: seal)
        var results: [UUID: Result<OfflineAppendResult, any Error>] = [:]
        var items: [OutboxItem] = []
        var heldLanes: Set<String> = []
        for addition in additions where !heldLanes.contains(addition.request.lane) {
            do {
                var item = try await OutboxItem(addition, within: bounds, form, at: clock.date)
                item.shard = shards.shard(of: item.request.lane)
                items.append(item)
            } catch {
                results[addition.request.id] = .failure(error)
                heldLanes.insert(addition.request.lane)
            }
        }
        let isBound = try await OutboxItem.isBound(items, table, estimate)
        // In a queue that is almost full, a later entry of a lane can fit when an earlier one does not.
        if isBound { items = items.firstOfEachLane }
        do {
            try await move(items, isBound: isBound, &results)
        } catch let error as NetKitError where error.outcome == .answered && !error.isAbsence {
            guard items.count > 1 else {
                for item in items { results[item.request.id] = .failure(error) }
                return results
            }
            // Each entry is tried alone, so that an invalid one does not hold up the others.
            for item in items.firstOfEachLane {
                do {
                    try await move([item], isBound: isBound, &results)
                } catch {
                    results[item.request.id] = .failure(error)
                }
            }
        }
        return results
    }

    private func move(
        _ items: [OutboxItem],
        isBound: Bool,
        _ results: inout [UUID: Result<OfflineAppendResult, any Error>]
    ) async throws {
        guard !items.isEmpty else { return }
        let outcomes = try await OutboxItem.add(items, isBound: isBound, to: table, estimate)
        for (item, outcome) in zip(items, outcomes) {
            // Without a result, the entry was delivered or removed since, as another process may have moved it.
            results[item.request.id] = await Result.catching {
                try await appended(item, outcome) ?? .kept(item.request.id)
            }
        }
    }
}

extension [OutboxItem] {
    /// The items before which there is none of the same lane.
    fileprivate var firstOfEachLane: [OutboxItem] {
        var lanes: Set<String> = []
        return filter { lanes.insert($0.request.lane).inserted }
    }
}
