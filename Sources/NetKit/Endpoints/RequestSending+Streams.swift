import Foundation

extension RequestSending {
    /// The events that a server sends (`text/event-stream`), reconnecting when the connection ends.
    ///
    /// ```swift
    /// for try await event in client.events(.get("/events")) { print(event.type, event.data) }
    /// ```
    /// The call begins with the first event that is asked for. A stream that is silent is not ended, unless the options have
    /// timeouts of their own.
    ///
    /// - Parameters:
    ///   - endpoint: Where the stream is.
    ///   - lastEventID: Where to begin, for a stream that was read before.
    ///   - retry: How often a connection is made again without an event in between, and after what wait.
    ///   - limit: How many bytes one event may have.
    ///   - options: What the calls may set for themselves.
    /// - Returns: The events.
    public func events(
        _ endpoint: Endpoint<Void>,
        lastEventID: String = "",
        retry: RetryPolicy = .events,
        upTo limit: Int = 1 << 20,
        options: CallOptions = CallOptions()
    ) -> EventStream {
        var request = endpoint.request
        if !request.headers.contains("Accept") { request.headers.add("Accept", "text/event-stream") }
        if !request.headers.contains("Cache-Control") { request.headers.add("Cache-Control", "no-cache") }
        var options = options.filled(from: endpoint, maxBufferedBytes: 0)
        options.delivery = .streamed
        options.limitsAttempts = false
        options.limitsIdleTime = false
        return EventStream(
            sender: self,
            request: request,
            options: options,
            retry: retry,
            limit: limit,
            lastEventID: lastEventID
        )
    }

    /// Values that arrive line by line as JSON (NDJSON), decoded as they do.
    ///
    /// ```swift
    /// for try await row in client.stream(.get("/export.ndjson"), of: Row.self) { … }
    /// ```
    /// The call begins with the first value that is asked for, and ends with the last, or a `break`.
    ///
    /// - Parameters:
    ///   - endpoint: Where the lines are.
    ///   - type: What each line is.
    ///   - limit: How many bytes one line may have.
    ///   - options: What the call may set for itself.
    /// - Returns: The values.
    public func stream<Value: Decodable & Sendable>(
        _ endpoint: Endpoint<Void>,
        of type: Value.Type = Value.self,
        upTo limit: Int = 1 << 20,
        options: CallOptions = CallOptions()
    ) -> JSONLines<Value> {
        var settings = payloadSettings
        settings.json = endpoint.json ?? settings.json
        settings.errorBody = endpoint.errorBody ?? settings.errorBody
        var request = endpoint.request
        if !request.headers.contains("Accept") {
            request.headers.add("Accept", "application/x-ndjson, application/jsonl")
        }
        var options = options.filled(from: endpoint, maxBufferedBytes: 0)
        options.delivery = .streamed
        options.limitsAttempts = false
        let (given, sent, sentOptions) = (settings, request, options)
        return JSONLines(
            lines: {
                let response = try await given.judging(endpoint.acceptedStatuses) {
                    try await send(sent, options: sentOptions)
                }
                return (response.body.lines(upTo: limit), response.body)
            },
            json: settings.json
        )
    }
}

extension RetryPolicy {
    /// The policy of reconnecting: ten times in a row without an event, after one second up to half a minute.
    public static let events = RetryPolicy(
        maxAttempts: 10,
        backoffStrategy: .exponential(base: .seconds(1), cap: .seconds(30))
    )
}
