public import Foundation

/// One logical call, from the first interceptor to the last byte of the body, however many exchanges it takes.
public final class Call: Sendable {
    /// The identifier of the call.
    public let id: CallID
    /// The delivery of the response's body.
    public let delivery: Delivery
    /// The time limits.
    public let timeouts: Timeouts
    /// The time at which the whole call has to be over; `nil` if there is no limit.
    public var deadline: NetKitClock.Instant? {
        guard let latestDeadline else { return ownDeadline }
        return latestDeadline.instant.withLock { $0 }
    }
    /// The setting that the deadline comes from; `nil` if there is none.
    let limit: CallLimit?
    /// The idempotency key, which is the same for every attempt; `nil` if the request had none when the call began.
    public var idempotencyKey: String? { request.headers.idempotencyKey }
    /// The principal that the caller named.
    public let principal: Principal?
    /// The values that the caller added.
    public let tags: CallTags
    /// The cache policy that the call sets; `nil` if it sets none.
    public let cachePolicy: CachePolicy?
    /// The request as it was prepared when the call began.
    let request: HTTPRequest
    /// The time at which the call began.
    let start: NetKitClock.Instant
    /// The identity under which every exchange of the call is made.
    let identity: CallIdentity
    /// The calls that this one belongs to.
    let sequence: CallSequence?
    /// The recipient of the call's events; `nil` if there was no listener when the call began.
    package let reporter: CallReporter?
    /// The settings that all calls of a client share.
    let settings: Settings
    /// The end of the call from outside, and the waiters to notify of it.
    let cancellation = CallCancellation()

    private let ownDeadline: NetKitClock.Instant?
    /// The latest deadline of the calls that share the exchanges of this one; `nil` if this call has its own.
    private let latestDeadline: LatestDeadline?
    private let rawPriority: UInt8
    /// Whether the call is only the pause before an interrupted transfer continues.
    let isPause: Bool
    /// The recipient of the progress of the request's body.
    private let updates: TransferUpdates?
    private let history: Locked<AttemptHistory>

    private final class LatestDeadline: Sendable {
        let instant: Locked<NetKitClock.Instant?>

        init(_ instant: NetKitClock.Instant?) { self.instant = Locked(instant) }
    }

    /// The settings that all calls of a client share, so that no call keeps a copy of its own.
    final class Settings: Sendable {
        static let standard = Settings()

        let clock: NetKitClock
        let random: RandomSource
        let redaction: Redaction
        let addressGuard: AddressGuard?
        let json: JSONCoder
        let baseURL: URL?
        let baseOrigin: OriginMatcher?
        /// The calls in flight of the client; `nil` for a call without a client.
        let calls: CallRegistry?

        init(
            clock: NetKitClock = .system,
            random: RandomSource = .system,
            redaction: Redaction = .standard,
            addressGuard: AddressGuard? = nil,
            json: JSONCoder = .standard,
            baseURL: URL? = nil,
            calls: CallRegistry? = nil
        ) {
            self.clock = clock
            self.random = random
            self.redaction = redaction
            self.addressGuard = addressGuard
            self.json = json
            self.baseURL = baseURL
            baseOrigin = baseURL.flatMap { OriginMatcher($0) }
            self.calls = calls
        }
    }

    init(
        _ request: consuming HTTPRequest,
        options: CallOptions,
        delivery: Delivery,
        timeouts: Timeouts,
        deadline: NetKitClock.Instant? = nil,
        limit: CallLimit? = nil,
        settings: Settings,
        start: NetKitClock.Instant,
        identity: CallIdentity = CallIdentity(),
        reporter: CallReporter? = nil,
        numbers: AttemptNumbers? = nil,
        isShared: Bool = false,
        isPause: Bool = false
    ) {
        id = reporter?.facts.id ?? options.id ?? CallID()
        rawPriority = options.priority.rawValue
        principal = options.principal
        tags = options.tags
        cachePolicy = options.cachePolicy
        sequence = options.sequence
        updates = options.countsSentBytes ? options.progress : nil
        self.request = request
        self.delivery = delivery
        self.timeouts = timeouts
        ownDeadline = deadline
        latestDeadline = isShared ? LatestDeadline(deadline) : nil
        self.limit = limit
        self.settings = settings
        self.start = start
        self.identity = identity
        self.reporter = reporter
        history = Locked(AttemptHistory(numbers: numbers))
        self.isPause = isPause
    }

    /// The urgency of the call.
    public var priority: TaskPriority { TaskPriority(rawValue: rawPriority) }
    /// The clock of the client.
    public var clock: NetKitClock { settings.clock }
    /// The source of randomness.
    public var random: RandomSource { settings.random }
    /// The rules for redacting sensitive values.
    public var redaction: Redaction { settings.redaction }
    /// The guard that refuses addresses; `nil` if every address is allowed.
    public var addressGuard: AddressGuard? { settings.addressGuard }
    /// The encoding and decoding of JSON.
    public var json: JSONCoder { settings.json }
    /// The base URL of the client, if it has one.
    public var baseURL: URL? { settings.baseURL }
    /// The origin of the base URL, for comparisons.
    var baseOrigin: OriginMatcher? { settings.baseOrigin }

    /// Returns a call for an exchange that several calls share.
    ///
    /// It has the settings of this call, except the progress updates, which each call keeps for itself. Its exchanges
    /// are numbered together with those of this call. It has to be over at the deadline, until a call with a later
    /// deadline joins it.
    func shared(deadline: NetKitClock.Instant?) -> Call {
        var options = CallOptions(
            id: id,
            priority: priority,
            principal: principal,
            cachePolicy: cachePolicy,
            tags: tags
        )
        options.sequence = sequence
        return Call(
            request,
            options: options,
            delivery: delivery,
            timeouts: timeouts,
            deadline: deadline,
            settings: settings,
            start: start,
            identity: identity,
            reporter: reporter,
            numbers: history.withLock { $0.sharedNumbers() },
            isShared: true
        )
    }

