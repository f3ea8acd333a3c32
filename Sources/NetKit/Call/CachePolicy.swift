/// Whether a call may be answered from a cache: what an interceptor of the stage `.cache` goes by.
///
/// A client without a cache sends every call, whatever its policy.
public struct CachePolicy: Sendable, Hashable {
    enum Kind: Sendable { case standard, noCache, cacheOnly, cacheFirst, networkFirst, reload }

    let kind: Kind

    /// How long an answer that says nothing of its own age may be used; nil leaves that to the cache.
    public var ttl: Duration?

    /// What the server's caching headers allow (RFC 9111).
    public static let standard = CachePolicy(kind: .standard)
    /// Neither read from the cache nor stored in it.
    public static let noCache = CachePolicy(kind: .noCache)
    /// Only what is stored; `.cacheMiss` where there is nothing, and nothing is sent.
    public static let cacheOnly = CachePolicy(kind: .cacheOnly)
    /// What is stored and not yet too old, else the server's answer.
    public static let cacheFirst = CachePolicy(kind: .cacheFirst)
    /// The server's answer, else what is stored.
    public static let networkFirst = CachePolicy(kind: .networkFirst)
    /// The server's answer, which is stored.
    public static let reload = CachePolicy(kind: .reload)

    private init(kind: Kind) {
        self.kind = kind
    }

    /// The policy with a life for answers that say nothing of their own age.
    public func lasting(_ ttl: Duration) -> CachePolicy {
        var policy = self
        policy.ttl = ttl
        return policy
    }
}
