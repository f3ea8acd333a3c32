/// The counts of a cache, and the renewals under way in the background.
final class CacheBookkeeping: Sendable {
    private struct State: ~Copyable {
        var counts = CacheStatistics()
        /// The renewals, each with the promise of its end.
        var refreshes: [CacheKey: Promise<Void>] = [:]
    }

    private let state = Locked(State())

    var counts: CacheStatistics { state.withLock { $0.counts } }

    // Inlined, the lock would be repeated in each part of the asynchronous functions that count.
    @inline(never)
    func count(_ change: @Sendable (inout CacheStatistics) -> Void) {
        state.withLock { change(&$0.counts) }
    }

    /// Waits until no entry is being renewed.
    func waitForRefreshes() async {
        while let end = state.withLock({ $0.refreshes.values.first }) { try? await end.value() }
    }

    /// Takes the right to renew an entry; returns `false` if the entry is being renewed already.
    func beginRefresh(of key: CacheKey) -> Bool {
        state.withLock { state in
            guard state.refreshes[key] == nil else { return false }
            state.refreshes[key] = Promise()
            return true
        }
    }

    /// Gives back the right to renew an entry, and ends the waits for it.
    func endRefresh(of key: CacheKey) {
        state.withLock { $0.refreshes.removeValue(forKey: key) }?.resolve(.success(()))
    }
}