    /// Whether several calls share the exchanges of this one.
    var isShared: Bool { latestDeadline != nil }

    /// Extends the deadline of a shared call to the deadline of a call that joins it.
    func extend(to deadline: NetKitClock.Instant?) {
        latestDeadline?.instant.withLock { latest in
            guard let known = latest else { return }
            latest = deadline.map { max($0, known) }
        }
    }
}

extension Call {
    /// The token sources whose refresh runs in this task.
    ///
    /// A request that a refresh makes must not wait for that refresh. It also shares no exchange with other calls,
    /// which may wait for the refresh.
    @TaskLocal static var refreshingSources: Set<ObjectIdentifier> = []
}

// MARK: - Exchanges

extension Call {
    /// The number of exchanges begun so far.
    public var attemptCount: Int {
        let (count, followed) = history.withLock { ($0.count, $0.followed) }
        return followed.reduce(count) { $0 + $1.attemptCount }
    }

    /// The number of the exchange that began last, in this call or in one that makes exchanges for it.
    var latestAttemptNumber: Int { history.withLock { $0.latestNumber } }

    /// Whether the server may have acted on the request, if the call ends now without a response.
    ///
    /// An earlier exchange counts too.
    public var outcome: NetKitError.Outcome {
        let latest = latestAttempt?.outcome ?? .notSent
        guard latest == .notSent else { return latest }
        let (hasReachedWire, followed) = history.withLock { ($0.mayHaveReachedWire, $0.followed) }
        return hasReachedWire || followed.contains { $0.outcome != .notSent } ? .unknown : .notSent
    }

    /// Returns whether the server may have acted on the request if the call ends with an error.
    ///
    /// An error knows only its own exchange, and an earlier one may have arrived.
    func outcome(after error: NetKitError) -> NetKitError.Outcome {
        error.outcome == .notSent ? outcome : error.outcome
    }

    /// The attempts that were repeated or refused so far, and the reason why retry stopped; `nil` if nothing failed.
    public var attemptLog: AttemptLog? { startedAttemptLog?.log }

    /// The attempt log, with the time at which its first attempt began.
    var startedAttemptLog: (start: NetKitClock.Instant, log: AttemptLog)? {
        let (own, followed) = history.withLock { (($0.logStart, $0.log), $0.followed) }
        guard !followed.isEmpty else { return own.1.map { (start: own.0, log: $0) } }
        let logs = ([own] + followed.map { call in call.history.withLock { ($0.logStart, $0.log) } })
            .compactMap { start, log in log.map { (start: start, log: $0) } }
            .orderedByNumber { $0.start.nanoseconds }
        guard let first = logs.first else { return nil }
        let log = logs.dropFirst().reduce(first.log) { $0.adding($1.log, after: first.start.duration(to: $1.start)) }
        return (first.start, log)
    }

    /// The placeholder for an exchange before the first one began.
    var noAttempt: Attempt { history.withLock { $0.placeholder(at: start) } }

    /// The exchange that began last, in this call or in a call whose exchanges it shares.
    var latestAttempt: Attempt? {
        let (own, current, followed) = history.withLock { ($0.latestOwn, $0.current, $0.followed.last) }
        return own ?? followed?.latestAttempt ?? current
    }

    /// Returns the first exchange of this call with a higher number; `nil` if it has not begun.
    func attempt(after number: Int) -> Attempt? {
        history.withLock { $0.attempt(after: number) }
    }

    /// Whether the call ends unsent at the login that it waits for, so that the offline interceptor decides again.
    var endsAtLogin: Bool {
        get { history.withLock { $0.endsAtLogin } }
        set { history.withLock { $0.endsAtLogin = newValue } }
    }

    /// Counts the exchanges of another call, which this call shares, as exchanges of this call.
    func follow(_ other: Call) {
        history.withLock { $0.follow(other) }
    }

    /// Begins the next exchange.
    func beginAttempt(
        at start: NetKitClock.Instant? = nil,
        deadline: NetKitClock.Instant?,
        url: URL? = nil,
        sendsBody: Bool = true
    ) -> Attempt {
        let now = start ?? clock.now
        let (attempt, isAlone) = history.withLock { $0.begin(at: now, deadline: deadline, url: url, updates: updates) }
        // While several attempts run at once, the progress of the most advanced one is reported.
        // After a redirect that drops the body, the progress stays as it is.
        if isAlone, sendsBody || request.body == nil {
            updates?.begin(total: request.body.map { $0.length } ?? 0, clock: clock)
        }
        return attempt
    }

    /// Adds an attempt that is over to the log, with the reason if it is the last one.
    func note(_ attempt: AttemptRecord, start: NetKitClock.Instant, stop: RetryStop? = nil) {
        let noted = history.withLock { $0.add(attempt, start: start, stop: stop) }
        if let reporter, stop != .answered {
            reporter.report(.retry, at: clock.now) { $0.describe(noted, stop: stop) }
        }
    }

    /// Adds to the log the reason why there is no further attempt.
    func note(_ stop: RetryStop) {
        history.withLock { $0.add(stop) }
        reporter?.report(.retry, at: clock.now) { $0.detail = stop.description }
    }
}

extension Call: CustomReflectable {
    /// A mirror with the request, whose secrets are masked, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "request": request]) }
}
