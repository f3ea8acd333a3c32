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
            redaction: configuration.redaction,
            latestListener: isHeard ? eventHub.latestListener : 0
        )
        return CallReporter(hub: isHeard ? eventHub : nil, facts: facts)
    }
}
