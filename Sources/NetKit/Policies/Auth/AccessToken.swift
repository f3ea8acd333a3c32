public import Foundation

/// The value that a server requires with a request, and the time until which it is valid.
///
/// A token can be encoded, so that the `save` and `load` closures of a `TokenStore` can keep it. Keep a stored token
/// secret.
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

    /// Creates a token from its remaining lifetime, which servers send as `expires_in`.
    public init(
        _ value: String,
        expiresIn lifetime: Duration,
        refreshToken: String? = nil,
        clock: NetKitClock = .system
    ) {
        self.init(value, expiry: clock.date.addingTimeInterval(lifetime.inSeconds), refreshToken: refreshToken)
    }

    /// Encodes the token, with an expiry from `Date.distantPast` to `Date.distantFuture`.
    ///
    /// JSON has no infinite times. An expiry that is not a number counts as unknown, as it does for a `TokenStore`.
    public func encode(to encoder: any Encoder) throws {
        let known = expiry.flatMap { $0.timeIntervalSinceReferenceDate.isNaN ? nil : $0 }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try container.encodeIfPresent(known.map { min(max($0, .distantPast), .distantFuture) }, forKey: .expiry)
        try container.encodeIfPresent(refreshToken, forKey: .refreshToken)
    }

    /// Returns the remaining lifetime, if the expiry is known.
    package func lifetime(_ clock: NetKitClock) -> Duration? {
        expiry.flatMap { Duration(clampingSeconds: $0.timeIntervalSince(clock.date)) }
    }

    func isExpired(_ clock: NetKitClock) -> Bool { lifetime(clock).map { $0 <= .zero } ?? false }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without the secret values.
    public var description: String {
        "AccessToken(\(Redaction.mask)\(expiry.map { ", until \(HTTPDate.format($0))" } ?? ""))"
    }

    /// The same as `description`, because debuggers and test reports are logs too.
    public var debugDescription: String { description }

    /// A mirror without values, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
