public import Foundation

extension RequestSending {
    /// Uploads a file, read while it is sent, and returns the response with its body in memory.
    ///
    /// The media type comes from the name of the file. A status outside 200…299 throws `.server`. The duration of the
    /// upload is not limited unless the options do so; an upload without progress ends after `timeouts.idle`.
    @concurrent
    @discardableResult
    public func upload(
        _ file: URL,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let body = HTTPBody.file(at: file, contentType: FileType.mediaType(ofFileNamed: file.lastPathComponent))
        return try await upload(body, to: path, method: method, headers: headers, options: options, progress: progress)
    }

    /// Uploads a file, read while it is sent, and decodes the body of the response.
    ///
    /// ```swift
    /// let receipt = try await client.upload(photo, to: "/photos", as: Receipt.self)
    /// ```
    @concurrent
    public func upload<Value: Decodable & Sendable>(
        _ file: URL,
        to path: RequestPath,
        as type: Value.Type = Value.self,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let body = HTTPBody.file(at: file, contentType: FileType.mediaType(ofFileNamed: file.lastPathComponent))
        return try await upload(body, to: path, method: method, headers: headers, options: options, progress: progress)
    }

    /// Uploads a form, its files read while they are sent, and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func upload(
        _ form: MultipartForm,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        let body = form.body(random: payloadSettings.random)
        return try await upload(body, to: path, method: method, headers: headers, options: options, progress: progress)
    }

    /// Uploads a form, its files read while they are sent, and decodes the body of the response.
    ///
    /// ```swift
    /// let receipt = try await client.upload(form, to: "/photos", as: Receipt.self)
    /// ```
    @concurrent
    public func upload<Value: Decodable & Sendable>(
        _ form: MultipartForm,
        to path: RequestPath,
        as type: Value.Type = Value.self,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        let body = form.body(random: payloadSettings.random)
        return try await upload(body, to: path, method: method, headers: headers, options: options, progress: progress)
    }

    /// Uploads a body of any kind and returns the response with its body in memory.
    @concurrent
    @discardableResult
    public func upload(
        _ body: HTTPBody,
        to path: RequestPath,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> HTTPResponse {
        try await upload(
            Endpoint(path: path, method: method, headers: headers, body: body, reader: .whole),
            options,
            progress
        )
    }

    /// Uploads a body of any kind and decodes the body of the response.
    ///
    /// ```swift
    /// let receipt = try await client.upload(.data(bytes), to: "/photos", as: Receipt.self)
    /// ```
    @concurrent
    public func upload<Value: Decodable & Sendable>(
        _ body: HTTPBody,
        to path: RequestPath,
        as type: Value.Type = Value.self,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        options: CallOptions = CallOptions(),
        progress: ProgressHandler? = nil
    ) async throws -> Value {
        try await upload(
            Endpoint(path: path, method: method, headers: headers, body: body, reader: .decoded),
            options,
            progress
        )
    }

    private func upload<Result: Sendable>(
        _ endpoint: Endpoint<Result>,
        _ options: CallOptions,
        _ progress: ProgressHandler?
    ) async throws -> Result {
        // It is needed even without a closure, to end the updates of the options: a stand-in for a client does not.
        try await ProgressReport.run(progress, options) { options in
            var options = options
            options.limitsAttempts = false
            return try await send(endpoint, options: options)
        }
    }
}
