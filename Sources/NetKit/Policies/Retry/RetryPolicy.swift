/// The rules for repeating attempts: which attempts, how often, and after which delay.
///
/// ```swift
/// RetryPolicy(maxAttempts: 4, backoffStrategy: .exponential(base: .milliseconds(500)), jitter: .full)
/// RetryPolicy(maxRetries: 2, baseDelay: .milliseconds(500))
/// RetryPolicy { $0.isRetryable && $0.attempt < 3 }
/// ```
/// A request is repeated if its method is one of `retryableMethods`, if it carries an `Idempotency-Key`, or if it was
/// never sent. It is never repeated after a cancellation, after a TLS failure, after a payload that cannot be read, or
/// with a body that cannot be sent again.
public struct RetryPolicy: Sendable {
    /// The number of attempts of a request, including the first; less than 1 counts as 1.
    ///
    /// A redirect leads to another request of the same call, which has this number of attempts as well.
    public var maxAttempts: Int
    /// The delays after failed attempts, before jitter.
    public var backoffStrategy: BackoffStrategy
    /// The delays after throttling (status 429), before jitter; `nil` uses `backoffStrategy`.
    public var throttlingBackoffStrategy: BackoffStrategy?
    /// The random change of delays.
    public var jitter: Jitter
    /// The statuses that are retried.
    ///
    /// A 409 is retried as well if an earlier attempt with the same `Idempotency-Key` may have arrived and had no whole
    /// response, or 502 or 504, because the server may still be carrying it out.
    public var retryableStatusCodes: Set<Int>
    /// The failures without a response that are retried.
    public var retryableErrorCodes: Set<NetKitError.Code>
    /// The methods that may be repeated without an `Idempotency-Key`.
    public var retryableMethods: Set<HTTPMethod>
    /// The longest wait that a server may ask for (`Retry-After`, `RateLimit`, `RateLimit-Reset`).
    ///
    /// If it asks for more, there is no retry. The same applies to the `retryAfter` of an open circuit or a rate limit.
    public var maxServerDelay: Duration
    /// The time after the first attempt until which another one may begin; `nil` sets no limit.
    public var maxElapsed: Duration?
    /// A closure that makes the final decision about a retry.
    ///
    /// It is called for failures and for responses from status 400. `RetryCandidate.isRetryable` has the decision of
    /// the lists. The closure cannot allow a retry that would be unsafe.
    public var shouldRetry: (@Sendable (RetryCandidate) -> Bool)?

    /// Creates a policy.
    public init(
        maxAttempts: Int = 3,
        backoffStrategy: BackoffStrategy = .exponential(),
        throttlingBackoffStrategy: BackoffStrategy? = nil,
        jitter: Jitter = .full,
        retryableStatusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504],
        retryableErrorCodes: Set<NetKitError.Code> = [
            .timeout, .offline, .dns, .connect, .connectionLost, .invalidResponse,
        ],
        retryableMethods: Set<HTTPMethod> = [.get, .head, .options, .trace, .query, .put, .delete],
        maxServerDelay: Duration = .seconds(60),
        maxElapsed: Duration? = nil,
        shouldRetry: (@Sendable (RetryCandidate) -> Bool)? = nil
    ) {
        self.maxAttempts = maxAttempts
        self.backoffStrategy = backoffStrategy
        self.throttlingBackoffStrategy = throttlingBackoffStrategy
        self.jitter = jitter
        self.retryableStatusCodes = retryableStatusCodes
        self.retryableErrorCodes = retryableErrorCodes
        self.retryableMethods = retryableMethods
        self.maxServerDelay = maxServerDelay
        self.maxElapsed = maxElapsed
        self.shouldRetry = shouldRetry
    }

    /// Creates a policy from the number of retries.
    ///
    /// The first wait is the base, and each further wait is twice as long.
    ///
    /// Status 429 and 500 to 599 are retried, except 501 and 505, which a wait does not change.
    public init(maxRetries: Int, baseDelay: Duration = .milliseconds(500), jitter: Jitter = .full) {
        self.init(
            maxAttempts: max(0, maxRetries).addingSaturated(1),
            backoffStrategy: .exponential(base: baseDelay),
            jitter: jitter,
            retryableStatusCodes: Set(500...599).subtracting([501, 505]).union([429])
        )
    }

    /// Three attempts, exponential back-off from half a second with full jitter.
    public static let standard = RetryPolicy()

    /// One attempt.
    public static let none = RetryPolicy(maxAttempts: 1)

    /// Returns the wait after a failed attempt, counted from 1, before jitter.
    public func delay(forAttempt attempt: Int) -> Duration {
        backoffStrategy.delay(forAttempt: attempt)
    }

    /// Returns the wait after a failed attempt with its randomness, at most the cap of the strategy.
    ///
    /// `previous` is the wait before that attempt, `isThrottled` is whether the server responded with 429, and `random`
    /// is a number from 0 up to 1.
    func backOff(attempt: Int, previous: Duration?, isThrottled: Bool, random: Double) -> Duration {
        ((isThrottled ? throttlingBackoffStrategy : nil) ?? backoffStrategy)
            .delay(forAttempt: attempt, previous: previous, jitter: jitter, random: random)
    }
}

