import Foundation

/// The freshness lifetime of a response, and its source (RFC 9111, section 4.2.1).
struct FreshnessLifetime: Sendable, Equatable {
    enum Source: Sendable, Equatable {
        /// `max-age` or `Expires`.
        case server
        /// The caller's TTL, because the server states no lifetime.
        case caller
        /// A guess: a tenth of the time between the last change and the response.
        case guess
        case unknown
    }

    let seconds: Double
    let source: Source

    /// The longest guess, which is a day.
    static let maxGuess = 86_400.0

    init(seconds: Double, source: Source) { (self.seconds, self.source) = (seconds, source) }

    init(
        status: HTTPStatus,
        headers: HTTPHeaders,
        control: CacheControl,
        date: Date,
        now: Date,
        ttl: Double?,
        mayGuess: Bool
    ) {
        if let maxAge = control.maxAge {
            self.init(seconds: Double(maxAge), source: .server)
        } else if headers.contains("Expires") {
            // An invalid date, or more than one, means that the response has expired.
            let expires = CacheDate.read("Expires", in: headers, now: now)
            self.init(seconds: max(0, expires?.timeIntervalSince(date) ?? 0), source: .server)
        } else if control.noCache {
            self.init(seconds: 0, source: .server)
        } else if let ttl {
            self.init(seconds: max(0, ttl), source: .caller)
        } else if mayGuess, status.allowsGuessedLifetime || control.isPublic,
            let changed = CacheDate.read("Last-Modified", in: headers, now: now)
        {
            let guess = max(0, date.timeIntervalSince(changed)) / 10
            self.init(seconds: min(Self.maxGuess, guess), source: .guess)
        } else {
            self.init(seconds: 0, source: .unknown)
        }
    }
}

extension HTTPStatus {
    /// Whether the status allows a guessed lifetime (RFC 9110, section 15.1); 206 is not stored.
    var allowsGuessedLifetime: Bool {
        switch code {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Whether the TTL of a caller applies.
    ///
    /// It does not apply to errors.
    var takesTTL: Bool { isSuccess || self == 300 || self == .movedPermanently || self == .permanentRedirect }
}
