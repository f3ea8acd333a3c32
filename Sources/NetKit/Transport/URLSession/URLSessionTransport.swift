#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A transport over Foundation's `URLSession`: one long-lived session without cookies, credentials or cache of its own.
///
/// Redirects and challenges are left to the pipeline, NetKit's own clock measures the time limits, and requests are
/// sent unchanged. On Linux, some faults of a peer crash the process inside FoundationNetworking, which cannot be
/// prevented from outside; <doc:URLSession-On-Linux> lists them.
public final class URLSessionTransport: AddressGuardRefusing {
    private let engine: SessionEngine
    private let limits: Limits

    /// Creates a transport from a session configuration.
    ///
    /// The configuration is copied. The copy has no cookie, credential or cache storage, because these are tasks of the
    /// pipeline. The timeouts of the configuration have no effect; those of the client do.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session.
    ///   - limits: The bounds for bytes that accumulate because `URLSession` cannot be slowed down.
    public init(configuration: URLSessionConfiguration = .ephemeral, limits: Limits = Limits()) {
        engine = SessionEngine(configuration: configuration)
        self.limits = limits
    }

    var addressGuardProblem: String? {
        #if canImport(FoundationNetworking)
            "An address guard needs a transport that asks it before it connects, which URLSessionTransport does not do on "
                + "this system. Use CurlTransport, or remove `addressGuard` from the configuration."
        #else
            nil
        #endif
    }

    /// The name of the transport, for `explain()`.
    public var summary: String { "URLSessionTransport" }

    /// Carries out one exchange.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        context.attempt.noteConnecting()
        if context.call.addressGuard != nil, let problem = addressGuardProblem {
            throw NetKitError(.invalidConfiguration, problem)
        }
        return try await exchange(request, body: bodySource(of: request), context: context).run()
    }

    /// Returns the source of a request's body; `nil` if the request has none.
    private func bodySource(of request: HTTPRequest) async throws -> RequestBodySource? {
        guard let body = request.body else { return nil }
        #if canImport(FoundationNetworking)
            if request.method == .get, body.length != 0 {
                let hint = "Send it with another method, or over another transport."
                throw NetKitError(.unsupported, "FoundationNetworking refuses to send a body with GET. \(hint)")
            }
        #endif
        return try await RequestBodySource.make(of: body, streamBound: limits.maxRequestStream)
    }

    /// Returns the exchange of a request.
    ///
    /// Not inlined, so that its temporaries do not lie in the memory of every waiting call.
    @inline(never)
    private func exchange(
        _ request: HTTPRequest,
        body: RequestBodySource?,
        context: RequestContext
    ) throws -> URLSessionExchange {
        guard let origin = Origin(request.url) else {
            throw NetKitError(.invalidURL, "The URL has no scheme or no host.")
        }
        return URLSessionExchange(
            SessionRequest(request: request, body: body, additional: engine.additionalHeaders),
            origin: origin,
            engine: engine,
            context: context,
            readAheadBound: limits.maxReadAhead
        )
    }
}

extension URLSessionTransport {
    /// The bounds for bytes that accumulate because `URLSession` cannot be slowed down.
    public struct Limits: Hashable, Sendable {
        /// The number of bytes of a streamed response that may wait for a slow reader.
        ///
        /// `URLSession` cannot be paused; past this bound, the call ends with `.bodyTooLarge`.
        public var maxReadAhead: Int
        /// The maximum length of a request's stream.
        ///
        /// The stream is read to its end before the first byte is sent. Past 256 KiB, it is kept in a temporary file.
        public var maxRequestStream: Int64

        /// Creates limits.
        public init(maxReadAhead: Int = 64 << 20, maxRequestStream: Int64 = 1 << 30) {
            self.maxReadAhead = maxReadAhead
            self.maxRequestStream = maxRequestStream
        }
    }
}
