import Foundation

extension HTTPClient {
    /// Makes a typed call.
    @concurrent
    public nonisolated func send<Response: Sendable>(
        _ endpoint: Endpoint<Response>,
        options: CallOptions = CallOptions()
    ) async throws -> Response {
        try await send(
            endpoint,
            options: options,
            bufferLimit: configuration.bufferLimit,
            errorBodyLimit: configuration.errorBodyLimit,
            json: configuration.json
        )
    }
}
