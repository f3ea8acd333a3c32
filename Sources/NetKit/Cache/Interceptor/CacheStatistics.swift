/// The numbers of hits and misses, and the size of the store.
public struct CacheStatistics: Hashable, Sendable {
    /// Answers without the network, stale ones included.
    public var hits = 0
    /// The number of stale responses that were used, which are hits too.
    public var staleHits = 0
    /// Requests for which nothing usable was stored.
    public var misses = 0
    /// Requests that were served by the exchange of another one, which had begun before.
    public var shared = 0
    /// Responses that the server confirmed.
    public var revalidations = 0
    /// Requests that the cache had no part in.
    public var bypasses = 0
    /// Responses that were stored.
    public var writes = 0
    /// The number of entries that were removed because a request changed them.
    public var invalidations = 0
    /// Times the store failed; no call did.
    public var storeFailures = 0
    /// The statistics of the store.
    public var store = CacheStoreStatistics()

    /// Creates statistics of nothing.
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

    /// A task that renews a response, if any does.
    var anyRefresh: Task<Void, any Error>? {
        state.withLock { state in state.refreshes.values.lazy.compactMap(\.self).first }
    }

    /// Takes the right to renew an entry; false if somebody does already.
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
