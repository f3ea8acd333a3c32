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
    ///   - progress: A closure that receives the progress of the request's body, and may run on the main actor.
    /// - Returns: The result.
    /// - Throws: `NetKitError`, or `CancellationError`.
    @concurrent
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Response {
        if let progress { return try await receive(endpoint, timeout, options, reportingTo: progress) }
        return try await receive(endpoint, timeout, options)
    }

    /// Sends a call that returns the response itself, which does not have to be used.
    ///
    /// A status that is not accepted throws `.server`.
    @concurrent
    @_disfavoredOverload
    @discardableResult
    public func send(
        _ endpoint: Endpoint<HTTPResponse>,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        if let progress { return try await receive(endpoint, timeout, options, reportingTo: progress) }
        return try await receive(endpoint, timeout, options)
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
        try await send(endpoint.optional(nilFor: Set(statuses)), timeout: timeout, options: options)
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
        try await send(endpoint.reading(cases), timeout: timeout, options: options)
    }

    /// Sends a typed call to another base URL.
    ///
    /// Credentials are for the client's own origin. To send them to another base, name its origin in ``AuthOrigins``.
    @concurrent
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        baseURL: URL,
        timeout: Duration? = nil,
        options: CallOptions = CallOptions()
    ) async throws -> Response {
        try await receive(endpoint, timeout, options, base: baseURL)
    }

    /// Sends a call that is described by a type of its own.
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
        var options = options
        options.timeout = timeout
        return try await send(request, options: options)
    }
}

extension RequestSending {
    @inline(never)
    private func receive<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        _ timeout: Duration?,
        _ options: CallOptions,
        reportingTo progress: @escaping ProgressHandler
    ) async throws -> Response {
        try await ProgressReport.run(progress, options) { try await receive(endpoint, timeout, $0) }
    }

    private func receive<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        _ timeout: Duration?,
        _ options: CallOptions,
        base: URL? = nil
    ) async throws -> Response {
        let request = try endpoint.request(base: base)
        var settings = payloadSettings.adapted(to: endpoint)
        let options = options.filled(from: endpoint, timeout, maxBufferedBytes: settings.maxBufferedBytes)
        settings.maxBufferedBytes = options.delivery?.maxBufferedBytes ?? settings.maxBufferedBytes
        let response = try await settings.response(
            accepting: endpoint.acceptedStatuses,
            path: endpoint.path,
            discardsBody: endpoint.reader.discardsBody
        ) {
            try await send(request, options: options)
        }
        // A caller that gets the response may decode it later.
        if let json = endpoint.json { response.body.state.json = json }
        do {
            return try await endpoint.reader.read(response, settings)
        } catch {
            throw response.body.translated(error)
        }
    }
}

extension PayloadSettings {
    /// Returns these settings with those that an endpoint has of its own.
    func adapted<Response>(to endpoint: Endpoint<Response>) -> PayloadSettings {
        var settings = self
        settings.json = endpoint.json ?? json
        settings.errorBody = endpoint.errorBody ?? errorBody
        return settings
    }
}

extension Endpoint {
    /// Returns the request for the client's base URL, or for another one.
    @inline(never)
    fileprivate func request(base: URL?) throws -> HTTPRequest {
        try base.map { try request.resolved(against: BaseURL($0)) } ?? request
    }
}

extension CallOptions {
    /// Returns the options, with the endpoint's values for those that are not set.
    @inline(never)
    func filled<Response>(
        from endpoint: Endpoint<Response>,
        _ limit: Duration? = nil,
        maxBufferedBytes: Int
    ) -> CallOptions {
        var options = self
        options.delivery = delivery ?? (endpoint.reader.isStreamed ? .streamed : .buffered(upTo: maxBufferedBytes))
        options.timeout = limit ?? timeout ?? endpoint.timeout
        options.idempotencyKey = idempotencyKey ?? endpoint.idempotencyKey
        options.cachePolicy = cachePolicy ?? endpoint.cachePolicy
        if rawPriority == nil { options.priority = endpoint.priority }
        options.tags.fill(from: endpoint.tags)
        return options
    }
}
