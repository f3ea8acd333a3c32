public import Foundation

extension RequestSending {
    /// Makes a typed call.
    ///
    /// A status that is not accepted throws `.server`, and a body of another shape throws `.decoding`.
    @concurrent
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        options: CallOptions = CallOptions()
    ) async throws -> Response {
        try await receive(endpoint, endpoint.request, options)
    }

    /// Makes a typed call to another base URL.
    ///
    /// Credentials are for the client's own origin. To send them to another base, name its origin in ``AuthOrigins``.
    @concurrent
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        baseURL: URL,
        options: CallOptions = CallOptions()
    ) async throws -> Response {
        try await receive(endpoint, endpoint.request.resolved(against: BaseURL(baseURL)), options)
    }

    /// Makes a call that is described by a type of its own.
    @concurrent
    public func send<Request: APIRequest>(
        _ request: Request,
        options: CallOptions = CallOptions()
    ) async throws -> Request.Response {
        try await send(request.endpoint, options: options)
    }

    private func receive<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        _ request: HTTPRequest,
        _ options: CallOptions
    ) async throws -> Response {
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
