extension HTTPClient: EventHubOwning {
    /// What happens in the client from now on: every stage of its calls, its breakers, the queues that send through it.
    ///
    /// Each use is a listener of its own, who may fall 1024 events behind; the calls that are running are not heard.
    public nonisolated var events: ClientEvents { events(capacity: 1024) }

    /// What happens in the client from now on, for a listener who may fall a number of events behind.
    public nonisolated func events(capacity: Int) -> ClientEvents {
        eventHub.events(capacity: capacity)
    }

    /// What a call reports through; nil where nobody listens.
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
            id: options.id,
            request: prepared,
            template: given.template,
            redaction: configuration.redaction
        )
        return CallReporter(hub: isHeard ? eventHub : nil, facts: facts)
    }
}
