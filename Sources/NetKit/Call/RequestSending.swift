/// A type that can send requests: ``HTTPClient``, or a stand-in of your own in tests.
///
/// Typed calls, uploads and downloads are extensions of this protocol, so that a stand-in has them too.
public protocol RequestSending: Sendable {
    /// The settings for typed calls; the default ones unless a type implements this property.
    var payloadSettings: PayloadSettings { get }

    /// Sends a request and returns the response, whatever its status.
    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse
}

extension RequestSending {
    /// The default settings.
    public var payloadSettings: PayloadSettings { PayloadSettings() }

    /// Sends a request with the default options.
    @concurrent
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await send(request, options: CallOptions())
    }
}
