public import Foundation

/// The value that a server requires with a request, and the time until which it is valid.
///
/// It can be encoded, so that `save` and `load` of a `TokenStore` keep it; on a disk it has to be kept secret.
public struct AccessToken: Sendable, Hashable, Codable {
    /// The token itself.
    public var value: String
    /// The time at which the token expires, if it is known.
    public var expiry: Date?
    /// The token with which the next one is fetched, if the server issues one.
    public var refreshToken: String?

    /// Creates a token.
    public init(_ value: String, expiry: Date? = nil, refreshToken: String? = nil) {
        self.value = value
        self.expiry = expiry
        self.refreshToken = refreshToken
    }

    /// Creates a token that is good for a time from now on, as servers say it with `expires_in`.
    public init(
        _ value: String,
        expiresIn lifetime: Duration,
        refreshToken: String? = nil,
        clock: NetKitClock = .system
    ) {
        self.init(value, expiry: clock.date.addingTimeInterval(lifetime.inSeconds), refreshToken: refreshToken)
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The token without what is secret about it.
    public var description: String {
        "AccessToken(\(Redaction.mask)\(expiry.map { ", until \(HTTPDate.format($0))" } ?? ""))"
    }

    /// The same: a debugger's or a test's output is a log, too.
    public var debugDescription: String { description }

    /// Shows no values to `dump` and to test reports.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
