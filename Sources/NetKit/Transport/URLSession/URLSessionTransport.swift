#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A transport over Foundation's `URLSession`: one long-lived session without cookies, credentials or cache of its own.
///
/// Redirects and challenges are left to the pipeline, times are kept by NetKit's own clock, and what is sent is what was
/// asked for. On Linux some faults of a peer end the process inside FoundationNetworking, whatever is done from outside;
/// <doc:Choosing-A-Transport> lists them.
public final class URLSessionTransport: AddressGuardRefusing {
    private let engine: SessionEngine
    private let limits: Limits

    /// Creates a transport, from a configuration of yours if you have one.
    ///
    /// Your configuration is copied. Its cookie, credential and cache storage are taken out of the copy: what they do is
    /// the pipeline's business here. Its timeouts have no effect; those of the client do.
    ///
    /// - Parameters:
    ///   - configuration: What the session is made from.
    ///   - limits: How much may pile up where `URLSession` cannot be slowed down.
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

    /// The name, for `explain()`.
    public var summary: String { "URLSessionTransport" }

    /// Carries out one exchange.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        context.attempt.noteConnecting()
        if context.call.addressGuard != nil, let problem = addressGuardProblem {
            throw NetKitError(.invalidConfiguration, problem)
        }
        let body = request.body == nil ? nil : try await bodySource(of: request)
        return try await exchange(request, body: body, context: context).run()
    }

    private func bodySource(of request: HTTPRequest) async throws -> RequestBodySource? {
        #if canImport(FoundationNetworking)
            if request.method == .get {
                let hint = "Send it with another method, or over another transport."
                throw NetKitError(.unsupported, "FoundationNetworking refuses to send a body with GET. \(hint)")
            }
        #endif
        guard let body = request.body else { return nil }
        return try await RequestBodySource.make(of: body, streamBound: limits.requestStream)
    }

    /// Apart from `send`, so that what it needs does not lie in the memory of every waiting call.
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
            SessionRequest(request, body: body, additional: engine.additionalHeaders),
            origin: origin,
            engine: engine,
            context: context,
            readAheadBound: limits.readAhead
        )
    }
}

extension URLSessionTransport {
    /// The bounds for bytes that pile up because `URLSession` cannot be slowed down.
    public struct Limits: Hashable, Sendable {
        /// The number of bytes of a streamed response that may wait for a slow reader.
        ///
        /// `URLSession` cannot be paused; past this bound the call ends as `.bodyTooLarge`.
        public var readAhead: Int
        /// The maximum length of a request's stream; it is read to its end, past 256 KiB into a temporary file, before
        /// the first byte is sent.
        public var requestStream: Int64

        /// Creates limits.
        public init(readAhead: Int = 64 << 20, requestStream: Int64 = 1 << 30) {
            self.readAhead = readAhead
            self.requestStream = requestStream
        }
    }
}
