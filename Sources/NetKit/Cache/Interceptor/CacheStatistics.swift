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

    /// A task that is renewing a response, if any.
    var anyRefresh: Task<Void, any Error>? {
        state.withLock { state in state.refreshes.values.lazy.compactMap(\.self).first }
    }

    /// Takes the right to renew an entry; returns `false` if a task already renews it.
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
