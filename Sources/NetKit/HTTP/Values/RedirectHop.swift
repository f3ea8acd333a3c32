public import Foundation

/// One redirect that was followed.
public struct RedirectHop: Sendable, Hashable {
    /// The status of the redirecting response.
    public let status: HTTPStatus
    /// The URL that responded with it.
    public let from: URL
    /// The URL it pointed to.
    public let to: URL

    /// Creates a hop.
    public init(status: HTTPStatus, from: URL, to: URL) {
        self.status = status
        self.from = from
        self.to = to
    }
}

extension RedirectHop {
    /// Returns the method of the request that follows the redirect of a request (RFC 9110, section 15.4).
    static func method(after method: HTTPMethod, status: HTTPStatus) -> HTTPMethod {
        switch status.code {
        case 301, 302: method == .post ? .get : method
        case 303: method == .head ? .head : .get
        default: method
        }
    }

    /// Returns the redirect with which a request that changes something left its origin without being repeated there;
    /// `nil` if there is none.
    ///
    /// Such a redirect often leads to a login page, whose response says nothing about the request. 301, 307 and 308
    /// repeat a request, unless it is a POST with 301. A captive portal often responds with 302, which therefore counts
    /// as a departure even if the request is repeated. A 303 of the request itself that stays within the origin says
    /// that the request was processed, and later redirects do not matter.
    static func departure(of method: HTTPMethod, in history: [RedirectHop]) -> RedirectHop? {
        guard !method.isSafe else { return nil }
        var current = method
        for hop in history {
            let next = self.method(after: current, status: hop.status)
            if Origin(hop.from) != Origin(hop.to) {
                if next != method || hop.status.code == 302 { return hop }
            } else if hop.status.code == 303, current == method {
                return nil
            }
            current = next
        }
        return nil
    }
}
