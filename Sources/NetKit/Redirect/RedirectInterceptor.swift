import Foundation

/// Follows redirects, for every transport and always there; each hop passes cache, retry and auth anew.
public struct RedirectInterceptor: Interceptor {
    /// Which redirects are followed.
    public let policy: RedirectPolicy

    /// Makes an interceptor for a policy.
    public init(_ policy: RedirectPolicy = .standard) {
        self.policy = policy
    }

    /// The redirect stage.
    public var stage: Stage { .redirect }

    /// The policy in words.
    public var summary: String {
        guard policy.maxHops > 0 else { return "redirects are not followed" }
        let downgrade = policy.allowsDowngrade ? "https to http too" : "never from https to http"
        return "redirects: up to \(policy.maxHops), \(downgrade)"
    }

    /// Sends the request, and what its redirects lead to.
    public func intercept(
        _ request: HTTPRequest,
        context: RequestContext,
        next: Next
    ) async throws -> HTTPResponse {
        var request = request
        var visited: [RedirectVisit] = []
        var hops: [RedirectHop] = []
        while true {
            try await Self.judge(request, isFirst: hops.isEmpty, context: context)
            var response = try await next(request, context)
            guard response.status.isRedirection else { return Self.finish(&response, hops) }
            let decision = policy.decide(
                request,
                status: response.status,
                headers: response.headers,
                visited: visited,
                redaction: context.call.redaction
            )
            switch decision {
            case .deliver:
                return Self.finish(&response, hops)
            case .refuse(let error):
                response.body.discard()
                throw error
            case .follow(let following):
                response.body.discard()
                visited.append(RedirectVisit(request))
                hops.append(RedirectHop(status: response.status, from: request.url, to: following.url))
                request = following
            }
        }
    }

    /// Asks the address guard; a hop that it refuses follows an answer, so the call's outcome is not `.notSent`.
    private static func judge(_ request: HTTPRequest, isFirst: Bool, context: RequestContext) async throws {
        guard let addressGuard = context.call.addressGuard, let host = request.url.host(percentEncoded: true) else {
            return
        }
        do {
            try await addressGuard.judge(host: host)
        } catch let error as NetKitError where !isFirst {
            throw error.with(outcome: .answered)
        }
    }

    private static func finish(_ response: inout HTTPResponse, _ hops: [RedirectHop]) -> HTTPResponse {
        if !hops.isEmpty { response.history = hops + response.history }
        return response
    }
}
