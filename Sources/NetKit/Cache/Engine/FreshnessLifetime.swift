import Foundation

/// The freshness lifetime of a response, and its source (RFC 9111, section 4.2.1).
struct FreshnessLifetime: Sendable, Equatable {
    enum Source: Sendable, Equatable {
        /// `max-age` or `Expires`.
        case server
        /// The caller's word for a server that says nothing.
        case caller
        /// A tenth of the time since its last change.
        case guess
        case unknown
    }

    let seconds: Double
    let source: Source

    /// No guess is longer than a day.
    static let longestGuess = 86_400.0

    init(seconds: Double, source: Source) {
        (self.seconds, self.source) = (seconds, source)
    }

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
            // What is no date, or several, means that the response has expired.
            let expires = CacheDate.read("Expires", in: headers, now: now)
            self.init(seconds: max(0, expires?.timeIntervalSince(date) ?? 0), source: .server)
        } else if control.noCache {
            self.init(seconds: 0, source: .server)
        } else if let ttl {
            self.init(seconds: max(0, ttl), source: .caller)
        } else if mayGuess, status.mayBeGuessed || control.isPublic,
            let changed = CacheDate.read("Last-Modified", in: headers, now: now)
        {
            let guess = max(0, date.timeIntervalSince(changed)) / 10
            self.init(seconds: min(Self.longestGuess, guess), source: .guess)
        } else {
            self.init(seconds: 0, source: .unknown)
        }
    }
}

extension HTTPStatus {
    /// Whether the status allows a guess (RFC 9110, section 15.1); 206 is not stored.
    var mayBeGuessed: Bool {
        switch code {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// A Boolean value that indicates whether the time to live of a caller applies, which it does not to errors.
    var takesTTL: Bool { isSuccess || self == 300 || self == .movedPermanently || self == .permanentRedirect }
}

/// Dates as a cache reads them: the three forms of HTTP, in whatever case (RFC 9111, section 4.2).
enum CacheDate {
    /// The date of a field; `nil` if there is none, or more than one, or what is there is no date.
    static func read(_ name: String, in headers: HTTPHeaders, now: Date) -> Date? {
        let values = headers.values(of: name)
        guard values.count == 1, let value = values.first else { return nil }
        return parse(value, now: now)
    }

    static func parse(_ text: String, now: Date) -> Date? {
        // Longer than any form: not worth copying.
        guard text.utf8.count <= 64 else { return nil }
        return HTTPDate.parse(inUsualCase(text), now: now)
    }

    /// Names of days and months with a capital letter in front, the zone in capitals.
    private static func inUsualCase(_ text: String) -> String {
        var isInside = false
        let words = text.utf8.map { byte -> UInt8 in
            let lower = byte.lowercasedASCII
            guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower) else {
                isInside = false
                return byte
            }
            defer { isInside = true }
            return isInside ? lower : lower & 0xDF
        }
        let usual = String(decoding: words, as: UTF8.self)
        return usual.hasSuffix("Gmt") ? usual.dropLast(3) + "GMT" : usual
    }
}
