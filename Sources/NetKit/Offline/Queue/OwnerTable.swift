import Foundation

/// The identity under which an entry has to be sent.
struct EntryOwner: Hashable, Sendable {
    /// The identity as a call requires it.
    let identity: CredentialIdentity

    init(name: String, isLasting: Bool) { identity = CredentialIdentity(name, isLasting: isLasting) }

    var name: String { identity.name }

    /// Whether the name is kept with the entry.
    ///
    /// A name that is not kept is known only to the queue that accepted the entry.
    var isLasting: Bool { identity.isLasting }
}

extension EntryOwner {
    init(_ identity: CredentialIdentity) {
        self.init(name: identity.name, isLasting: identity.isLasting)
    }
}

/// The entries that wait and continue together, because they have to be sent under the same identity.
struct OwnerGroup: Hashable, Sendable {
    let owner: EntryOwner
    /// The host of entries that the client refused, although it may have their identity; `nil` for all other entries.
    let host: String?
}

/// The identities that entries require, and the ones among them that the client does not have now.
struct OwnerTable {
    private var temporaryNames: [UUID: String] = [:]
    private var hosts: [UUID: String] = [:]
    /// The groups that the client refused, each with the time at which it is asked again.
    private var refusals: [OwnerGroup: NetKitClock.Instant] = [:]
    /// The number of waiting entries in each group.
    private var counts: [OwnerGroup: Int] = [:]
    private var held: Set<OwnerGroup> = []
    private var newlyHeld: [UUID] = []

    var isEmpty: Bool { counts.isEmpty }
    /// The groups that have waiting entries.
    var groups: [OwnerGroup] { Array(counts.keys) }
    /// The number of entries that wait for their identity.
    var heldCount: Int { held.isEmpty ? 0 : counts.reduce(0) { held.contains($1.key) ? $0 + $1.value : $0 } }

    /// The number of entries that require an identity without a persistent name.
    var temporaryCount: Int { counts.reduce(0) { $1.key.owner.isLasting ? $0 : $0 + $1.value } }

    func owner(of entry: OfflineEntry) -> EntryOwner? {
        if let name = entry.identity { return EntryOwner(name: name, isLasting: true) }
        guard !temporaryNames.isEmpty, let name = temporaryNames[entry.id] else { return nil }
        return EntryOwner(name: name, isLasting: false)
    }

    func group(of entry: OfflineEntry) -> OwnerGroup? {
        owner(of: entry).map { OwnerGroup(owner: $0, host: hosts.isEmpty ? nil : hosts[entry.id]) }
    }

    func isHeld(_ group: OwnerGroup?) -> Bool {
        guard let group, !held.isEmpty else { return false }
        return held.contains(group)
    }

    /// Remembers the owner of an entry if its name is not kept with the entry.
    mutating func note(_ owner: EntryOwner?, of id: UUID) {
        if let owner, !owner.isLasting { temporaryNames[id] = owner.name }
    }

    mutating func setHost(_ host: String?, of id: UUID) { hosts[id] = host }

    mutating func noteRefused(_ group: OwnerGroup, until time: NetKitClock.Instant) { refusals[group] = time }

    mutating func endRefusals() { refusals.removeAll() }

    /// Returns whether the client refused a group and is not yet to be asked again.
    func isRefused(_ group: OwnerGroup, at now: NetKitClock.Instant) -> Bool {
        guard group.host != nil, let time = refusals[group] else { return false }
        return time > now
    }

    mutating func forget(_ id: UUID) {
        if !temporaryNames.isEmpty { temporaryNames[id] = nil }
        if !hosts.isEmpty { hosts[id] = nil }
    }

    /// Counts an entry that begins to wait.
    mutating func enter(_ id: UUID, _ group: OwnerGroup) {
        counts[group, default: 0] += 1
        if held.contains(group) { newlyHeld.append(id) }
    }

    mutating func leave(_ group: OwnerGroup) {
        guard let count = counts[group] else { return }
        counts[group] = count > 1 ? count - 1 : nil
    }

    /// Holds a group, and returns whether it was not held before.
    mutating func hold(_ group: OwnerGroup) -> Bool { held.insert(group).inserted }

    /// Releases a group, and returns whether it was held before.
    mutating func release(_ group: OwnerGroup) -> Bool { held.remove(group) != nil }

    mutating func noteHeld(_ ids: [UUID]) { newlyHeld += ids }

    /// Returns the entries that began to wait for their identity since the last call.
    mutating func takeNewlyHeld() -> [UUID] { exchange(&newlyHeld, with: []) }
}
