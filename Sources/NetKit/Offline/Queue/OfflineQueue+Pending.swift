import Foundation

extension OfflineQueue {
    /// Returns whether a lane has entries that a call under an identity must not overtake, or may have some because the
    /// store cannot be read.
    func hasPending(in lane: String, for identity: RequestIdentity?) async -> Bool {
        var known: CredentialIdentity?
        if case .known(let found)? = identity { known = found }
        guard store.isShared else { return scheduler.hasPending(in: lane, for: known) }
        let states = [.waiting, .deadLetter, .conflict].filter {
            $0 == .waiting || scheduler.holdsUpLane($0, lane: lane)
        }
        let filter = OfflineFilter(lanes: [lane.laneName], states: Set(states))
        var page: [OfflineEntry] = []
        repeat {
            guard let next = try? await store.browse(filter, after: page.last?.position, limit: Self.searchedAtOnce)
            else {
                return true
            }
            page = next
            let isPending = page.contains { entry in
                // A lane that is stopped is stopped for all identities.
                guard entry.state == .waiting, let required = scheduler.identity(of: entry) else { return true }
                return known?.continues(required) ?? true
            }
            if isPending { return true }
        } while page.count == Self.searchedAtOnce
        return false
    }

    /// Returns the states of the given entries that the queue still has; `nil` if the store cannot be read.
    func states(of ids: Set<UUID>) async -> [UUID: OfflineEntry.State]? {
        var states: [UUID: OfflineEntry.State] = [:]
        guard store.isShared else {
            for id in ids { states[id] = scheduler[id]?.entry.state }
            return states
        }
        // A store that is known to be away would only fail after its own time limit.
        guard storeState.readProblem == nil,
            let entries = try? await store.browse(OfflineFilter(ids: ids), after: nil, limit: ids.count)
        else { return nil }
        for entry in entries { states[entry.id] = entry.state }
        return states
    }

    /// The number of entries of a lane that are read at once; most of the time, the first one decides.
    private static let searchedAtOnce = 16
}
