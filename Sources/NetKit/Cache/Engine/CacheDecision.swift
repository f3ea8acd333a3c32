/// The decision about a request.
enum CacheDecision: Equatable {
    /// Responds with a stored response.
    case use(Freshness)
    /// Asks the server whether the stored response is still valid.
    case revalidate(CacheForward)
    /// Sends the request as it is.
    case fetch(CacheForward)
    /// Sends nothing, and responds with 504 (RFC 9111, section 5.2.1.7) and the reason to forward the request.
    case gatewayTimeout(CacheForward)
    /// Sends nothing, and throws.
    case miss(CacheMiss)

    /// The freshness of a stored response that is used.
    enum Freshness: Equatable {
        case fresh
        /// Stale, but the request or the policy allows it.
        case stale
        /// Stale, and renewed in the background.
        case staleWhileRefreshing
    }
}

/// The reason for forwarding a request, in the terms of RFC 9211.
enum CacheForward: String, Sendable {
    /// The cache is bypassed.
    case bypass
    /// The method's responses do not come from the cache.
    case method
    /// No response is stored for the URL.
    case uriMiss = "uri-miss"
    /// Something is stored for the URL, but for other header fields.
    case varyMiss = "vary-miss"
    /// The request does not allow the use of the stored response.
    case request
    /// The stored response is stale.
    case stale
}
