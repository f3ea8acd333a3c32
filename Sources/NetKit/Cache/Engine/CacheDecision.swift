/// The decision about a request.
enum CacheDecision: Equatable {
    /// Responds with a stored response.
    case use(Freshness)
    /// Asks the server whether what is stored is still good.
    case revalidate(CacheForward)
    /// Sends the request as it is.
    case fetch(CacheForward)
    /// Sends nothing, and answers 504 (RFC 9111, section 5.2.1.7).
    case gatewayTimeout
    /// Sends nothing, and throws.
    case miss(CacheMiss)

    /// The freshness of a stored response that is used.
    enum Freshness: Equatable {
        case fresh
        /// Stale, and somebody allows it.
        case stale
        /// Stale, and to be renewed meanwhile.
        case staleWhileRefreshing
    }
}

/// Why a request was sent on, in the words of RFC 9211.
enum CacheForward: String, Sendable {
    /// The cache is not to be asked.
    case bypass
    /// The method is not one that is stored.
    case method
    /// No response is stored for the URL.
    case uriMiss = "uri-miss"
    /// Something is stored for the URL, but for other header fields.
    case varyMiss = "vary-miss"
    /// The request does not allow the use of the stored response.
    case request
    /// The stored response is stale.
    case stale
    /// The stored response is only a part of the requested range.
    case partial
}
