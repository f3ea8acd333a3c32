import Foundation

/// The entries that wait and continue together, because they have to be sent under the same identity.
struct IdentityGroup: Hashable, Sendable {
    let identity: CredentialIdentity
    /// The host of entries that the client refused, although it may have their identity; `nil` for all other entries.
    let host: String?
}

/// The identities that entries require, and the ones among them that the client does not have now.
struct IdentityTable: ~Copyable {
    /// The names that are not kept with their entries, and that only this queue knows.
    private var temporaryNames: [UUID: String] = [:]
    private var hosts: [UUID: String] = [:]
    /// The groups that the client refused, each with the time at which it is asked again.
    private var refusals: [IdentityGroup: NetKitClock.Instant] = [:]
    /// The number of waiting entries in each group.
    private var counts: [IdentityGroup: Int] = [:]
    private(set) var held: Set<IdentityGroup> = []
    private var newlyHeld: [UUID] = []
    /// The names with which the groups were last compared; `nil` stands for any.
    private var comparedNames: Set<ExactText>?
    /// The groups to compare again even if the names are the same.
    private var changedGroups: Set<IdentityGroup> = []

    var isEmpty: Bool { counts.isEmpty }
    /// Whether an entry waits for its identity.
    var hasHeld: Bool { held.contains { counts[$0] != nil } }
    /// The number of entries that wait for their identity.
    var heldCount: Int { held.isEmpty ? 0 : counts.reduce(0) { held.contains($1.key) ? $0 + $1.value : $0 } }

    /// The number of entries that require an identity without a persistent name.
    var temporaryCount: Int { counts.reduce(0) { $1.key.identity.isLasting ? $0 : $0 + $1.value } }

    /// Returns the identity under which an entry has to be sent.
    func identity(of entry: OfflineEntry) -> CredentialIdentity? {
        if let name = entry.identity { return CredentialIdentity(name) }
        guard !temporaryNames.isEmpty, let name = temporaryNames[entry.id] else { return nil }
        return CredentialIdentity(name, isLasting: false)
    }

    func group(of entry: OfflineEntry) -> IdentityGroup? {
        identity(of: entry).map { IdentityGroup(identity: $0, host: hosts.isEmpty ? nil : hosts[entry.id]) }
    }

    func isHeld(_ group: IdentityGroup?) -> Bool {
        guard let group, !held.isEmpty else { return false }
        return held.contains(group)
    }

    /// Remembers the identity of an entry if its name is not kept with the entry.
    mutating func note(_ identity: CredentialIdentity?, of id: UUID) {
        if let identity, !identity.isLasting { temporaryNames[id] = identity.name }
    }

    mutating func setHost(_ host: String?, of id: UUID) { hosts[id] = host }

    mutating func noteRefused(_ group: IdentityGroup, until time: NetKitClock.Instant) {
        refusals[group] = time
        noteChange(of: group)
    }

    /// Ends the refusals that last until a time at most.
    mutating func endRefusals(until latest: NetKitClock.Instant) {
        for (group, time) in refusals where time <= latest {
            refusals[group] = nil
            noteChange(of: group)
        }
    }

    private mutating func noteChange(of group: IdentityGroup) {
        if counts[group] != nil { changedGroups.insert(group) }
    }

    /// Holds or releases the groups with waiting entries, and returns those for which that is a change.
    ///
    /// A group is held if its name is not among the names of the client's identities, which are `nil` if it may have
    /// any, or if the client refused it. If the names are those of the last comparison, only the groups that changed
    /// since are compared: there may be very many, and the queue compares them at each step.
    mutating func compare(with names: Set<ExactText>?) -> Set<IdentityGroup> {
        let changed = exchange(&changedGroups, with: [])
        let compared = comparedNames == names ? changed : Set(counts.keys)
        comparedNames = names
        return compared.filter { group in
            let isMissing = names.map { !$0.contains(ExactText(group.identity.name)) } ?? false
            if isMissing || refusals[group] != nil { return held.insert(group).inserted }
            return held.remove(group) != nil
        }
    }

    /// Forgets an entry that has left, and also its group if no other entry waits in it.
    mutating func forget(_ entry: OfflineEntry) {
        if !held.isEmpty, let group = group(of: entry), counts[group] == nil { held.remove(group) }
        if !temporaryNames.isEmpty { temporaryNames[entry.id] = nil }
        if !hosts.isEmpty { hosts[entry.id] = nil }
    }

    /// Counts an entry that begins to wait.
    mutating func enter(_ id: UUID, _ group: IdentityGroup) {
        if let count = counts[group] {
            counts[group] = count + 1
        } else {
            counts[group] = 1
            changedGroups.insert(group)
        }
        if held.contains(group) { newlyHeld.append(id) }
    }

    mutating func leave(_ group: IdentityGroup) {
        guard let count = counts[group] else { return }
        counts[group] = count > 1 ? count - 1 : nil
        if count == 1 { changedGroups.remove(group) }
    }

    mutating func noteHeld(_ ids: [UUID]) { newlyHeld += ids }

    /// Returns the entries that began to wait for their identity since the last call.
    mutating func takeNewlyHeld() -> [UUID] { exchange(&newlyHeld, with: []) }
}
