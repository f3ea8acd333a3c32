/// Sends a second copy of a call that takes too long, and delivers the first good response.
///
/// ```swift
/// HedgeInterceptor(after: .fixed(.milliseconds(300)))
/// HedgeInterceptor(after: .percentile(0.95))
/// ```
/// Hedging avoids the slowest responses of a service that runs on several machines, for a little more traffic. It has a
/// budget for each server. A request is doubled only if it is idempotent or carries an `Idempotency-Key`, and can be
/// sent again. The slower copy is cancelled on the wire. An attempt that fails in time is not doubled. Use
/// `RetryInterceptor` for failures, and list it first.
public final class HedgeInterceptor: InspectableInterceptor {
    /// The time before a second attempt is sent.
    public let delay: HedgeDelay
    /// The share of calls that may have a second attempt in the long run.
    public let maxShare: Double
    /// The maximum number of consecutive second attempts.
    public let maxConsecutive: Int

    private let records: Locked<RecentTable<Origin, HedgeRecord>>
    private let badStatusCodes: Set<Int>
    private let notes: [String]

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - delay: The time before a second attempt is sent.
    ///   - maxShare: The share of calls that may have a second attempt in the long run, from 0 to 1.
    ///   - maxConsecutive: The maximum number of consecutive second attempts, from 1 to 10,000.
    ///   - badStatusCodes: The statuses that win only if the other attempt gives no better response, or if their body
    ///     is streamed and longer than 64 KiB. Every other status from 400 that refuses a change wins only if the other
    ///     attempt was refused as well, or was not sent.
    ///   - maxHosts: The maximum number of remembered servers.
    public init(
        after delay: HedgeDelay = .percentile(0.95),
        maxShare: Double = 0.05,
        maxConsecutive: Int = 10,
        badStatusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504],
        maxHosts: Int = 256
    ) {
        var check = SettingCheck()
        self.delay = delay.checked(&check)
        self.maxShare = check.number("maxShare", maxShare, in: 0...1, or: 0.05)
        self.maxConsecutive = check.count("maxConsecutive", maxConsecutive, in: 1...10_000)
        self.badStatusCodes = badStatusCodes
        records = Locked(RecentTable(maxCount: check.count("maxHosts", maxHosts, in: 1...100_000)))
        notes = check.notes
    }

    /// The retry stage, beside retry.
    public var stage: Stage { .retry }

    /// The delay and the budget in words.
    public var summary: String {
        "hedging: a second attempt after \(delay), for at most \(Int((maxShare * 100).rounded()))% of calls"
    }

    /// Returns warnings about settings out of range, a delay that is too long, and a second hedging interceptor.
    public func warnings(in client: ClientInspection) -> [String] {
        var warnings = notes.map { "hedging: \($0)" }
        if case .fixed(let delay) = delay.kind, let attempt = client.timeouts.attempt, delay >= attempt {
            warnings.append(
                "hedging: the delay (\(delay.shortText)) is not shorter than timeouts.attempt (\(attempt.shortText)), so "
                    + "there is never a second attempt. Shorten it."
            )
        }
        return warnings + client.warnings(ifRepeated: Self.self, "Both would send copies. Keep one.")
    }

    /// Passes the request on, and sends it once more if the response takes too long.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard Self.mayRepeat(request), !context.call.isReplay, let origin = Origin(request.url) else {
            return try await next(request, context)
        }
        let clock = context.clock
        let delay = records.withLock { $0.withValue(of: origin, default: makeRecord()) { $0.begin() } }
        let start = clock.now
        let response: HTTPResponse
        if let delay {
            let race = HedgeRace(
                in: context.call,
                quality: { [self] in quality(of: $0.status, for: request.method) },
                attempt: { try await next(request, context) }
            )
            response = try await race.run(after: delay, clock: clock) {
                records.withLock { $0.withExistingValue(of: origin) { $0.withdraw() } ?? false }
            } giveBack: {
                records.withLock { records in _ = records.withExistingValue(of: origin) { $0.giveBack() } }
            }
        } else {
            response = try await next(request, context)
        }
        note(response.status, from: origin, since: start, clock)
        return response
    }

    /// Notes the time until a call had its response, unless it was a bad one.
    ///
    /// It is not inlined, because the compiler would copy it for each of the waits.
    @inline(never)
    private func note(
        _ status: HTTPStatus,
        from origin: Origin,
        since start: NetKitClock.Instant,
        _ clock: NetKitClock
    ) {
        guard case .percentile = delay.kind, !badStatusCodes.contains(status.code) else { return }
        let duration = start.duration(to: clock.now)
        records.withLock { records in _ = records.withExistingValue(of: origin) { $0.note(duration) } }
    }

    private func quality(of status: HTTPStatus, for method: HTTPMethod) -> HedgeScore.Quality {
        if badStatusCodes.contains(status.code) { return .badResponse }
        return method.isSafe || status.code < 400 ? .good : .refusedChange
    }

    private func makeRecord() -> HedgeRecord {
        HedgeRecord(delay: delay, share: maxShare, reserve: maxConsecutive)
    }

    private static func mayRepeat(_ request: HTTPRequest) -> Bool {
        guard request.body?.canReplay != false else { return false }
        return request.isRepeatable
    }
}

/// The response times of one server, and the second attempts that may still be sent to it.
struct HedgeRecord: Sendable {
    private let delay: HedgeDelay
    private let share: Double
    private let reserve: Double
    private var tokens: Double
    private var latencies: LatencyHistogram?
    /// The percentile, which is computed again from time to time.
    private var threshold: Duration?
    private var sinceThreshold = 0

    /// Creates a record with a full reserve.
    init(delay: HedgeDelay, share: Double, reserve: Int) {
        self.delay = delay
        self.share = share
        self.reserve = Double(reserve)
        tokens = Double(reserve)
        if case .percentile = delay.kind { latencies = LatencyHistogram() }
    }

    /// Begins a call, and returns its delay before a second attempt; `nil` if none may be sent.
    mutating func begin() -> Duration? {
        tokens = min(reserve, tokens + share)
        guard tokens >= 1 else { return nil }
        switch delay.kind {
        case .fixed(let delay): return delay
        case .percentile(_, let least, _): return threshold.map { max($0, least) }
        }
    }

    /// Takes the token for a second attempt.
    ///
    /// Returns `false` if there is none left.
    mutating func withdraw() -> Bool {
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Returns the token of a second attempt that did not begin.
    mutating func giveBack() { tokens = min(reserve, tokens + 1) }

    /// Notes the time until a call had its response, from either attempt.
    mutating func note(_ duration: Duration) {
        guard case .percentile(let share, _, let samples) = delay.kind else { return }
        latencies?.add(duration)
        sinceThreshold += 1
        guard let latencies, latencies.count >= samples, threshold == nil || sinceThreshold >= 16 else { return }
        threshold = latencies.percentile(share)
        sinceThreshold = 0
    }
}
