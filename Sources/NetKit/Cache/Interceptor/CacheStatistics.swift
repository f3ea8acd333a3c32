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
