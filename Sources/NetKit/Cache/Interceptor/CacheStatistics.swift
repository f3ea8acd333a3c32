/// The numbers of hits and misses, and the size of the store.
public struct CacheStatistics: Hashable, Sendable {
    /// The number of requests served from the store without confirmation by the server, including stale responses.
    public var hits = 0
    /// The number of stale responses that were used, which are hits too.
    public var staleHits = 0
    /// The number of requests for which no usable response was stored.
    public var misses = 0
    /// The number of requests that were served by an earlier exchange of another call.
    public var sharedExchanges = 0
    /// The number of stored responses that the server confirmed.
    public var revalidations = 0
    /// The number of requests that bypassed the cache.
    public var bypasses = 0
    /// The number of responses that were stored.
    public var writes = 0
    /// The number of times that a request invalidated the entries of a URL.
    public var invalidations = 0
    /// The number of failures of the store, which fail no call.
    public var storeFailures = 0
    /// The statistics of the store.
    public var store = CacheStoreStatistics()

    /// Creates statistics with all numbers at zero.
    public init() {}
}

/// The counts of a cache, and the renewals under way in the background.
final class CacheBookkeeping: Sendable {
    private struct State {
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
