import Foundation

extension RequestSending {
    /// Makes a typed call: a status outside 200…299 throws `.server`, a body of another shape `.decoding`.
    @concurrent
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        options: CallOptions = CallOptions()
    ) async throws -> Response {
        let settings = payloadSettings
        let options = options.filled(from: endpoint, bufferLimit: settings.bufferLimit)
        let response = try await send(endpoint.request, options: options)
        do {
            let accepted = try await response.checkingStatus(errorBodyLimit: settings.errorBodyLimit)
            let limit = options.delivery?.bufferLimit ?? settings.bufferLimit
            return try await endpoint.parser.parse(accepted, limit, settings.json)
        } catch {
            throw response.body.translated(error)
        }
    }
}

extension CallOptions {
    /// The options with what the endpoint says where they say nothing.
    fileprivate func filled<Response>(from endpoint: Endpoint<Response>, bufferLimit: Int) -> CallOptions {
        var options = self
        options.delivery = delivery ?? .buffered(upTo: bufferLimit)
        options.timeout = timeout ?? endpoint.timeout
        options.idempotencyKey = idempotencyKey ?? endpoint.idempotencyKey
        if priority == .medium { options.priority = endpoint.priority }
        return options
    }
}
