import Foundation

/// The entries of a lane, in one line for each identity group, so that one group can wait while the others continue.
struct Lane {
    /// The shard of the lane; `nil` if only its pause is known.
    private(set) var shard: Int?
    /// The time until which the lane is paused.
    var pause: NetKitClock.Instant?

    struct Part {
        let group: IdentityGroup?
        var line = LaneLine()
    }

    private(set) var parts: [Part] = []

    var isForgettable: Bool { parts.isEmpty && pause == nil }

    mutating func insert(_ entry: OfflineEntry, of group: IdentityGroup?) {
        shard = entry.shard
        if let index = index(of: group) {
            parts[index].line.insert(entry.id, at: entry.position)
        } else {
            var part = Part(group: group)
            part.line.insert(entry.id, at: entry.position)
            parts.append(part)
        }
    }

    mutating func remove(_ id: UUID, at position: Int64, of group: IdentityGroup?) {
        guard let index = index(of: group) else { return }
        parts[index].line.remove(id, at: position)
        if parts[index].line.isEmpty { parts.remove(at: index) }
    }

    func contains(_ group: IdentityGroup) -> Bool { index(of: group) != nil }

    /// Returns the first entry in order, without the groups that wait for their identity.
    func first(_ identities: IdentityTable) -> UUID? {
        if parts.count == 1 { return identities.isHeld(parts[0].group) ? nil : parts[0].line.first?.id }
        return parts.lazy.filter { !identities.isHeld($0.group) }.compactMap { $0.line.first }
            .min { $0.position < $1.position }?.id
    }

    private func index(of group: IdentityGroup?) -> Int? { parts.firstIndex { $0.group == group } }
}

/// Entries in order of position, any of which can leave.
struct LaneLine {
    private var members: [(position: Int64, id: UUID)] = []
    /// The number of members at the front that have left; removing the first member must not move all others.
    private var start = 0

    var ids: some BidirectionalCollection<UUID> { members[start...].lazy.map(\.id) }

    var first: (position: Int64, id: UUID)? { start < members.count ? members[start] : nil }

    var isEmpty: Bool { start == members.count }

    mutating func insert(_ id: UUID, at position: Int64) {
        members.insert((position, id), at: index(of: position))
    }

    mutating func remove(_ id: UUID, at position: Int64) {
        var index = index(of: position)
        while index < members.count, members[index].id != id {
            guard members[index].position == position else { return }
            index += 1
        }
        guard index < members.count else { return }
        if index == start {
            start += 1
            if start > 32, start * 2 > members.count {
                members.removeFirst(start)
                start = 0
            }
        } else {
            members.remove(at: index)
        }
    }

    /// Returns the first index at or after a position.
    private func index(of position: Int64) -> Int {
        members[start...].firstIndexOfSorted { $0.position >= position }
    }
}
