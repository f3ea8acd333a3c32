public import Foundation

extension RequestSending {
    /// Sends a file, which is read while it is sent, and returns the response with its body in memory.
    ///
    /// The media type comes from the file's name. A status outside 200…299 throws `.server`. The upload has no time
    /// limit unless the options set one, but an idle upload ends after `timeouts.idle`.
    @concurrent
    @discardableResult
    public func upload(
        _ file: URL,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = HTTPHeaders(),
        options: CallOptions = CallOptions(),
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        let body = HTTPBody.file(at: file, contentType: FileType.mediaType(ofFileNamed: file.lastPathComponent))
        return try await upload(body, to: path, method: method, headers: headers, options: options, progress: progress)
    }

    /// Sends a form, whose files are read while they are sent, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func upload(
        _ form: MultipartForm,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = HTTPHeaders(),
        options: CallOptions = CallOptions(),
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        let body = form.body(random: payloadSettings.random)
        return try await upload(body, to: path, method: method, headers: headers, options: options, progress: progress)
    }

    /// Sends a body of any kind as an upload, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func upload(
        _ body: HTTPBody,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = HTTPHeaders(),
        options: CallOptions = CallOptions(),
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> HTTPResponse {
        let settings = payloadSettings
        let request = HTTPRequest(method, path, headers: headers, body: body)
        return try await ProgressReport.run(progress, options) { options in
            var options = options
            options.limitsAttempts = false
            options.delivery = options.delivery ?? .buffered(upTo: settings.maxBufferedBytes)
            let sent = options
            return try await settings.judging { try await send(request, options: sent) }
        }
    }

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
    /// and for the expected size and digest. A status outside 200…299 throws `.server`, and changes nothing.
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
        headers: HTTPHeaders = HTTPHeaders(),
        upTo limit: Int64 = .max,
        rules: DownloadRules = DownloadRules(),
        options: CallOptions = CallOptions(),
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> DownloadedFile {
        var rules = rules
        rules.maxBytes = min(rules.maxBytes, limit)
        let given = rules
        let request = HTTPRequest(.get, path, headers: headers)
        return try await ProgressReport.run(progress, options) { options in
            var options = options
            options.limitsAttempts = false
            options.countsSentBytes = false
            options.delivery = .streamed
            var run = try DownloadRun(
                sender: self,
                request: request,
                destination: destination,
                rules: given,
                options: options
            )
            return try await run.run()
        }
    }
}

/// Passes the progress of a transfer to a closure in a separate task, so that a slow closure delays nothing.
enum ProgressReport {
    static func run<Result: Sendable>(
        _ closure: (@Sendable (TransferProgress) -> Void)?,
        _ options: CallOptions,
        _ transfer: (CallOptions) async throws -> Result
    ) async throws -> Result {
        var options = options
        options.endsProgress = false
        guard let closure else { return try await run(options, transfer) }
        let outer = options.progress
        let updates = TransferUpdates()
        options.progress = updates
        async let reported = report(updates, closure, outer)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await run(options, transfer))
        } catch {
            result = .failure(error)
        }
        // A cancelled task stops reading before the end, but the final progress is always reported.
        let (last, final) = (await reported, updates.current)
        if last != final { closure(final) }
        outer?.end(as: final)
        return try result.get()
    }

    private static func run<Result: Sendable>(
        _ options: CallOptions,
        _ transfer: (CallOptions) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await transfer(options)
            options.progress?.end(isSuccess: true)
            return result
        } catch {
            options.progress?.end(isSuccess: false)
            throw error
        }
    }

    /// Reports the updates, and returns the last one.
    private static func report(
        _ updates: TransferUpdates,
        _ closure: @Sendable (TransferProgress) -> Void,
        _ outer: TransferUpdates?
    ) async -> TransferProgress? {
        var last: TransferProgress?
        for await progress in updates {
            closure(progress)
            outer?.pass(on: progress)
            last = progress
        }
        return last
    }
}
