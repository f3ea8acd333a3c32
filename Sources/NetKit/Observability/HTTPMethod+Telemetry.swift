extension HTTPMethod {
    private static let known: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// The method in metrics and traces, which is `_OTHER` for unknown methods, so that the number of values is
    /// bounded.
    var telemetryName: String { Self.known.contains(rawValue) ? rawValue : "_OTHER" }
}
