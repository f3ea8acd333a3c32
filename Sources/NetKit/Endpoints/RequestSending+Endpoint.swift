public import Foundation

extension RequestSending {
    /// Sends a typed call and returns its result.
    ///
    /// A status that is not accepted throws `.server`, and a body of another shape throws `.decoding`.
    ///
    /// - Parameters:
    ///   - endpoint: The request, and the type of its result.
    ///   - timeout: The limit for the whole call; `nil` for that of the options or the endpoint.
    ///   - options: The settings of this call.
    ///   - progress: A closure that gets the number of sent bytes of the request's body, and may run on the main actor.
    /// - Returns: The result.
    /// - Throws: `NetKitError`, or `CancellationError`.
    @concurrent
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Response {
        guard let progress else { return try await receive(endpoint, options.with(timeout)) }
        return try await ProgressReport.run(progress, options.with(timeout)) { try await receive(endpoint, $0) }
    }

    /// Sends a typed call and returns its result with the response.
    ///
    /// ```swift
    /// let (user, response) = try await client.send(.user("42"))
    /// let tag = response.headers["ETag"]
    /// ```
    /// The body of the response can be read again, unless it was streamed.
    @concurrent
    @_disfavoredOverload
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> (Response, HTTPResponse) {
        try await send(endpoint.withResponse, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a typed call and returns its result, or `nil` if the response has one of some statuses.
    ///
    /// ```swift
    /// let user = try await client.send(.user("42"), nilFor: .notFound)
    /// ```
    @concurrent
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        nilFor statuses: HTTPStatus...,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> Response? {
        try await receive(endpoint.optional(nilFor: Set(statuses)), options.with(timeout))
    }

    /// Sends a call whose response becomes a value according to its status.
    ///
    /// ```swift
    /// enum Lookup { case found(User), moved(Redirect), missing }
    /// let lookup = try await client.send(.get("/users/42"), cases: [
    ///     .status(200, Lookup.found), .status(409, Lookup.moved), .status(404, .missing),
    /// ])
    /// ```
    /// Every other status throws `.server`.
    @concurrent
    public func send<Result: Sendable>(
        _ endpoint: Endpoint<HTTPResponse>,
        cases: [StatusCase<Result>],
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> Result {
        try await receive(endpoint.reading(cases), options.with(timeout))
    }

    /// Makes a typed call to another base URL.
    ///
    /// Credentials are for the client's own origin. To send them to another base, name its origin in ``AuthOrigins``.
    @concurrent
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        baseURL: URL,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> Response {
        try await receive(endpoint, options.with(timeout), base: baseURL)
    }

    /// Makes a call that is described by a type of its own.
    @concurrent
    public func send<Request: APIRequest>(
        _ request: Request,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Request.Response {
        try await send(request.endpoint, timeout: timeout, options: options, progress: progress)
    }

    /// Sends a request and returns the response with any status.
    @concurrent
    public func send(
        _ request: HTTPRequest,
        timeout: Duration,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse {
        try await send(request, options: options.with(timeout))
    }
}

extension RequestSending {
    private func receive<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        _ options: CallOptions,
        base: URL? = nil
    ) async throws -> Response {
        let request = try base.map { try endpoint.request.resolved(against: BaseURL($0)) } ?? endpoint.request
        var settings = payloadSettings
        settings.json = endpoint.json ?? settings.json
        settings.errorBody = endpoint.errorBody ?? settings.errorBody
        let options = options.filled(from: endpoint, maxBufferedBytes: settings.maxBufferedBytes)
        settings.maxBufferedBytes = options.delivery?.maxBufferedBytes ?? settings.maxBufferedBytes
        let response = try await settings.judging(endpoint.acceptedStatuses) {
            try await send(request, options: options)
        }
        do {
            return try await endpoint.reader.read(response, settings)
        } catch {
            throw response.body.translated(error)
        }
    }
}

extension CallOptions {
    /// Returns the options with a limit for the whole call, if one is given.
    func with(_ timeout: Duration?) -> CallOptions {
        guard let timeout else { return self }
        var options = self
        options.timeout = timeout
        return options
    }

    /// Returns the options, with the endpoint's values for those that are not set.
    func filled<Response>(from endpoint: Endpoint<Response>, maxBufferedBytes: Int) -> CallOptions {
        var options = self
        options.delivery = delivery ?? (endpoint.reader.isStreamed ? .streamed : .buffered(upTo: maxBufferedBytes))
        options.timeout = timeout ?? endpoint.timeout
        options.idempotencyKey = idempotencyKey ?? endpoint.idempotencyKey
        options.cachePolicy = cachePolicy ?? endpoint.cachePolicy
        if rawPriority == nil { options.priority = endpoint.priority }
        options.tags.fill(from: endpoint.tags)
        return options
    }
}
