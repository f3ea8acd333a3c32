public import Foundation

extension HTTPClient {
    /// Sends a file, read while it is sent, and gives the answer with its body in memory.
    ///
    /// A status outside 200…299 is `.server`. How long the upload may take is not limited unless the options say so; one
    /// that stands still ends after `timeouts.idle`.
    @concurrent
    @discardableResult
    public nonisolated func upload(
        _ file: URL,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = HTTPHeaders(),
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse {
        let body = HTTPBody.file(at: file, contentType: "application/octet-stream")
        var options = options.withoutAttemptLimit(configuration)
        options.delivery = options.delivery ?? .buffered(upTo: configuration.bufferLimit)
        let request = HTTPRequest(method, path, headers: headers, body: body)
        return try await send(request, options: options).checkingStatus(errorBodyLimit: configuration.errorBodyLimit)
    }

    /// Receives into a file: written beside it as it arrives, and renamed over it when it is there whole.
    ///
    /// A status outside 200…299 is `.server`, and leaves the file as it was.
    ///
    /// - Returns: The answer, whose body is in the file.
    @concurrent
    @discardableResult
    public nonisolated func download(
        _ path: RequestPath,
        to file: URL,
        headers: HTTPHeaders = HTTPHeaders(),
        upTo limit: Int64 = .max,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse {
        var options = options.withoutAttemptLimit(configuration)
        options.delivery = .streamed
        let request = HTTPRequest(.get, path, headers: headers)
        let response = try await send(request, options: options)
            .checkingStatus(errorBodyLimit: configuration.errorBodyLimit)
        try await response.body.save(to: file, upTo: limit)
        return response
    }
}

extension CallOptions {
    /// A big file takes as long as it takes; what stands still is ended by the idle limit.
    fileprivate func withoutAttemptLimit(_ configuration: HTTPClient.Configuration) -> CallOptions {
        guard timeouts == nil else { return self }
        var options = self
        var timeouts = configuration.timeouts
        timeouts.attempt = nil
        options.timeouts = timeouts
        return options
    }
}
