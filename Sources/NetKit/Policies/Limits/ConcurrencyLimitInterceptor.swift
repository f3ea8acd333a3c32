/// Limits the number of exchanges that run at the same time, with each server and in total.
///
/// ```swift
/// ConcurrencyLimitInterceptor(maxPerHost: 8, maxTotal: 64)
/// ```
/// Other calls wait. They are sorted by `CallOptions.priority`, then by arrival, and a call rises while it waits, so
/// that no call waits forever. If `maxWaiting` calls are waiting, the next one fails immediately with `.queueFull`. A
/// wait that exceeds `maxWait` ends with `.timeout`. A permit is held until the body of the response has ended. A
/// cancelled call stops waiting immediately.
public final class ConcurrencyLimitInterceptor: InspectableInterceptor, CallBound {
    /// The maximum number of concurrent exchanges with one server.
    public let maxPerHost: Int
    /// The maximum number of concurrent exchanges in total.
    public let maxTotal: Int
    /// The maximum number of waiting calls.
    public let maxWaiting: Int
    /// The maximum time that a call waits.
    public let maxWait: Duration
    /// The waiting time that offsets one step of priority.
    public let headStart: Duration

    private struct State: ~Copyable {
        var permits: PermitState<Promise<Void>>
        var lastNumber = 0
    }

    private let state: Locked<State>
    private let notes: [String]

    /// Creates a limit.
    ///
    /// Values out of range are clamped, and `explain()` reports them.
    ///
    /// - Parameters:
    ///   - maxPerHost: The maximum number of concurrent exchanges with one server (scheme, host and port).
    ///   - maxTotal: The maximum number of concurrent exchanges in total.
    ///   - maxWaiting: The maximum number of waiting calls. With zero, calls beyond the limit fail immediately.
    ///   - maxWait: The maximum time that a call waits.
    ///   - headStart: The waiting time that offsets one step of priority.
    public init(
        maxPerHost: Int = 64,
        maxTotal: Int = 256,
        maxWaiting: Int = 1024,
        maxWait: Duration = .seconds(30),
        headStart: Duration = .seconds(1)
    ) {
        var check = SettingCheck()
        let day = Duration.seconds(86_400)
        self.maxPerHost = check.count("maxPerHost", maxPerHost, in: 1...1_000_000)
        self.maxTotal = check.count("maxTotal", maxTotal, in: 1...1_000_000)
        self.maxWaiting = check.count("maxWaiting", maxWaiting, in: 0...1_000_000)
        self.maxWait = check.duration("maxWait", maxWait, in: .milliseconds(1)...day)
        self.headStart = check.duration("headStart", headStart, in: .zero...day)
        let permits = PermitState<Promise<Void>>(
            maxTotal: self.maxTotal,
            maxPerHost: self.maxPerHost,
            maxWaiting: self.maxWaiting
        )
        state = Locked(State(permits: permits))
        notes = check.notes
    }

    /// The limit stage.
    public var stage: Stage { .limit }

    /// The limit in words.
    public var summary: String {
        "concurrency limit: \(maxPerHost) per server, \(maxTotal) in total, \(maxWaiting) wait up to \(maxWait.shortText)"
    }

    /// Returns warnings about settings out of range, a bound that is never reached, and a second limit.
    public func warnings(in client: ClientInspection) -> [String] {
        var warnings = notes.map { "concurrency limit: \($0)" }
        if maxPerHost > maxTotal {
            warnings.append(
                "concurrency limit: maxPerHost (\(maxPerHost)) is above maxTotal (\(maxTotal)) and is never reached. Lower it."
            )
        }
        return warnings + client.warnings(ifRepeated: Self.self, "A call would need a permit of each.")
    }

    /// The number of exchanges that hold a permit.
    public var runningCount: Int { state.withLock { $0.permits.running } }

    /// The number of waiting calls.
    public var waitingCount: Int { state.withLock { $0.permits.waiting } }

    /// Waits for a permit, and passes the request on.
    ///
    /// The permit is released when the response has ended.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard let origin = Origin(request.url) else { return try await next(request, context) }
        if !state.withLock({ $0.permits.take(origin) }) { try await waitInLine(origin, context) }
        let response: HTTPResponse
        do {
            response = try await next(request, context)
        } catch {
            giveBack(origin)
            throw error
        }
        giveBack(origin, after: response)
        return response
    }

    /// Returns the permit after the body of a response has ended.
    @inline(never)
    private func giveBack(_ origin: Origin, after response: HTTPResponse) {
        guard response.body.buffered == nil else { return giveBack(origin) }
        response.onEnd { [self] _ in giveBack(origin) }
    }

    @inline(never)
    private func giveBack(_ origin: Origin) {
        // The waits end outside the lock; each of these calls already has its permit.
        for promise in state.withLock({ $0.permits.giveBack(origin) }) { promise.resolve(.success(())) }
    }

    /// Waits for a permit.
    ///
    /// It is a separate function, so that other calls do not hold its memory.
    @inline(never)
    private func waitInLine(_ origin: Origin, _ context: RequestContext) async throws {
        let promise = Promise<Void>()
        let now = context.clock.now
        let (entry, number) = state.withLock { state in
            state.lastNumber &+= 1
            let number = state.lastNumber
            let rank = QueueRank(context.call.priority, arrival: now, number: number, headStart: headStart)
            return (state.permits.enter(origin, number: number, rank, promise), number)
        }
        switch entry {
        case .granted: return
        case .refused: throw queueFull(origin)
        case .waiting: break
        }
        let alarm = context.clock.scheduleWakeUp(at: now.advanced(by: maxWait)) { [self] in
            leave(origin, number, with: waitedTooLong(origin))
        }
        defer { alarm.cancel() }
        try await context.call.wait(for: promise) { [self] in leave(origin, number, with: $0) }
    }

    /// Removes a call from the line and ends its wait with an error, unless it has a permit already.
    private func leave(_ origin: Origin, _ number: Int, with error: any Error) {
        state.withLock { $0.permits.leave(origin, number: number) }?.resolve(.failure(error))
    }

    private func queueFull(_ origin: Origin) -> NetKitError {
        NetKitError(
            .queueFull,
            "\(maxWaiting) calls are already waiting for a permit, so the call to \(origin) was refused. "
                + "Raise `maxWaiting`, or send fewer requests.",
            cause: ThrottleInfo(origin: origin, retryAfter: nil)
        )
    }

    private func waitedTooLong(_ origin: Origin) -> NetKitError {
        NetKitError(
            .timeout,
            "No permit for \(origin) became free within \(maxWait.shortText). "
                + "At most \(maxPerHost.counting("exchange")) with a server and \(maxTotal) in total run at once. "
                + "Raise the limit, or read bodies to their end sooner.",
            timeoutPhase: .queue
        )
    }
}
