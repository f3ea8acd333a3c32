/// Where in the pipeline an interceptor stands; the client sorts by it, outermost first.
///
/// | stage | runs once per | what stands there |
/// |---|---|---|
/// | `.observe` | call | spans, metrics, the log of the logical call |
/// | `.call` | call | your interceptors, headers |
/// | `.offline` | call | waiting for connectivity, capture into a queue |
/// | `.redirect` | hop | NetKit's own redirects |
/// | `.cache` | hop | cache policies |
/// | `.coalesce` | hop | identical requests in flight share one exchange |
/// | `.retry` | hop | retry and hedging |
/// | `.auth` | attempt | credentials and their refresh |
/// | `.breaker` | exchange | the circuit breaker |
/// | `.limit` | exchange | rate and concurrency limits |
/// | `.attempt` | exchange | your interceptors for every try, such as signing |
/// | `.wire` | exchange | spans and timing of the attempt |
public struct Stage: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The stage's name.
    public let description: String
    /// How often a stage runs for one logical call.
    let cadence: String
    /// Why the stage stands where it does, for `explain()`.
    let reason: String
    /// Where the stage stands among the others.
    let rank: Int

    private init(_ rank: Int, _ name: String, _ cadence: String, _ reason: String) {
        self.rank = rank
        description = name
        self.cadence = cadence
        self.reason = reason
    }

    /// Sees everything below as one call.
    public static let observe = Stage(10, "observe", "call", "sees everything below as one call")
    /// What you think of as the request: the default.
    public static let call = Stage(20, "call", "call", "what the caller thinks of as the request")
    /// Defers a whole call, not an attempt.
    public static let offline = Stage(30, "offline", "call", "a whole call is deferred, not an attempt")
    /// Follows redirects, each hop anew through everything below.
    public static let redirect = Stage(40, "redirect", "hop", "each hop passes cache, retry and auth anew")
    /// Answers without the network.
    public static let cache = Stage(50, "cache", "hop", "a hit needs no token and no retry")
    /// Shares one exchange between identical requests.
    public static let coalesce = Stage(60, "coalesce", "hop", "shares what the cache could not answer")
    /// Tries again; everything below runs once per attempt.
    public static let retry = Stage(70, "retry", "hop", "everything below runs once per attempt")
    /// Adds the credential.
    public static let auth = Stage(80, "auth", "attempt", "a retry carries the current credential")
    /// Fails fast while a host is failing.
    public static let breaker = Stage(90, "breaker", "exchange", "fails fast, before a permit is taken")
    /// Waits for a permit; the last gate.
    public static let limit = Stage(100, "limit", "exchange", "the last gate; the attempt's time starts behind it")
    /// Runs again for every try.
    public static let attempt = Stage(110, "attempt", "exchange", "runs again for every try, right before the wire")
    /// Spans and timing of the attempt.
    public static let wire = Stage(120, "wire", "exchange", "every start has exactly one end")

    /// Every stage, outermost first.
    public static let all: [Stage] = [
        .observe, .call, .offline, .redirect, .cache, .coalesce, .retry, .auth, .breaker, .limit, .attempt, .wire,
    ]

    /// Whether one stage stands outside another.
    public static func < (left: Stage, right: Stage) -> Bool { left.rank < right.rank }
}
