import Foundation

extension RequestSending {
    /// Makes a typed call; a stand-in for the client goes by the default limits.
    @concurrent
    public func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        options: CallOptions = CallOptions()
    ) async throws -> Response {
        try await send(endpoint, options: options, bufferLimit: 64 << 20, errorBodyLimit: 64 << 10, json: .standard)
    }

    @concurrent
    package func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        options: CallOptions,
        bufferLimit: Int,
        errorBodyLimit: Int,
        json: JSONCoder
    ) async throws -> Response {
        let options = options.filled(from: endpoint, bufferLimit: bufferLimit)
        let response = try await send(endpoint.request(json: json), options: options)
        do {
            let accepted = try await response.checkingStatus(errorBodyLimit: errorBodyLimit)
            return try await endpoint.parser.parse(accepted, options.delivery?.bufferLimit ?? bufferLimit, json)
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
