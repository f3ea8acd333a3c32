import Foundation

/// The rules for following redirects.
///
/// 301 and 302 turn a POST into a GET, and 303 turns every method but HEAD into a GET. 307 and 308 keep the method and
/// the body. If the method changes, the body, the header fields that describe it, and conditions such as `If-Match` are
/// dropped. On a redirect to another origin (scheme, host or port), `Authorization`, `Proxy-Authorization`, `Cookie`,
/// `Host` and every header field that is secret to the client's ``Redaction`` are dropped.
public struct RedirectPolicy: Sendable, Hashable {
    /// The maximum number of redirects that a call follows.
    ///
    /// With 0, the redirecting response is returned.
    public var maxHops: Int
    /// Whether a redirect from https to http is followed.
    public var allowsDowngrade: Bool

    /// Creates a policy.
    public init(maxHops: Int = 20, allowsDowngrade: Bool = false) {
        self.maxHops = maxHops
        self.allowsDowngrade = allowsDowngrade
    }

    /// A policy that follows up to 20 redirects, and never one from https to http.
    public static let standard = RedirectPolicy()

    /// A policy that follows no redirects: the caller gets the redirecting response.
    public static let none = RedirectPolicy(maxHops: 0)

    /// The decision about a response.
    enum Decision {
        /// Return the response.
        case deliver
        /// Send this request instead.
        case follow(HTTPRequest)
        /// Throw this error.
        case refuse(NetKitError)
    }

    /// Decides about a response to a request, given the requests that led here.
    func decide(
        _ request: HTTPRequest,
        status: HTTPStatus,
        headers: HTTPHeaders,
        visited: [RedirectVisit],
        redaction: Redaction
    ) -> Decision {
        guard maxHops > 0, [301, 302, 303, 307, 308].contains(status.code) else { return .deliver }
        let locations = Set(headers.values(of: "Location"))
        guard let location = locations.first else { return .deliver }
        guard locations.count == 1 else { return refuse("The redirect names several locations.", status, headers) }
        guard let target = Self.resolve(location, against: request.url) else {
            return refuse("The redirect's Location is not a URL.", status, headers)
        }
        if let problem = RequestValidation.problem(ofURL: target) {
            return refuse("The redirect cannot be followed: \(problem)", status, headers)
        }
        let shown = redaction.redacted(target)
        if request.url.scheme?.lowercased() == "https", target.scheme?.lowercased() == "http", !allowsDowngrade {
            let hint = "Set `redirects.allowsDowngrade` to allow it."
            return refuse("The redirect leads from https to http (\(shown)). \(hint)", status, headers)
        }
        guard visited.count < maxHops else {
            let hint = "Raise `redirects.maxHops` to follow more."
            return refuse("More than \(maxHops) redirects; the last one led to \(shown). \(hint)", status, headers)
        }
        let next = follow(request, to: target, status: status, redaction: redaction)
        guard !visited.contains(RedirectVisit(next)), RedirectVisit(next) != RedirectVisit(request) else {
            return refuse("The redirects form a loop at \(shown).", status, headers)
        }
        if let body = next.body, !body.canReplay { return .deliver }
        return .follow(next)
    }

    private func follow(_ request: HTTPRequest, to target: URL, status: HTTPStatus, redaction: Redaction) -> HTTPRequest
    {
        var next = request
        next.url = target
        next.method = RedirectHop.method(after: request.method, status: status)
        if next.method != request.method {
            next.body = nil
            for name in Self.methodHeaders { next.headers.remove(name) }
        }
        if Origin(request.url) != Origin(target) {
            for name in ["Authorization", "Proxy-Authorization", "Cookie", "Host"] { next.headers.remove(name) }
            next.headers = HTTPHeaders(next.headers.fields.filter { !redaction.isSensitive(header: $0.name) })
        }
        return next
    }

    /// Resolves a location by RFC 3986, section 5, and inherits the fragment (RFC 9110, section 10.2.2).
    ///
    /// A user and a password in the location are dropped, because a server must not choose our credentials.
    static func resolve(_ location: String, against base: URL) -> URL? {
        let trimmed = location.trimmingCharacters(in: .whitespaces)
        // Foundation rejects an empty text; in the RFC it means the base itself.
        let target = trimmed.isEmpty ? base : URL(text: trimmed, relativeTo: base)
        guard !trimmed.utf8.contains(where: \.isControl),
            let resolved = target?.absoluteURL,
            var parts = URLComponents(url: resolved, resolvingAgainstBaseURL: true)
        else { return nil }
        parts.user = nil
        parts.password = nil
        if parts.percentEncodedFragment == nil {
            parts.percentEncodedFragment =
                URLComponents(url: base, resolvingAgainstBaseURL: true)?.percentEncodedFragment
        }
        return parts.url
    }

    private func refuse(_ message: String, _ status: HTTPStatus, _ headers: HTTPHeaders) -> Decision {
        let response = NetKitError.Response(status: status, headers: headers, body: Data())
        return .refuse(NetKitError(.redirect, message, outcome: .answered, response: response))
    }

    /// The fields that are removed with the method: they describe the body, or are the conditions of the change.
    ///
    /// The conditions are about the resource that the request was to change. Another resource would not fulfill them.
    private static let methodHeaders = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location", "Content-Range",
        "Content-Digest", "Repr-Digest", "Digest", "Content-MD5", "Last-Modified",
        "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
    ]
}

/// The parts of a request that identify it in the search for loops.
struct RedirectVisit: Equatable {
    let method: HTTPMethod
    let url: String

    init(_ request: HTTPRequest) {
        method = request.method
        url = request.url.absoluteString
    }
}
