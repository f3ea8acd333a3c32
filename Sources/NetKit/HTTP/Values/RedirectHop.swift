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

    /// Returns the redirect with which a request that changes something left its origin, although it did not ask for
    /// the same request; `nil` if there is none.
    ///
    /// Such a redirect often leads to a login page, whose response says nothing about the request.
    static func departure(of method: HTTPMethod, in history: [RedirectHop]) -> RedirectHop? {
        var method = method
        for hop in history {
            if !method.isSafe, [301, 302, 303].contains(hop.status.code), Origin(hop.from) != Origin(hop.to) {
                return hop
            }
            method = self.method(after: method, status: hop.status)
        }
        return nil
    }
}
