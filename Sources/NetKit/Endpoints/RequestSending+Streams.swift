extension RequestSending {
    /// Returns the events that a server sends (`text/event-stream`), and reconnects when the connection ends.
    ///
    /// ```swift
    /// for try await event in client.eventStream(.get("/events")) { print(event.type, event.data) }
    /// ```
    /// The call begins when the first event is requested. A silent stream is not ended, unless the options set
    /// timeouts: `timeout` and `total` limit the whole stream, and `idle` each connection. The client's own limits for
    /// these do not apply. Its retry policy does not apply either: only the stream reconnects, unless the endpoint or
    /// the options have a policy of their own.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the stream.
    ///   - lastEventID: The identifier of the last event, to continue a stream that was read before.
    ///   - retry: The maximum number of attempts, the waits between them, and the statuses and errors after which there
    ///     is another one. An attempt that begins a stream counts as the first. The policy's `retryableMethods`,
    ///     `maxElapsed` and `shouldRetry` have no effect.
    ///   - maxEventBytes: The maximum number of bytes in an event.
    ///   - options: The options of the calls.
    /// - Returns: The events.
    public func eventStream(
        _ endpoint: Endpoint<Void>,
        lastEventID: String = "",
        retry: RetryPolicy = .eventStream,
        maxEventBytes: Int = 1 << 20,
        options: CallOptions = CallOptions()
    ) -> EventStream {
        var request = endpoint.request
        request.headers.addIfMissing("Accept", "text/event-stream")
        request.headers.addIfMissing("Cache-Control", "no-cache")
        var options = options.filled(from: endpoint, maxBufferedBytes: 0)
        options.delivery = .streamed
        options.limitsAttempts = false
        options.isEndless = true
        // A retry of the client would come earlier than the server has asked for with `retry`.
        if options.tags[CallRetry.self] == nil { options.retry = .none }
        let settings = payloadSettings.adapted(to: endpoint)
        // 204 is the end of a stream, even if the endpoint lists only the statuses that begin one.
        let accepted = endpoint.acceptedStatuses.adding(.noContent)
        return EventStream { [request, options] in
            EventStream.Reading(
                sender: self,
                request: request,
                settings: settings,
                accepted: accepted,
                options: options,
                retry: retry,
                parser: EventStreamParser(limit: maxEventBytes, lastEventID: lastEventID)
            )
        }
    }

    /// Returns values that arrive as one line of JSON each (NDJSON), and decodes them as they arrive.
    ///
    /// ```swift
    /// for try await row in client.stream(.get("/export.ndjson"), of: Row.self) { … }
    /// ```
    /// The call begins when the first value is requested. It ends with the last value, or with a `break`.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the lines.
    ///   - type: The type of the value in each line.
    ///   - maxLineBytes: The maximum number of bytes in a line.
    ///   - options: The options of the call.
    /// - Returns: The values.
    public func stream<Value: Decodable & Sendable>(
        _ endpoint: Endpoint<Void>,
        of type: Value.Type = Value.self,
        maxLineBytes: Int = 1 << 20,
        options: CallOptions = CallOptions()
    ) -> JSONLines<Value> {
        var request = endpoint.request
        request.headers.addIfMissing("Accept", "application/x-ndjson, application/jsonl")
        var options = options.filled(from: endpoint, maxBufferedBytes: 0)
        options.delivery = .streamed
        options.limitsAttempts = false
        let settings = payloadSettings.adapted(to: endpoint)
        return JSONLines(
            lines: { [request, options] in
                let response = try await settings.response(accepting: endpoint.acceptedStatuses) {
                    try await send(request, options: options)
                }
                return (response.body.lines(upTo: maxLineBytes), response.body)
            },
            json: settings.json
        )
    }
}

extension RetryPolicy {
    /// The policy for reconnecting: ten attempts in a row without a stream, after waits of 1 to 30 seconds.
    ///
    /// The server may ask for a wait of up to ten minutes.
    public static let eventStream = RetryPolicy(
        maxAttempts: 10,
        backoffStrategy: .exponential(base: .seconds(1), cap: .seconds(30)),
        maxServerDelay: .seconds(600)
    )
}
