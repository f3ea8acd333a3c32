/// Fails calls to a server immediately while the server is failing.
///
/// ```swift
/// let breaker = CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.3))
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [breaker])
/// for await change in breaker.changes { log("\(change.to) \(change.origin?.description ?? "everything")") }
/// ```
/// Each server (scheme, host and port) has a circuit. If too many of its exchanges fail, the circuit opens, and calls
/// throw `.circuitOpen` with the time until the next probe. If the probe succeeds, the circuit closes. If it fails, the
/// circuit opens for twice as long. Calls that were cancelled, or refused before they were sent, do not count.
public final class CircuitBreakerInterceptor: InspectableInterceptor, CallBound, EventSource {
    /// The rules by which a circuit opens and closes.
    public let policy: CircuitBreakerPolicy

    private let table: Locked<CircuitTable>
    private let broadcast = Broadcast<CircuitChange>()
    private let notes: [String]

    /// Creates a breaker.
    ///
    /// - Parameters:
    ///   - policy: The rules by which a circuit opens and closes.
    ///   - maxHosts: The maximum number of remembered servers. The least recently called server is forgotten first.
    public init(_ policy: CircuitBreakerPolicy = .standard, maxHosts: Int = 1024) {
        self.policy = policy
        var check = SettingCheck()
        table = Locked(CircuitTable(policy: policy, maxHosts: check.count("maxHosts", maxHosts, in: 1...1_000_000)))
        notes = policy.notes + check.notes
    }

    /// The breaker stage.
    public var stage: Stage { .breaker }

    /// The policy in words.
    public var summary: String {
        let percent = Int((policy.failureRatio * 100).rounded())
        return "circuit breaker: opens for \(policy.breakDuration.shortText) at \(percent)% failures of at least "
            + "\(policy.minThroughput) in \(policy.window.shortText)"
    }

    /// Returns warnings about settings out of range, a window that is too short, and a second breaker.
    public func warnings(in client: ClientInspection) -> [String] {
        var warnings = notes.map { "circuit breaker: \($0)" }
        if let attempt = client.timeouts.attempt, policy.window < attempt {
            warnings.append(
                "circuit breaker: the window (\(policy.window.shortText)) is shorter than timeouts.attempt "
                    + "(\(attempt.shortText)): calls that hang end too far apart to be counted together. Lengthen the window."
            )
        }
        return warnings + client.warnings(ifRepeated: Self.self, "Both would count. Keep one.")
    }

    // MARK: - State

    /// A stream of the circuit changes from now on.
    ///
    /// A slow reader loses the oldest changes beyond 64.
    public var changes: AsyncStream<CircuitChange> { broadcast.stream() }

    /// The servers whose circuit is not closed, for a client's health.
    var troubledServers: [Origin: String] { troubled.mapValues(\.description) }

    /// Reports the changes as events of a client.
    func report(to hub: EventHub) {
        broadcast.forward { [weak hub] change in
            guard let hub else { return false }
            if let change { hub.report(.breaker, origin: change.origin, detail: change.to.description) }
            return true
        }
    }

    /// Returns the state of a server's circuit.
    public func state(of origin: Origin) -> CircuitState {
        table.withLock { $0.state(of: origin) }
    }

    /// The servers whose circuit is not closed.
    public var troubled: [Origin: CircuitState] { table.withLock { $0.troubled } }

    // MARK: - Manual control

    /// Refuses every call to a server, or to all, until `reset`.
    public func isolate(_ origin: Origin? = nil) {
        change { $0.isolate(origin) }
    }

    /// Closes the circuit of a server, or of all, and ends its isolation.
    public func reset(_ origin: Origin? = nil) {
        change { $0.reset(origin) }
    }

    // MARK: - Calls

    /// Passes the request on unless the circuit is open, and counts its result.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard let pass = try enter(request, context) else { return try await next(request, context) }
        do {
            let response = try await next(request, context)
            leave(pass, response, context)
            return response
        } catch {
            leave(pass, error, context)
            throw error
        }
    }

    /// A call that the circuit has let through.
    private struct Pass {
        let origin: Origin
        let ticket: Circuit.Ticket
        /// The number of the call's latest exchange before this one.
        let latestAttempt: Int
    }

    // The functions before and after the exchange are not inlined, so that a waiting call does not hold their memory.

    /// Asks the circuit of the request's server; returns `nil` if the URL names none.
    @inline(never)
    private func enter(_ request: HTTPRequest, _ context: RequestContext) throws -> Pass? {
        guard let origin = Origin(request.url) else { return nil }
        let now = context.clock.now
        switch change({ $0.enter(origin, now: now) }) {
        case .admitted(let ticket):
            let latestAttempt = context.deadline == nil ? 0 : context.call.latestAttemptNumber
            return Pass(origin: origin, ticket: ticket, latestAttempt: latestAttempt)
        case .refused(let state, let until, let failures, let total):
            let wait = until.map { now.duration(to: $0) }
            throw Self.error(origin, state, retryAfter: wait, failures: failures, of: total)
        }
    }

    /// Counts a response.
    ///
    /// A streamed one, whose head was a success, counts as a failure later if its body breaks off.
    @inline(never)
    private func leave(_ pass: Pass, _ response: HTTPResponse, _ context: RequestContext) {
        let clock = context.clock
        let verdict = policy.verdict(of: response.status)
        change { $0.leave(pass.origin, pass.ticket, verdict, now: clock.now) }
        guard verdict == .success, response.body.buffered == nil else { return }
        response.onEnd { [self] end in
            guard let error = end.error, policy.verdict(ofBroken: error) == .failure else { return }
            change { $0.noteLateFailure(pass.origin, pass.ticket, now: clock.now) }
        }
    }

    /// Counts an error.
    @inline(never)
    private func leave(_ pass: Pass, _ error: any Error, _ context: RequestContext) {
        let now = context.clock.now
        var end = ExchangeEnd()
        // The wait for a permit is not the server's time.
        if let deadline = context.deadline, deadline <= now,
            let attempt = context.call.attempt(after: pass.latestAttempt)
        {
            end.isPastDeadline = true
            end.wasSent = attempt.outcome != .notSent
            end.elapsed = attempt.start.duration(to: now)
        }
        let verdict = policy.verdict(of: error, end)
        change { $0.leave(pass.origin, pass.ticket, verdict, now: now) }
    }

    /// Changes the table.
    ///
    /// The circuit changes are published in order, after the lock is released.
    @discardableResult
    private func change<Result: Sendable>(_ action: (inout CircuitTable) -> Result) -> Result {
        let (result, hasChanges) = table.withLock { table in
            let result = action(&table)
            let changes = table.takeChanges()
            for change in changes { broadcast.note(change) }
            return (result, !changes.isEmpty)
        }
        if hasChanges { broadcast.publish() }
        return result
    }

    private static func error(
        _ origin: Origin,
        _ state: CircuitState,
        retryAfter: Duration?,
        failures: Int,
        of total: Int
    ) -> NetKitError {
        let reason: String
        switch (state, retryAfter) {
        case (.isolated, _):
            reason = "is isolated until `reset` is called."
        case (.halfOpen, let wait?):
            reason = "is being probed; the next probe is let through in \(wait.shortText) at the latest."
        case (_, let wait):
            let counts = total > 0 ? ", because \(failures) of \(total) exchanges failed" : ", because a probe failed"
            reason = "is open for another \((wait ?? .zero).shortText)\(counts)."
        }
        return NetKitError(
            .circuitOpen,
            "The circuit of \(origin) \(reason)",
            cause: ThrottleInfo(origin: origin, retryAfter: retryAfter)
        )
    }
}
