public import Foundation

/// Keeps entries in memory, for tests and for what may be lost with the process.
public final class InMemoryOfflineStore: OfflineStore {
    fileprivate struct State {
        var entries: [UUID: OfflineEntry] = [:]
        var kept: [UUID: KeptRequest] = [:]
        var leases = LeaseTable()
    }

    private let state = Locked(State())

    /// Makes an empty store.
    public init() {}

    /// Everything it holds.
    public func list() async throws -> OfflineListing {
        state.withLock { state in
            let entries = state.entries.values.orderedByNumber(\.position)
            return OfflineListing(
                entries: entries.map { entry in
                    var entry = entry
                    entry.leasedUntil = state.leases.end(of: entry.id)
                    return entry
                }
            )
        }
    }

    /// Reads an entry.
    public func load(_ id: UUID) async throws -> KeptRequest? {
        state.withLock { state in
            guard var kept = state.kept[id], let entry = state.entries[id] else { return nil }
            kept.request.retryCount = entry.retryCount
            kept.request.conflictCount = entry.conflictCount
            return kept
        }
    }

    /// Adds an entry.
    public func append(_ entry: OfflineEntry, _ request: QueuedRequest, replacing replaced: [UUID]) async throws {
        state.withLock { state in
            for id in replaced { state.remove(id) }
            state.entries[entry.id] = entry
            state.kept[entry.id] = KeptRequest(request: request)
        }
    }

    /// Takes an entry until a time.
    public func lease(_ id: UUID, now: Date, until: Date) async throws -> OfflineLease? {
        state.withLock { state in
            state.entries[id] == nil ? nil : state.leases.lease(id, now: now, until: until)
        }
    }

    /// Makes a lease longer.
    public func renew(_ lease: OfflineLease, now: Date, until: Date) async throws -> OfflineLease? {
        state.withLock { $0.leases.renew(lease, until: until) }
    }

    /// Removes an entry.
    public func commit(_ lease: OfflineLease) async throws -> Bool {
        state.withLock { state in
            guard state.leases.end(lease) else { return false }
            state.remove(lease.id)
            return true
        }
    }

    /// Gives an entry back.
    public func release(_ lease: OfflineLease, _ update: OfflineUpdate) async throws -> Bool {
        state.withLock { state in
            guard state.leases.end(lease) else { return false }
            state.entries[lease.id] = state.entries[lease.id]?.updated(by: update)
            if let request = update.request { state.kept[lease.id]?.request = request }
            state.kept[lease.id]?.detail = update.detail
            return true
        }
    }

    /// Does nothing: it ends with its owner.
    public func close() async {}
}

extension InMemoryOfflineStore.State {
    fileprivate mutating func remove(_ id: UUID) {
        entries[id] = nil
        kept[id] = nil
    }
}
