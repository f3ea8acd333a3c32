public import Foundation

extension RequestSending {
    /// Downloads to a file or into a folder.
    ///
    /// The file is written beside its place, and renamed when it is complete.
    ///
    /// ```swift
    /// let saved = try await client.download("/report", to: folder) { print($0.fractionCompleted ?? 0) }
    /// print(saved.url, saved.byteCount)
    /// ```
    /// In a folder, the file gets the name that the server gives, made safe, or else the last part of the URL. If there
    /// is such a file, the new one gets a number. A named file is replaced. A transfer that breaks off continues at the
    /// same byte (`Range`, `If-Range`) if the server supports that. See ``DownloadRules`` to continue in a later call,
    /// and for the expected size and digest. A status outside 200…299 throws `.server`, and changes nothing. After a
    /// logout or the login of another user, a transfer that breaks off does not continue: the download throws
    /// `.unauthorized`.
    ///
    /// - Parameters:
    ///   - path: The path to download from.
    ///   - destination: A file, or an existing folder.
    ///   - headers: The header fields of the request.
    ///   - limit: The maximum number of bytes to write.
    ///   - rules: The rules for overwriting, the expected content, and resuming.
    ///   - options: The options of the call.
    ///   - progress: A closure that is called as bytes arrive, a few times a second.
    /// - Returns: The file and the response.
    /// - Throws: `.file` if the disk refuses, `.bodyTooLarge` beyond the limit, `.invalidResponse` if the size or the
    ///   digest is not as expected, or an error of the transfer.
    @concurrent
    @discardableResult
    public func download(
        _ path: RequestPath,
        to destination: URL,
        headers: HTTPHeaders = [:],
        upTo limit: Int64 = .max,
        rules: DownloadRules = DownloadRules(),
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> DownloadedFile {
        let request = HTTPRequest(.get, path, headers: headers)
        return try await ProgressReport.run(progress, options) { options in
            var options = options
            options.limitsAttempts = false
            options.countsSentBytes = false
            options.delivery = .streamed
            let run = try DownloadRun(
                sender: self,
                request: request,
                destination: destination,
                rules: rules,
                maxBytes: limit,
                options: options
            )
            return try await run.run()
        }
    }
}
