import Foundation

/// The delay that a server asks for in the header of its response.
enum ServerDelay {
    /// Reads `Retry-After`, or else `RateLimit` or `RateLimit-Reset` if the limit was reached.
    ///
    /// If `Retry-After` is there several times, the longest valid delay counts. The delay is never negative. A date in
    /// the header is compared with the response's `Date`, if there is one, so that a wrong clock does not matter.
    ///
    /// - Returns: The delay; `nil` if the server names no valid one.
    static func read(status: HTTPStatus, headers: HTTPHeaders, now: Date) -> Duration? {
        let asked = headers.values(of: "Retry-After")
        if !asked.isEmpty {
            let serverTime = serverDate(headers, now) ?? now
            return asked.compactMap { retryAfter($0, serverTime: serverTime, now: now) }.max()
        }
        if let window = effectiveWindow(status, headers) { return window }
        guard status == .tooManyRequests || remaining(headers) == 0 else { return nil }
        for name in ["RateLimit-Reset", "X-RateLimit-Reset", "X-Rate-Limit-Reset"] {
            guard let value = headers[name], let number = Int64(clampingDigits: trimmed(value)) else { continue }
            // Some servers send seconds from now, others seconds or milliseconds since 1970. Neither a wait of thirty
            // years nor a time in thirty thousand years is ever meant.
            guard number >= 1_000_000_000 else { return .seconds(number) }
            let isInMilliseconds = (1_000_000_000_000..<10_000_000_000_000).contains(number)
            let end = isInMilliseconds ? Double(number) / 1000 : Double(number)
            return wait(until: end, from: serverDate(headers, now) ?? now)
        }
        return nil
    }

    private static func retryAfter(_ value: String, serverTime: Date, now: Date) -> Duration? {
        let text = trimmed(value)
        if let seconds = Int64(clampingDigits: text) { return .seconds(seconds) }
        guard let date = HTTPDate.parse(String(text), now: now) else { return nil }
        return wait(until: date.timeIntervalSince1970, from: serverTime)
    }

    /// Reads `RateLimit`, a list of policies with the requests that remain and the seconds for which they have to last:
    /// `"burst";r=0;t=5, "daily";r=80;t=3600`.
    ///
    /// The longest time of a policy without a remaining request counts. If a request was refused although all have
    /// some, the shortest time counts. A list with a malformed policy is ignored
    /// (draft-ietf-httpapi-ratelimit-headers-11, section 7).
    private static func effectiveWindow(_ status: HTTPStatus, _ headers: HTTPHeaders) -> Duration? {
        guard let list = headers["RateLimit"] else { return nil }
        var (windows, exhausted): ([Int64], [Int64]) = ([], [])
        for member in HeaderList.members(of: list) {
            // The name of the policy is read as a value, because it is in quotes.
            var reader = ParameterReader("policy=\(member)")
            guard reader.next()?.isQuoted == true else { return nil }
            var (remaining, window): (Int64?, Int64?)
            while let (name, value, isQuoted) = reader.next() {
                guard name == "r" || name == "t" else { continue }
                guard !isQuoted, value.utf8.count <= 15, let number = Int64(digits: value) else { return nil }
                if name == "r" { remaining = number } else { window = number }
            }
            guard let remaining else { return nil }
            guard let window else { continue }
            windows.append(window)
            if remaining == 0 { exhausted.append(window) }
        }
        let window = exhausted.max() ?? (status == .tooManyRequests ? windows.min() : nil)
        return window.map { .seconds($0) }
    }

    private static func serverDate(_ headers: HTTPHeaders, _ now: Date) -> Date? {
        headers["Date"].flatMap { HTTPDate.parse(String(trimmed($0)), now: now) }
    }

    private static func remaining(_ headers: HTTPHeaders) -> Int64? {
        for name in ["RateLimit-Remaining", "X-RateLimit-Remaining", "X-Rate-Limit-Remaining"] {
            if let value = headers[name], let count = Int64(clampingDigits: trimmed(value)) { return count }
        }
        return nil
    }

    private static func wait(until seconds: Double, from now: Date) -> Duration? {
        Duration(clampingSeconds: max(0, seconds - now.timeIntervalSince1970))
    }

    private static func trimmed(_ text: String) -> Substring { Substring(text.utf8.trimmingBlanks) }
}
