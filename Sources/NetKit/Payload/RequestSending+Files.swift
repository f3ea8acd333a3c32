public import Foundation

extension RequestSending {
    /// Sends a file, read while it is sent, and gives the answer with its body in memory.
    ///
    /// A status outside 200…299 is `.server`. How long the upload may take is not limited unless the options say so; one
    /// that stands still ends after `timeouts.idle`.
    @concurrent
    @discardableResult
    public func upload(
        _ file: URL,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = HTTPHeaders(),
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse {
        let body = HTTPBody.file(at: file, contentType: "application/octet-stream")
        let settings = payloadSettings
        var options = options
        options.limitsAttempts = false
        options.delivery = options.delivery ?? .buffered(upTo: settings.bufferLimit)
        let request = HTTPRequest(method, path, headers: headers, body: body)
        return try await send(request, options: options).checkingStatus(errorBodyLimit: settings.errorBodyLimit)
    }

    /// Receives into a file: written beside it as it arrives, and renamed over it when it is there whole.
    ///
    /// A status outside 200…299 is `.server`, and leaves the file as it was.
    ///
    /// - Returns: The answer, whose body is in the file.
    @concurrent
    @discardableResult
    public func download(
        _ path: RequestPath,
        to file: URL,
        headers: HTTPHeaders = HTTPHeaders(),
        upTo limit: Int64 = .max,
        options: CallOptions = CallOptions()
    ) async throws -> HTTPResponse {
        let settings = payloadSettings
        var options = options
        options.limitsAttempts = false
        options.delivery = .streamed
        let request = HTTPRequest(.get, path, headers: headers)
        let response = try await send(request, options: options)
            .checkingStatus(errorBodyLimit: settings.errorBodyLimit)
        do {
            try await response.body.save(to: file, upTo: limit)
        } catch {
            throw response.body.translated(error)
        }
        return response
    }
}
