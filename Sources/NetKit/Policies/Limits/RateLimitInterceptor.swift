/// Limits the number of requests in a period of time.
///
/// ```swift
/// RateLimitInterceptor(permits: 50, per: .seconds(1))
/// RateLimitInterceptor(permits: 600, per: .seconds(60), burst: 10, maxWait: .zero)      // fails instead of waiting
/// ```
/// A bucket of `burst` permits fills at a steady rate, and each request takes one permit. A call without a permit
/// waits, up to a bound. Waiting calls are sorted by `CallOptions.priority`, then by arrival, and a call rises while it
/// waits, as with ``ConcurrencyLimitInterceptor``. A call that would wait longer than the bound or its deadline fails
/// immediately with `.rateLimited`, which says when there would have been a permit. A call that more urgent calls have
/// overtaken fails in the same way after the bound. List a ``ConcurrencyLimitInterceptor`` before this limit: calls
/// that wait for it after this limit could be sent later, many at once.
///
/// Several processes keep one limit together if they share a store:
///
/// ```swift
/// RateLimitInterceptor(permits: 100, per: .seconds(1), shared: database.rate("crm"))
/// ```
/// Each process takes permits in blocks, with about ten operations in a second at any rate. Permits that are not used
/// within a tenth of a second expire. All processes together send at most `burst` requests plus the number that the
/// rate allows. If the store takes longer than a tenth of a second to answer, requests may be sent that much later than
/// the store counted them. While the store does not answer, each process sends its fair share: the limit divided by the
/// number of processes that the store last knew, and at least one request in a period. ``storeProblem``, an event and a
/// warning report it.
public final class RateLimitInterceptor: InspectableInterceptor, CallBound, EventSource {
    /// The number of requests that may be sent in a period.
    public let permits: Int
    /// The period.
    public let period: Duration
    /// The number of requests that may be sent at once after a quiet time.
    public let burst: Int
    /// The maximum time that a call waits.
    public let maxWait: Duration
    /// Whether the limit holds for each server or for all calls together.
    public let scope: LimitScope
    /// The waiting time that offsets one step of priority.
    public let headStart: Duration

    /// The gate for calls that have no gate of their server.
    private let commonGate: RateGate
    private let gates: Locked<Gates>
    private let notes: [String]
    private let store: SharedRateStore?

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - permits: The number of requests that may be sent in a period, from 1 to 1,000,000,000.
    ///   - period: The period, from 1 ms to 1 day.
    ///   - burst: The number of requests that may be sent at once after a quiet time. The default is `permits`.
    ///   - maxWait: The maximum time that a call waits. With zero, a call without a permit fails immediately.
    ///   - scope: Whether the limit holds for each server or for all calls together.
    ///   - headStart: The waiting time that offsets one step of priority, such as from `.medium` to `.high`.
    ///   - store: A store that keeps the limit for several processes. With a store, the burst is at least the permits
    ///     of a quarter of a second.
    public init(
        permits: Int,
        per period: Duration,
        burst: Int? = nil,
        maxWait: Duration = .seconds(10),
        scope: LimitScope = .perHost(),
        headStart: Duration = .seconds(1),
        shared store: (any SharedRate)? = nil
    ) {
        var check = SettingCheck()
        let day = Duration.seconds(86_400)
        self.permits = check.count("permits", permits, in: 1...1_000_000_000)
        self.period = check.duration("per", period, in: .milliseconds(1)...day)
        let least = store == nil ? 1 : SharedPermits.Rules.minBurst(permits: self.permits, per: self.period)
        self.burst = check.count("burst", burst ?? max(least, self.permits), in: least...1_000_000_000)
        self.maxWait = check.duration("maxWait", maxWait, in: .zero...day)
        self.scope = scope
        self.headStart = check.duration("headStart", headStart, in: .zero...day)
        let bucket = RateBucket(permits: self.permits, per: self.period, burst: self.burst)
        let rules = SharedPermits.Rules(permits: self.permits, per: self.period, burst: self.burst)
        self.store = store.map { SharedRateStore($0, rules) }
        commonGate = RateGate(bucket, headStart: self.headStart, shared: self.store?.supply(for: nil))
        let hosts = scope.hosts.map { check.count("scope.perHost(upTo:)", $0, in: 1...1_000_000) }
        gates = Locked(Gates(table: RecentTable(maxCount: hosts ?? 1)))
        notes = check.notes
    }

    /// The limit stage.
    public var stage: Stage { .limit }

