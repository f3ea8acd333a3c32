import Foundation

/// The entries of a lane, in one line for each identity group, so that one group can wait while the others continue.
///
/// A dead letter or a conflict that stops the lane is among the entries of no identity, because it stops all of them.
struct Lane {
    /// The shard of the lane; `nil` if only its pause is known.
    private(set) var shard: Int?
    /// The time until which the lane is paused.
    var pause: NetKitClock.Instant?
    /// The number of entries that are being sent or changed; the first one need not be among them.
    var underWayCount = 0

    struct Part {
        let group: IdentityGroup?
        var line = EntryLine()
    }

    private(set) var parts: [Part] = []

    var isForgettable: Bool { parts.isEmpty && pause == nil }

    mutating func insert(_ entry: OfflineEntry, of group: IdentityGroup?) {
        shard = entry.shard
        let index = index(of: group) ?? parts.count
        if index == parts.count { parts.append(Part(group: group)) }
        parts[index].line.insert(entry.id, at: entry.position)
    }

    mutating func remove(_ id: UUID, at position: Int64, of group: IdentityGroup?) {
        guard let index = index(of: group) else { return }
        parts[index].line.remove(id, at: position)
        if parts[index].line.isEmpty { parts.remove(at: index) }
    }

    func contains(oneOf groups: Set<IdentityGroup>) -> Bool {
        parts.contains { $0.group.map(groups.contains) ?? false }
    }

    /// Returns the first entry in order, without the groups that wait for their identity.
    func first(_ identities: borrowing IdentityTable) -> UUID? {
        var first: (position: Int64, id: UUID)?
        for part in parts where !identities.isHeld(part.group) {
            if let next = part.line.first, next.position < first?.position ?? .max { first = next }
        }
        return first?.id
    }

    private func index(of group: IdentityGroup?) -> Int? { parts.firstIndex { $0.group == group } }
}
