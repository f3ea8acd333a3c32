public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension HTTPClient {
    /// Sends a `URLRequest` through the pipeline and returns the body and the head, as `URLSession.data(for:)` does.
    ///
    /// A response with any status is returned. The body may have up to `configuration.maxBufferedBytes` bytes. A
    /// `timeoutInterval` other than Foundation's default of 60 seconds is the idle limit of the call, as it is in
    /// Foundation.
    @concurrent
    public nonisolated func data(
        for request: URLRequest,
        options: CallOptions = CallOptions()
    ) async throws -> (Data, HTTPURLResponse) {
        let converted = try HTTPRequest(request)
        var options = options
        options.delivery = options.delivery ?? .buffered(upTo: configuration.maxBufferedBytes)
        if request.timeoutInterval != 60 {
            guard let idle = Duration(clampingSeconds: request.timeoutInterval), idle > .zero else {
                let message = "The URLRequest's timeoutInterval is \(request.timeoutInterval); give a number above 0."
                throw NetKitError(.invalidRequest, message)
            }
            var timeouts = options.timeouts ?? configuration.timeouts
            timeouts.idle = idle
            options.timeouts = timeouts
        }
        let response = try await send(converted, options: options)
        let data = try await response.body.collect(
            upTo: options.delivery?.maxBufferedBytes ?? configuration.maxBufferedBytes
        )
        return (data, try response.urlResponse(for: converted.url))
    }

    /// Gets a URL and returns the body and the head, as `URLSession.data(from:)` does.
    @concurrent
    public nonisolated func data(from url: URL) async throws -> (Data, HTTPURLResponse) {
        try await data(for: URLRequest(url: url))
    }
}
