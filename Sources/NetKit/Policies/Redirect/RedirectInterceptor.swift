/// Follows redirects.
///
/// Every client has one, and each hop passes cache, retry and auth again.
public struct RedirectInterceptor: InspectableInterceptor, CallBound {
    /// The rules for following redirects.
    public let policy: RedirectPolicy

    /// Creates an interceptor for a policy.
    public init(_ policy: RedirectPolicy = .standard) { self.policy = policy }

    /// The redirect stage.
    public var stage: Stage { .redirect }

    /// The policy in words.
    public var summary: String {
        guard policy.maxHops > 0 else { return "redirects are not followed" }
        let downgrade = policy.allowsDowngrade ? "https to http too" : "never from https to http"
        return "redirects: up to \(policy.maxHops), \(downgrade)"
    }

    /// Returns a warning about a second redirect interceptor.
    public func warnings(in client: ClientInspection) -> [String] {
        let reason = "Every client has one; set `configuration.redirects` instead."
        return client.warnings(ifRepeated: Self.self, reason)
    }

    /// Sends the request, and follows its redirects.
    @inline(__always)
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        // Inlined into the witness of the protocol, so that waiting calls do not hold another frame for it.
        let response = try await next(request, context)
        guard response.status.isRedirection else { return response }
        return try await follow(response, to: request, context: context, next: next)
    }

    /// Follows the redirects.
    ///
    /// It is a separate function, so that waiting calls do not hold its memory.
    @inline(never)
    private func follow(
        _ first: HTTPResponse,
        to request: HTTPRequest,
        context: RequestContext,
        next: Next
    ) async throws -> HTTPResponse {
        var (request, response) = (request, first)
        var visited: [RedirectVisit] = []
        var hops: [RedirectHop] = []
        while response.status.isRedirection,
            let following = try step(from: request, response, &visited, &hops, context)
        {
            request = following
            do {
                response = try await next(request, context)
            } catch let error as NetKitError {
                throw Self.failure(error, after: hops)
            }
        }
        if !hops.isEmpty {
            response.history = hops + response.history
            // An earlier hop may have needed retries that this one did not.
            response.attemptLog = context.call.attemptLog
            if response.body.buffered == nil { Self.nameHops(hops, inErrorsOf: response.body) }
        }
        return response
    }

    /// Adds the URL to which the redirects led to the errors of a streamed body.
    @inline(never)
    private static func nameHops(_ hops: [RedirectHop], inErrorsOf body: ResponseBody) {
        body.mapErrors { error in
            // An error with a request line has been here before, or is that of another call. An error with a response,
            // such as that of its status, has the redirects of that response.
            guard let known = error as? NetKitError, known.requestLine == nil, known.response == nil else {
                return error
            }
            return known.adding(redirects: hops)
        }
    }

    /// Returns the error of a hop with the URL to which the redirects led: the request line is that of the call.
    @inline(never)
    private static func failure(_ error: NetKitError, after hops: [RedirectHop]) -> NetKitError {
        // The server of an earlier hop has responded.
        let isRefused = error.code == .addressRefused && error.outcome == .notSent
        let known = (isRefused ? error.with(outcome: .answered) : error).attaching(after: hops)
        // The error of another call, such as a refresh of the token, has its own request line.
        return error.requestLine == nil ? known.adding(redirects: hops) : known
    }

    /// Returns the request of the next hop, and notes the hop; `nil` delivers the response.
    @inline(never)
    private func step(
        from request: HTTPRequest,
        _ response: HTTPResponse,
        _ visited: inout [RedirectVisit],
        _ hops: inout [RedirectHop],
        _ context: RequestContext
    ) throws(NetKitError) -> HTTPRequest? {
        let decision = policy.decide(
            request,
            status: response.status,
            headers: response.headers,
            visited: visited,
            redaction: context.call.redaction
        )
        switch decision {
        case .deliver: return nil
        case .refuse(let error):
            response.body.discard()
            throw error
        case .follow(let following):
            response.body.discard()
            visited.append(RedirectVisit(request))
            hops.append(RedirectHop(status: response.status, from: request.url, to: following.url))
            return following
        }
    }
}
