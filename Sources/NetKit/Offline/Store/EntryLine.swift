import Foundation

/// Entries in order of position, any of which can leave.
struct EntryLine {
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
