public import Foundation

extension RequestSending {
    /// Sends a file, read while it is sent, and gives the response with its body in memory.
    ///
    /// The media type comes from the file's name. A status outside 200…299 is `.server`. How long the upload may take is not
    /// limited unless the options say so; one that stands still ends after `timeouts.idle`.
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

    /// Sends a form, its files read while they are sent, and gives the response with its body in memory.
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

    /// Sends a body of any kind as an upload, and gives the response with its body in memory.
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

    /// Receives into a file or a folder: written beside its place as it arrives, and renamed when it is there whole.
    ///
    /// ```swift
    /// let saved = try await client.download("/report", to: folder) { print($0.fractionCompleted ?? 0) }
    /// print(saved.url, saved.byteCount)
    /// ```
    /// In a folder the name is what the server says, made safe, else what the URL ends with; if there is such a file, the
    /// new one gets a number. A file that is named is replaced. A transfer that breaks off goes on where it was (`Range`,
    /// `If-Range`) if the server can do that; see ``DownloadRules`` for going on in a later call, and for expected size and
    /// digest. A status outside 200…299 is `.server`, and changes nothing.
    ///
    /// - Parameters:
    ///   - path: What to receive.
    ///   - destination: A file, or a folder that exists.
    ///   - headers: Header fields of the request.
    ///   - limit: How many bytes may be written at most.
    ///   - rules: What may be overwritten, what is expected, and whether it can go on later.
    ///   - options: What the call may set for itself.
    ///   - progress: Called as bytes arrive, a few times a second.
    /// - Returns: The file and the response.
    /// - Throws: `.file` where the disk refuses, `.bodyTooLarge` past the limit, `.invalidResponse` where size or digest are
    ///   not as expected, or what receiving throws.
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

/// Hands the progress of a transfer to a closure, in a task beside it: a slow closure holds up nothing.
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
        // A cancelled task stops reading before the end, and the last word is for everyone.
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

    /// The last one that was handed over.
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
