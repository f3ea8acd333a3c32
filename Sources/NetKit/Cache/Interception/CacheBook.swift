/// What a cache remembers beside its entries: counts, what is being renewed, and what was changed lately.
final class CacheBook: Sendable {
    private struct State {
        var counts = CacheStatistics()
        var refreshes: [CacheKey: Task<Void, any Error>?] = [:]
        /// When the answers of a URL were last made invalid, counted in changes.
        var changes = RecentTable<CacheKey, UInt64>(capacity: 4096)
        var changeCount: UInt64 = 0
        /// How many changes the table has forgotten at most: what began before may have missed one.
        var forgotten: UInt64 = 0
    }

    private let state = Locked(State())

    var counts: CacheStatistics { state.withLock { $0.counts } }

    func count(_ change: @Sendable (inout CacheStatistics) -> Void) {
        state.withLock { change(&$0.counts) }
    }

    /// A task that renews an answer, if any does.
    var anyRefresh: Task<Void, any Error>? {
        state.withLock { state in state.refreshes.values.lazy.compactMap(\.self).first }
    }

    /// Takes the right to renew an entry; false where somebody does already.
    func beginRefresh(of key: CacheKey) -> Bool {
        state.withLock { state in
            guard state.refreshes[key] == nil else { return false }
            state.refreshes[key] = .some(nil)
            return true
        }
    }

    func attachRefresh(of key: CacheKey, _ task: Task<Void, any Error>) {
        state.withLock { state in
            if state.refreshes[key] != nil { state.refreshes[key] = .some(task) }
        }
    }

    func endRefresh(of key: CacheKey) {
        state.withLock { state in
            state.refreshes.removeValue(forKey: key)
            return ()
        }
    }

    /// How many changes there were so far.
    var changeCount: UInt64 { state.withLock { $0.changeCount } }

    /// Notes that the answers of a URL are invalid.
    func noteChange(of key: CacheKey) {
        state.withLock { state in
            state.changeCount += 1
            let number = state.changeCount
            state.changes.withValue(of: key, default: 0) { $0 = number }
            if number > 4096 { state.forgotten = number - 4096 }
            state.counts.invalidations += 1
        }
    }

    /// Whether the answers of a URL may have been made invalid since.
    func hasChanged(_ key: CacheKey, since count: UInt64) -> Bool {
        state.withLock { state in
            guard state.changeCount > count else { return false }
            return count < state.forgotten || (state.changes[key] ?? 0) > count
        }
    }
}
