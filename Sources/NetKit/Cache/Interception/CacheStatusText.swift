/// What `Cache-Status` says (RFC 9211).
enum CacheStatusText {
    static func hit(_ timeLeft: Double) -> String {
        "NetKit; hit; ttl=" + String(seconds(timeLeft))
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
    static func revalidated(_ reason: CacheForward, status: HTTPStatus?, timeLeft: Double) -> String {
        var text = "NetKit; hit; fwd=\(reason.rawValue)"
        if let status { text += "; fwd-status=\(status.code)" }
        return text + "; ttl=\(seconds(timeLeft))"
    }

    private static func seconds(_ time: Double) -> Int64 {
        Int64(min(max(time.rounded(.down), -1e15), 1e15))
    }
}
