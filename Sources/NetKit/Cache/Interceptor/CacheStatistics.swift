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
    /// Answers that the server confirmed.
    public var revalidations = 0
    /// Requests that the cache had no part in.
    public var bypasses = 0
    /// Answers that were stored.
    public var writes = 0
    /// The number of entries that were removed because a request changed them.
    public var invalidations = 0
    /// Times the store failed; no call did.
    public var storeFailures = 0
    /// The statistics of the store.
    public var store = CacheStoreStatistics()

    /// Makes statistics of nothing.
    public init() {}
}
