/// The settings for decisions, besides request, response and policy.
struct CacheSettings: Sendable, Hashable {
    /// The lifetime with `.cacheFirst` of a response that states none and was given no TTL.
    var defaultTTL = 3600.0
    /// Whether a stale answer stands in when the server cannot be reached, without the server's leave (RFC 9111, section
    /// 4.2.4, allows it).
    var servesStaleWhenDisconnected = false
}
