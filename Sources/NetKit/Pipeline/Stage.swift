/// The position of an interceptor in the pipeline; the client sorts by it, outermost first.
///
/// | stage | runs once per | contents |
/// |---|---|---|
/// | `.observe` | call | spans, metrics, the log of the logical call |
/// | `.call` | call | your interceptors, headers |
/// | `.offline` | call | waiting for connectivity, capture into a queue |
/// | `.redirect` | call | NetKit's own redirects |
/// | `.cache` | hop | cache policies |
/// | `.coalesce` | hop | identical requests in flight share one exchange |
/// | `.retry` | hop | retry and hedging |
/// | `.auth` | attempt | credentials and their refresh |
/// | `.breaker` | exchange | the circuit breaker |
/// | `.limit` | exchange | rate and concurrency limits |
/// | `.attempt` | exchange | your interceptors for every exchange, such as signing |
/// | `.wire` | exchange | spans and timing of the attempt |
public struct Stage: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The stage's name.
    public let description: String
    /// The unit for which the stage runs once.
    let cadence: String
    /// The reason for the position of the stage, for `explain()`.
    let reason: String
    /// The position of the stage among the others.
    let rank: Int

    private init(_ rank: Int, _ name: String, _ cadence: String, _ reason: String) {
        self.rank = rank
        description = name
        self.cadence = cadence
        self.reason = reason
    }

    /// The outermost stage, which sees everything below as one call.
    public static let observe = Stage(10, "observe", "call", "sees everything below as one call")
    /// The stage of the request as its caller sees it, which is the default.
    public static let call = Stage(20, "call", "call", "works on the request as its caller wrote it")
    /// The stage that defers a whole call, not an attempt.
    public static let offline = Stage(30, "offline", "call", "a whole call is deferred, not an attempt")
    /// The stage that follows redirects, each of which passes everything below.
    public static let redirect = Stage(40, "redirect", "call", "each hop passes cache, retry and auth again")
    /// The stage that responds without the network.
    public static let cache = Stage(50, "cache", "hop", "a hit needs no token and no retry")
    /// The stage that shares one exchange between identical requests.
    public static let coalesce = Stage(60, "coalesce", "hop", "shares what the cache could not serve")
    /// The stage that repeats attempts; everything below runs once for each.
    public static let retry = Stage(70, "retry", "hop", "everything below runs once per attempt")
    /// The stage that adds the credential.
    public static let auth = Stage(80, "auth", "attempt", "a retry carries the current credential")
    /// The stage that refuses calls to a host that is failing.
    public static let breaker = Stage(90, "breaker", "exchange", "fails fast, before a permit is taken")
    /// The stage that waits for a permit, as the last one that can refuse.
    public static let limit = Stage(100, "limit", "exchange", "the last wait; the attempt's time starts after it")
    /// The stage that runs again for each exchange.
    public static let attempt = Stage(110, "attempt", "exchange", "runs again for each exchange, right before the wire")
    /// The innermost stage, for spans and timings of an exchange.
    public static let wire = Stage(120, "wire", "exchange", "every start has exactly one end")

    /// Every stage, outermost first.
    public static let all: [Stage] = [
        .observe, .call, .offline, .redirect, .cache, .coalesce, .retry, .auth, .breaker, .limit, .attempt, .wire,
    ]

    /// Returns whether one stage is further out than another.
    public static func < (left: Stage, right: Stage) -> Bool { left.rank < right.rank }
}
