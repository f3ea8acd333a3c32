/// A binary heap of alarms in the order of their times, which removes cancelled ones once they are the majority.
///
/// It does not wait: `SystemTimers` holds it under its lock and waits for the deadlines.
struct TimerHeap {
    private struct Entry {
        let deadline: NetKitClock.Instant
        let alarm: ClockAlarm
    }

    private var entries: [Entry] = []
    private var cancelled = 0
    /// The instants of the wake-ups that are pending, each earlier than the one before it.
    private var armed: [NetKitClock.Instant] = []

    var count: Int { entries.count }

    /// Adds an alarm.
    ///
    /// Returns `true` if the caller has to arrange a wake-up for this deadline, because no earlier one is pending.
    mutating func insert(_ alarm: ClockAlarm, at deadline: NetKitClock.Instant) -> Bool {
        entries.append(Entry(deadline: deadline, alarm: alarm))
        siftUp(entries.count - 1)
        if let earliest = armed.last, earliest <= deadline { return false }
        armed.append(deadline)
        return true
    }

    mutating func noteCancelled() {
        cancelled += 1
        guard cancelled > 64, cancelled > entries.count / 2 else { return }
        rebuild()
    }

    /// Removes and returns the due alarms at a wake-up that was arranged for an instant.
    ///
    /// `next` is the deadline for which the caller has to arrange another wake-up; `nil` if one that is early enough is
    /// pending, or none is needed.
    mutating func removeDue(
        now: NetKitClock.Instant,
        wakeUp: NetKitClock.Instant
    ) -> (due: [ClockAlarm], next: NetKitClock.Instant?) {
        var due: [ClockAlarm] = []
        while let first = entries.first, first.deadline <= now || !first.alarm.isPending {
            if first.alarm.isPending { due.append(first.alarm) } else { cancelled = max(0, cancelled - 1) }
            removeFirst()
        }
        while let earliest = armed.last, earliest <= wakeUp { armed.removeLast() }
        guard let next = entries.first?.deadline, armed.last.map({ next < $0 }) ?? true else { return (due, nil) }
        armed.append(next)
        return (due, next)
    }

    private mutating func rebuild() {
        entries.removeAll { !$0.alarm.isPending }
        cancelled = 0
        for index in stride(from: entries.count / 2, through: 0, by: -1) { siftDown(index) }
    }

    private mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].deadline < entries[parent].deadline else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < entries.count else { return }
            let right = left + 1
            let child =
                right < entries.count && entries[right].deadline < entries[left].deadline ? right : left
            guard entries[child].deadline < entries[index].deadline else { return }
            entries.swapAt(index, child)
            index = child
        }
    }
}
