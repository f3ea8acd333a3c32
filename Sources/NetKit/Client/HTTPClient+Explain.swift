extension HTTPClient {
    /// Diagnostics about settings that conflict with each other, one sentence each.
    ///
    /// Calls are still made. `explain()` shows the diagnostics, and a test can require that there are none.
    public nonisolated var warnings: [String] {
        let listeners: [any Interceptor] = pipeline.listeners
        let client = ClientInspection(
            interceptors: listeners + pipeline.interceptors,
            timeouts: configuration.timeouts,
            baseURL: baseURL,
            redaction: configuration.redaction
        )
        return pipeline.warnings(client)
            + client.warnings(
                if: HedgeInterceptor.self,
                isBefore: RetryInterceptor.self,
                "Each copy of a call would be retried on its own."
            )
    }

    /// Returns a description of the chain: each interceptor with its stage, how often and why it runs, and all
    /// warnings.
    public nonisolated func explain() -> String {
        var lines = ["HTTPClient for \(baseURL.map { configuration.redaction.redacted($0) } ?? "absolute URLs")"]
        if let configurationProblem { lines.append("unusable: \(configurationProblem)") }
        if case .failure(let error) = base { lines.append("unusable: \(error.message)") }
        lines += warnings.map { "warning: \($0)" }
        return (lines + [pipeline.explain()]).joined(separator: "\n")
    }
}

extension HTTPClient: CustomReflectable {
    /// A mirror with the secrets of the base URL masked, for `dump` and test reports.
    public nonisolated var customMirror: Mirror {
        let baseURL = baseURL.map { configuration.redaction.redacted($0) }
        return Mirror(
            self,
            children: ["baseURL": baseURL as Any, "configuration": configuration, "pipeline": pipeline]
        )
    }
}
