import Foundation

/// The entries of a lane in their order, from which any can leave.
struct LaneLine {
    /// Until when the lane is held up.
    var pause: Date?

    private var members: [(position: Int64, id: UUID)] = []
    /// How many members at the front have left: taking the first must not move all others.
    private var start = 0

    var ids: some BidirectionalCollection<UUID> { members[start...].lazy.map(\.id) }

    var isForgettable: Bool { start == members.count && pause == nil }

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

    /// The first place at or behind a position.
    private func index(of position: Int64) -> Int {
        var (low, high) = (start, members.count)
        while low < high {
            let middle = (low + high) / 2
            if members[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
