extension HTTPMethod {
    private static let known: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// The method in metrics and traces: what anybody may invent is `_OTHER` there, so that there are not too many.
    var telemetryName: String { Self.known.contains(rawValue) ? rawValue : "_OTHER" }
}