    /// The limit in words.
    public var summary: String {
        let place = scope.hosts == nil ? "in total" : "per server"
        let wait = maxWait > .zero ? "waits up to \(maxWait.shortText)" : "does not wait"
        let sharing = store == nil ? "" : ", shared with other processes"
        return "rate limit: \(permits) per \(period.shortText) \(place), bursts of \(burst), \(wait)\(sharing)"
    }

    /// The error of the shared store, while it does not answer and each process sends its fair share.
    public var storeProblem: NetKitError? { store?.problem }

    /// The servers to which calls are refused: none.
    var troubledServers: [Origin: String] { [:] }

    /// Reports the loss of the shared store, and its return.
    func report(to hub: EventHub) { store?.report(to: hub) }

    /// Returns warnings about settings out of range, a shared store that does not answer, a wait that is longer than
    /// the total timeout, and a limit that is in the list twice.
    public func warnings(in client: ClientInspection) -> [String] {
        var warnings = notes.map { "rate limit: \($0)" }
        if let storeProblem {
            warnings.append(
                "rate limit: the shared store does not answer, so this process sends its fair share. "
                    + "\(storeProblem.message)"
            )
        }
        if let total = client.timeouts.total, total < maxWait {
            warnings.append(
                "rate limit: calls may wait up to \(maxWait.shortText), but timeouts.total (\(total.shortText)) ends "
                    + "them sooner. Lower maxWait."
            )
        }
        return warnings + client.warnings(ifRepeated: self, "Every exchange would take a permit each time.")
    }

    /// The number of waiting calls.
    public var waitingCount: Int {
        let serverGates = gates.withLock { gates in gates.table.keys.compactMap { gates.table[$0] } }
        return serverGates.reduce(commonGate.waitingCount) { $0 + $1.waitingCount }
    }

    /// Passes the request on when a permit is available.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        var origin: Origin?
        var gate = commonGate
        if scope.hosts != nil, let server = Origin(request.url) {
            origin = server
            gate = gates.withLock { gates in
                gates.noteEviction(for: server)
                return gates.table.withValue(of: server, default: makeGate(server, full: gates.full)) { $0 }
            }
        }
        let excess = try await gate.pass(context.call, maxWait: maxWait)
        if let excess { throw error(origin, excess) }
        return try await next(request, context)
    }

    /// The gates of the most recently called servers.
    private struct Gates: ~Copyable {
        var table: RecentTable<Origin, RateGate>
        /// The latest instant at which the bucket of a removed gate is full again.
        ///
        /// A new gate begins with this instant. Its server may have been called before, and its calls would otherwise
        /// exceed the limit.
        var full = Int64.min

        mutating func noteEviction(for server: Origin) {
            guard table.count == table.maxCount, table[server] == nil, let leaving = table.leastRecent else { return }
            full = max(full, leaving.full)
        }
    }

    private func makeGate(_ server: Origin, full: Int64) -> RateGate {
        let bucket = RateBucket(permits: permits, per: period, burst: burst, full: full)
        return RateGate(bucket, headStart: headStart, shared: store?.supply(for: server))
    }

    private func error(_ origin: Origin?, _ excess: RateGate.Excess) -> NetKitError {
        let place = origin.map { " for \($0)" } ?? ""
        let wait = excess.wait
        let others = store == nil ? "more urgent calls have" : "more urgent calls or other processes have"
        let bound =
            if excess.isOvertaken {
                "\(others) kept it waiting for \(maxWait.shortText), the longest wait allowed"
            } else if wait > maxWait {
                "a call waits at most \(maxWait.shortText)"
            } else if let rest = excess.rest {
                "the call has waited already, and waits for another \(rest.shortText) at most"
            } else {
                "the call's deadline is earlier"
            }
        return NetKitError(
            .rateLimited,
            "The rate limit of \(permits.counting("call")) per \(period.shortText)\(place) is used up. "
                + "The next permit for this call is free in \(wait.shortText), but \(bound).",
            cause: ThrottleInfo(origin: origin, retryAfter: wait)
        )
    }
}

/// Whether a limit holds for each server or for all calls together.
public struct LimitScope: Sendable, Hashable {
    /// The number of servers that are kept; `nil` if all calls share one limit.
    let hosts: Int?

    /// Returns a scope in which each server (scheme, host and port) has its own limit.
    ///
    /// A bounded number of servers is remembered. Beyond it, the least recently called one is forgotten.
    public static func perHost(upTo hosts: Int = 1024) -> LimitScope { LimitScope(hosts: hosts) }

    /// A scope in which all calls of the client share one limit.
    public static let total = LimitScope(hosts: nil)
}
