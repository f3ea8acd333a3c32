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
