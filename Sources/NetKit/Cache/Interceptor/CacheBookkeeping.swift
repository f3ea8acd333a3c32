/// The counts of a cache, and the revalidations under way in the background.
final class CacheBookkeeping: Sendable {
    private struct State {
        var counts = CacheStatistics()
        var refreshes: [CacheKey: Task<Void, any Error>?] = [:]
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
}
