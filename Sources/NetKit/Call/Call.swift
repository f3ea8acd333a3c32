public import Foundation

/// One logical call: what stays the same from the first interceptor to the last byte, however many exchanges it takes.
public final class Call: Sendable {
    /// The call's name.
    public let id: CallID
    /// How the body is delivered.
    public let delivery: Delivery
    /// The limits in time.
    public let timeouts: Timeouts
    /// When the whole call has to be over, if ever.
    public let deadline: NetKitClock.Instant?
    /// The clock everything in this call goes by.
    public var clock: NetKitClock { settings.clock }
    /// Where randomness comes from.
    public var random: RandomSource { settings.random }
    /// How urgent the call is.
    public var priority: TaskPriority { TaskPriority(rawValue: rawPriority) }
    private let rawPriority: UInt8
    /// The idempotency key, the same for every attempt.
    public let idempotencyKey: String?
    /// Who the call is made for.
    public let principal: Principal?
    /// The identity under which every exchange of the call is made.
    let identity: CallIdentity
    /// Values of the caller's.
    public let tags: CallTags
    /// What is secret.
    public var redaction: Redaction { settings.redaction }
    /// What refuses addresses, if anything does.
    public var addressGuard: AddressGuard? { settings.addressGuard }
    /// What the call's events go through; nil where nobody listened when it began.
    package let reporter: CallReporter?

    /// How values become JSON and back.
    public var json: JSONCoder { settings.json }
    /// The base URL of the client, if it has one.
    public var baseURL: URL? { settings.baseURL }
    /// Tells whether a URL is of the base URL's origin; made once for the client.
    var baseOrigin: OriginMatcher? { settings.baseOrigin }
    let settings: CallSettings

    /// Whether a cache may answer, where the call says so.
    public let cachePolicy: CachePolicy?

    /// Who is told how much of the request's body was sent, and how much there is.
    private let updates: TransferUpdates?
    private let uploadLength: Int64?

    /// Ends what the call waits for.
    let cancellation = CallCancellation()

    private let exchanges = Locked(Exchanges())

    private struct Exchanges {
        var count = 0
        /// What stands in place of an exchange before the first.
        var none: Attempt?
        var current: Attempt?
        /// Whether an earlier exchange may have reached the server.
        var reachedWire = false
        /// Earlier exchanges that had sent nothing yet when the next one began: raced, they still may.
        var unsent: [Attempt] = []
        /// Calls whose exchanges this one shares instead of making its own.
        var followed: [Call] = []
        var attemptLog: AttemptLog?
        /// When the first attempt began that is in the log.
        var attemptsBegan = NetKitClock.Instant.distantFuture

        /// The log, and when its first attempt began.
        var datedLog: (began: NetKitClock.Instant, log: AttemptLog)? { attemptLog.map { (attemptsBegan, $0) } }

        var mayHaveReachedWire: Bool { reachedWire || unsent.contains { $0.outcome != .notSent } }
    }

    /// Makes a call.
    init(
        options: CallOptions,
        delivery: Delivery,
        timeouts: Timeouts,
        deadline: NetKitClock.Instant?,
        idempotencyKey: String?,
        settings: CallSettings,
        identity: CallIdentity = CallIdentity(),
        uploadLength: Int64? = nil,
        reporter: CallReporter? = nil
    ) {
        id = options.id
        rawPriority = options.priority.rawValue
        principal = options.principal
        tags = options.tags
        self.identity = identity
        self.delivery = delivery
        self.timeouts = timeouts
        self.deadline = deadline
        self.idempotencyKey = idempotencyKey
        self.settings = settings
        cachePolicy = options.cachePolicy
        updates = options.countsSentBytes ? options.progress : nil
        self.uploadLength = uploadLength
        self.reporter = reporter
    }

    /// How many exchanges were begun so far.
    public var attemptCount: Int {
        let (count, followed) = exchanges.withLock { ($0.count, $0.followed) }
        return followed.reduce(count) { $0 + $1.attemptCount }
    }

    /// What can be said about the whole call when it ends now without an answer: an earlier exchange counts too.
    public var outcome: NetKitError.Outcome {
        let (current, reachedWire, followed) = exchanges.withLock { ($0.current, $0.mayHaveReachedWire, $0.followed) }
        let latest = followed.last?.outcome ?? current?.outcome ?? .notSent
        guard latest == .notSent else { return latest }
        let earlier = followed.dropLast().contains { $0.outcome != .notSent }
        let own = followed.isEmpty ? false : current.map { $0.outcome != .notSent } ?? false
        return reachedWire || earlier || own ? .unknown : .notSent
    }

    /// What a context has for an exchange before there is one; most calls are never asked.
    var noAttempt: Attempt {
        exchanges.withLock { exchanges in
            let attempt = exchanges.none ?? Attempt(number: 0, deadline: deadline)
            exchanges.none = attempt
            return attempt
        }
    }

    /// The exchange that began last, of this call or of one that it shares.
    var latestAttempt: Attempt? {
        let (current, followed) = exchanges.withLock { ($0.current, $0.followed) }
        return followed.last?.latestAttempt ?? current
    }

    /// Counts the exchanges of another call as this one's own: it shares them.
    func follow(_ other: Call) {
        exchanges.withLock { $0.followed.append(other) }
    }

    /// Every attempt that retry made or refused to repeat so far, and why it stopped; nil where nothing failed.
    public var attemptLog: AttemptLog? {
        let (own, followed) = exchanges.withLock { ($0.datedLog, $0.followed) }
        guard !followed.isEmpty else { return own?.log }
        let logs = ([own] + followed.map { call in call.exchanges.withLock { $0.datedLog } }).compactMap(\.self)
            .sorted { $0.began < $1.began }
        guard let first = logs.first else { return nil }
        return logs.dropFirst().reduce(first.log) { $0.adding($1.log, after: first.began.duration(to: $1.began)) }
    }

    /// Writes down an attempt that is over, with its number and time in the whole call; with a reason where it is the last.
    func note(_ attempt: AttemptRecord, start: NetKitClock.Instant, stop: RetryStop? = nil) {
        let noted = exchanges.withLock { exchanges in
            let log = exchanges.attemptLog ?? AttemptLog()
            if log.count == 0 { exchanges.attemptsBegan = start }
            var attempt = attempt
            attempt.number = log.count + 1
            attempt.startedAfter = exchanges.attemptsBegan.duration(to: start)
            exchanges.attemptLog = log.adding(attempt, stop: stop)
            if stop == nil { exchanges.current?.noteOver() }
            return attempt
        }
        if let reporter, stop != .answered {
            reporter.report(.retry, at: clock.now) { $0.tell(noted, stop: stop) }
        }
    }

    /// Writes down why there is no further attempt.
    func note(_ stop: RetryStop) {
        exchanges.withLock { $0.attemptLog = $0.attemptLog?.stopped(stop) }
        reporter?.report(.retry, at: clock.now) { $0.detail = stop.description }
    }

    func beginAttempt(deadline: NetKitClock.Instant?) -> Attempt {
        updates?.begin(total: uploadLength, clock: clock)
        return exchanges.withLock { exchanges in
            if let current = exchanges.current {
                if current.outcome == .notSent {
                    exchanges.unsent.append(current)
                } else {
                    exchanges.reachedWire = true
                }
            }
            exchanges.count += 1
            let attempt = Attempt(number: exchanges.count, deadline: deadline, updates: updates)
            exchanges.current = attempt
            return attempt
        }
    }
}
