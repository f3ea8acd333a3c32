import NetKit

/// The entries that wait for a virtual clock, in the order of their deadlines and, for equal ones, of arrival.
///
/// It is a binary heap of deadlines beside a table of entries. A removed entry leaves its deadline in the heap until it
/// comes up.
struct Timeline<Element> {
    private struct Mark {
        let deadline: NetKitClock.Instant
        let key: Int

        func isBefore(_ other: Mark) -> Bool { (deadline, key) < (other.deadline, other.key) }
    }

    private var marks: [Mark] = []
    private var elements: [Int: Element] = [:]

    /// The number of entries.
    var count: Int { elements.count }

    /// The earliest deadline.
    var next: NetKitClock.Instant? {
        mutating get {
            dropRemoved()
            return marks.first?.deadline
        }
    }

    mutating func insert(_ element: Element, at deadline: NetKitClock.Instant, key: Int) {
        elements[key] = element
        marks.append(Mark(deadline: deadline, key: key))
        siftUp(marks.count - 1)
    }

    @discardableResult
    mutating func remove(_ key: Int) -> Element? {
        let removed = elements.removeValue(forKey: key)
        if marks.count > 64, marks.count > 2 * elements.count { rebuild() }
        return removed
    }

    /// Removes the first entry if it is due.
    mutating func popFirst(until limit: NetKitClock.Instant) -> (element: Element, deadline: NetKitClock.Instant)? {
        dropRemoved()
        guard let first = marks.first, first.deadline <= limit, let element = elements.removeValue(forKey: first.key)
        else { return nil }
        removeFirst()
        return (element, first.deadline)
    }

    private mutating func dropRemoved() {
        while let first = marks.first, elements[first.key] == nil { removeFirst() }
    }

    private mutating func rebuild() {
        marks.removeAll { elements[$0.key] == nil }
        for index in stride(from: marks.count / 2, through: 0, by: -1) { siftDown(index) }
    }

    private mutating func removeFirst() {
        guard let last = marks.popLast(), !marks.isEmpty else { return }
        marks[0] = last
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0, marks[index].isBefore(marks[(index - 1) / 2]) {
            marks.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < marks.count else { return }
            let right = left + 1
            let child = right < marks.count && marks[right].isBefore(marks[left]) ? right : left
            guard marks[child].isBefore(marks[index]) else { return }
            marks.swapAt(index, child)
            index = child
        }
    }
}
