/// Whatever can send a request through a pipeline: `HTTPClient`, or a stand-in of yours in tests.
///
/// Typed calls, uploads and downloads are extensions of this protocol, so a stand-in has them too.
public protocol RequestSending: Sendable {
    /// What typed calls go by; a stand-in has the defaults unless it says otherwise.
    var payloadSettings: PayloadSettings { get }

    /// Sends a request and gives the answer, whatever its status.
    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse
}

extension RequestSending {
    /// The defaults.
    public var payloadSettings: PayloadSettings { PayloadSettings() }

    /// Sends a request with the usual options.
    @concurrent
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await send(request, options: CallOptions())
    }
}
