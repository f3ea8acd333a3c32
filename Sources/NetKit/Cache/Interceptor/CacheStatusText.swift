/// The value of `Cache-Status` (RFC 9211).
enum CacheStatusText {
    /// The state of storing a response from the server.
    enum Keeping: Equatable {
        case stored
        /// The response is stored while it is read, if it is read to its end and fits.
        case beingStored
        case notStored
        /// The response is not stored, because it varies by a field that is set after the cache.
        case variesUnseen

        fileprivate var detail: String? {
            switch self {
            case .stored, .notStored: nil
            case .beingStored: "being stored"
            case .variesUnseen: "varies by a field set after the cache"
            }
        }
    }

    /// Returns the value for a stored response that needed no server.
    static func hit(_ timeLeft: Int64) -> String { "NetKit; hit; ttl=" + String(timeLeft) }

    /// Returns the value for a request that was passed on.
    static func forward(
        _ reason: CacheForward,
        status: HTTPStatus? = nil,
        keeping: Keeping = .notStored,
        detail: String? = nil
    ) -> String {
        var text = "NetKit; fwd=\(reason.rawValue)"
        if let status { text += "; fwd-status=\(status.code)" }
        if keeping == .stored { text += "; stored" }
        if let detail = detail ?? keeping.detail { text += "; detail=\"\(detail)\"" }
        return text
    }

    /// Returns the value for the response of another call's exchange.
    static func collapsed(_ reason: CacheForward, status: HTTPStatus) -> String {
        forward(reason, status: status) + "; collapsed"
    }

    /// Returns the value for a stored response that the server confirmed or could not confirm.
    ///
    /// `hit` and `fwd` exclude each other (RFC 9211, section 2.1). If no server has responded, the response is a hit.
    static func revalidated(_ reason: CacheForward, status: HTTPStatus?, timeLeft: Int64) -> String {
        guard let status else { return hit(timeLeft) }
        return forward(reason, status: status) + "; ttl=" + String(timeLeft)
    }
}