extension RetryPolicy: CustomStringConvertible {
    /// The policy in words.
    public var description: String {
        guard maxAttempts > 1 else { return "one attempt" }
        return "up to \(maxAttempts) attempts, \(backoffStrategy), \(jitter)"
    }
}

/// A failed attempt, for a policy's `shouldRetry`.
public struct RetryCandidate: Sendable {
    /// The request as it was passed on.
    public let request: HTTPRequest
    /// The number of the failed attempt, from 1.
    public let attempt: Int
    /// The status of the response, if there is one.
    public let status: HTTPStatus?
    /// The header fields of the response; empty if there is none.
    public let headers: HTTPHeaders
    /// The error; `nil` if there is a response.
    public let error: NetKitError?
    /// Whether the policy's lists name the status or the failure, or the status is 409 while the server may still be
    /// carrying out an earlier attempt.
    public let isRetryable: Bool
}

extension RetryPolicy {
    /// Returns diagnostics about the values, given a call's timeouts.
    func warnings(timeouts: Timeouts) -> [String] {
        var warnings = backoffStrategy.problems + (throttlingBackoffStrategy?.problems ?? [])
        if maxAttempts < 1 {
            warnings.append("maxAttempts is \(maxAttempts), which is out of range; 1 is used instead.")
        }
        if let problem = jitter.problem { warnings.append(problem) }
        for (name, value) in [("maxServerDelay", maxServerDelay), ("maxElapsed", maxElapsed ?? .zero)]
        where value < .zero {
            warnings.append("\(name) is \(value.shortText); it counts as none, and nothing is retried for it.")
        }
        for code in retryableErrorCodes.intersection(Self.finalErrorCodes).map(\.description).ordered() {
            warnings.append("retryableErrorCodes lists \(code), which is never retried.")
        }
        for status in retryableStatusCodes.filter({ $0 < 400 }).orderedByNumber({ Int64($0) }) {
            warnings.append("retryableStatusCodes lists \(status), which is no failure.")
        }
        return warnings + longWaits(timeouts)
    }

    private func longWaits(_ timeouts: Timeouts) -> [String] {
        guard maxAttempts > 1, timeouts.total == nil, maxElapsed == nil else { return [] }
        // A closure may be unable to compute the wait after an attempt that no call reaches.
        let longest = [backoffStrategy, throttlingBackoffStrategy ?? backoffStrategy].filter { !$0.isCustom }
            .map { maxWait(by: $0) }.reduce(maxServerDelay, max)
        guard longest > .seconds(3600) else { return [] }
        return [
            "A retry may wait for \(longest.shortText), and nothing limits the call. "
                + "Set a cap, maxElapsed or timeouts.total."
        ]
    }

    private func maxWait(by strategy: BackoffStrategy) -> Duration {
        let last = maxAttempts - 1
        return max(
            strategy.delay(forAttempt: last),
            strategy.delay(forAttempt: last, previous: nil, jitter: jitter, random: 1)
        )
    }
}
