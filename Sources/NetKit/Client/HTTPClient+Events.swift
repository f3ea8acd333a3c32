extension HTTPClient: EventHubOwning {
    /// The events of the client from now on: those of its calls, its breakers, and the queues that send through it.
    ///
    /// Each use is a separate listener, which may fall 1,024 events behind. Calls that are already running are not
    /// reported.
    public nonisolated var events: ClientEvents { bufferedEvents(maxEvents: 1024) }

    /// Returns the events of the client from now on, for a listener that may fall a number of events behind.
    public nonisolated func bufferedEvents(maxEvents: Int) -> ClientEvents {
        eventHub.events(maxEvents: maxEvents)
    }

    /// Returns the reporter of a call; `nil` without a listener or an interceptor that reads facts.
    @inline(__always)
    nonisolated func reporter(of prepared: HTTPRequest, as given: HTTPRequest, _ options: CallOptions) -> CallReporter?
    {
        let isHeard = eventHub.isHeard
        return isHeard || pipeline.readsFacts ? makeReporter(prepared, given, options, isHeard: isHeard) : nil
    }

    private nonisolated func makeReporter(
        _ prepared: HTTPRequest,
        _ given: HTTPRequest,
        _ options: CallOptions,
        isHeard: Bool
    ) -> CallReporter {
        let facts = CallFacts(
            id: options.id ?? CallID(),
            request: prepared,
            template: given.template,
            redaction: configuration.redaction
        )
        return CallReporter(hub: isHeard ? eventHub : nil, facts: facts)
    }
}

extension HTTPClient {
    /// Diagnostics about settings that conflict with each other, one sentence each.
    ///
    /// Calls are still made.
    ///
    /// `explain()` shows them, and a test can require that there are none.
    public nonisolated var warnings: [String] {
        pipeline.warnings(
            ClientInspection(
                interceptors: pipeline.interceptors,
                timeouts: configuration.timeouts,
                baseURL: baseURL,
                redaction: configuration.redaction
            )
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
