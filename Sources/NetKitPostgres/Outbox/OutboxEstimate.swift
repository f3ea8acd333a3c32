import NetKit

/// The approximate number of entries of a queue, which says whether they have to be counted before more are added.
final class OutboxEstimate: Sendable {
    private struct State {
        var tally = OfflineTally()
        var time: NetKitClock.Instant?
    }

    /// The age at which entries are counted again.
    private static let maxAge = Duration.seconds(5)
    private let state = Locked(State())

    /// Notes the entries that were counted at a time.
    func set(_ tally: OfflineTally, at time: NetKitClock.Instant) {
        state.withLock { $0 = State(tally: tally, time: time) }
    }

    /// The entries that were counted, and those that this process has added since.
    var tally: OfflineTally { state.withLock { $0.tally } }

    /// Notes the difference that additions have made.
    func add(_ difference: OfflineTally) { state.withLock { $0.tally = $0.tally.adding(difference) } }

    /// Returns whether the entries have to be counted because of their age.
    func isOutdated(_ now: NetKitClock.Instant) -> Bool {
        state.withLock { state in state.time.map { $0.advanced(by: Self.maxAge) <= now } ?? true }
    }

    /// Returns whether entries could exceed the bounds, so that the database has to count.
    func isNear(_ bounds: OfflineBounds, count: Int, bytes: Int) -> Bool {
        let tally = state.withLock { $0.tally }
        if let most = bounds.maxDeadLetters, tally.deadLetterCount >= most - max(1, most / 10) { return true }
        let countMargin = max(1000, bounds.maxEntries / 10)
        let bytesMargin = max(16 << 20, bounds.maxBytes / 10)
        return tally.count + count > bounds.maxEntries - countMargin
            || tally.byteCount + bytes > bounds.maxBytes - bytesMargin
    }
}

extension OfflineBounds {
    /// Whether there are no bounds at all.
    var isUnbounded: Bool { maxEntries == .max && maxBytes == .max && maxDeadLetters == nil }
}

extension OfflineTally {
    /// Returns the sum of two tallies, with the last position of this one.
    func adding(_ other: OfflineTally) -> OfflineTally {
        var sum = self
        sum.pendingCount += other.pendingCount
        sum.deadLetterCount += other.deadLetterCount
        sum.conflictCount += other.conflictCount
        sum.byteCount += other.byteCount
        return sum
    }
}
