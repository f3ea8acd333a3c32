import Foundation

extension LaneScheduler {
    var count: Int { items.count }

    subscript(_ id: UUID) -> Item? { items[id] }

    func first(of lane: String) -> UUID? { lanes[lane]?.first(identities) }

    func isPaused(_ lane: String, at now: NetKitClock.Instant) -> Bool { pauseEnd(of: lane).map { $0 > now } ?? false }

    func pauseEnd(of lane: String) -> NetKitClock.Instant? { lanes[lane]?.pause }

    func pausedLanes(at now: NetKitClock.Instant) -> [String] {
        lanes.keys.filter { isPaused($0, at: now) }.ordered()
    }

    /// Returns whether an entry waits until the client has its identity.
    func isHeld(_ item: Item) -> Bool { item.isWaiting && identities.isHeld(identities.group(of: item.entry)) }

    /// Returns whether an earlier entry of the lane waits in a group.
    func hasHeld(before entry: OfflineEntry, in group: IdentityGroup) -> Bool {
        guard identities.isHeld(group), let lane = lanes[entry.lane] else { return false }
        return lane.parts.contains { part in
            part.group == group && part.line.first.map { $0.position < entry.position } ?? false
        }
    }

    /// Returns the identity under which an entry has to be sent.
    func identity(of entry: OfflineEntry) -> CredentialIdentity? { identities.identity(of: entry) }

    func lanes(of shards: Set<Int>) -> [String] {
        lanes.filter { $0.value.shard.map(shards.contains) ?? false }.map(\.key)
    }

    /// Returns whether an item may hold up others.
    func isInLine(_ item: Item) -> Bool {
        item.entry.state == .waiting || holdsUpLane(item.entry.state, lane: item.entry.lane)
    }

    /// Returns whether entries of a state hold up the others of their lane.
    func holdsUpLane(_ state: OfflineEntry.State, lane: String) -> Bool {
        guard state != .waiting else { return false }
        let options = options[lane] ?? LaneOptions()
        return state == .conflict ? options.conflictsBlock : options.deadLettersBlock
    }

    /// The identifiers of the first entries of each lane, one for each identity group.
    var firstIDs: [UUID] { lanes.values.flatMap { $0.parts.compactMap(\.line.first?.id) } }

    /// Returns whether an entry of some shards is busy.
    func isBusy(in shards: Set<Int>) -> Bool {
        busy.contains { items[$0].map { shards.contains($0.entry.shard) } ?? false }
    }

    /// Returns whether a lane has entries that a call under an identity must not overtake: those of the identity or of
    /// none, and a dead letter or a conflict that stops the lane for all identities.
    func hasPending(in lane: String, for identity: CredentialIdentity?) -> Bool {
        lanes[lane]?.parts.contains { part in
            guard let group = part.group else { return true }
            return identity?.continues(group.identity) ?? !identities.isHeld(group)
        } ?? false
    }

    /// Returns whether an entry up to a position is ready, or busy and not among others.
    func hasWork(upTo position: Int64, without others: Set<UUID>) -> Bool {
        busy.contains { id in !others.contains(id) && items[id].map { $0.entry.position <= position } ?? false }
            || ready.contains { $0.position <= position }
    }
}
