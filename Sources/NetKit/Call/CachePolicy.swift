/// The use of a cache for a call.
///
/// The interceptors of the stage `.cache` follow it. A client without a cache sends every call, whatever its policy.
public struct CachePolicy: Sendable, Hashable {
    enum Kind: Sendable { case standard, noCache, cacheOnly, cacheFirst, networkFirst, reload }

    let kind: Kind

    /// The lifetime of a response that states none itself; `nil` leaves it to the cache.
    public var ttl: Duration?

    /// Whether every call sends a request, whatever is stored.
    var alwaysSends: Bool { kind == .noCache || kind == .networkFirst || kind == .reload }

    /// The use that the server's caching headers allow (RFC 9111).
    public static let standard = CachePolicy(kind: .standard)
    /// No use of the cache: nothing is read from it or stored in it.
    public static let noCache = CachePolicy(kind: .noCache)
    /// A stored response and nothing else: if there is none, `.cacheMiss` is thrown and nothing is sent.
    public static let cacheOnly = CachePolicy(kind: .cacheOnly)
    /// A stored response that is not too old, or else the server's.
    public static let cacheFirst = CachePolicy(kind: .cacheFirst)
    /// The server's response, or else a stored one.
    public static let networkFirst = CachePolicy(kind: .networkFirst)
    /// The server's response, which is stored.
    public static let reload = CachePolicy(kind: .reload)

    /// Returns the policy with a lifetime for responses that state none themselves.
    public func lasting(_ ttl: Duration) -> CachePolicy {
        var policy = self
        policy.ttl = ttl
        return policy
    }
}
