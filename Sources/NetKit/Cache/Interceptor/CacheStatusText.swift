/// What `Cache-Status` says (RFC 9211).
enum CacheStatusText {
    static func hit(_ timeLeft: Int64) -> String {
        "NetKit; hit; ttl=" + String(timeLeft)
    }

    static func forward(
        _ reason: CacheForward,
        status: HTTPStatus? = nil,
        isStored: Bool = false,
        detail: String? = nil
    ) -> String {
        var text = "NetKit; fwd=\(reason.rawValue)"
        if let status { text += "; fwd-status=\(status.code)" }
        if isStored { text += "; stored" }
        if let detail { text += "; detail=\"\(detail)\"" }
        return text
    }

    /// A stored answer that the server was asked about, or could not be asked about.
    static func revalidated(_ reason: CacheForward, status: HTTPStatus?, timeLeft: Int64) -> String {
        var text = "NetKit; hit; fwd=\(reason.rawValue)"
        if let status { text += "; fwd-status=\(status.code)" }
        return text + "; ttl=\(timeLeft)"
    }
}
