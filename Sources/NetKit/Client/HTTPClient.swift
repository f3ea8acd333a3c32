public import Foundation

/// An HTTP client that a service can leave running.
///
/// ```swift
/// let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1"))
/// let user = try await client.send(.user("42"))
/// ```
/// Every argument is optional. Calls run side by side; only the client's life cycle is isolated to the actor. What a call
/// throws is a `NetKitError` or `CancellationError`, nothing else.
public actor HTTPClient: RequestSending {
    /// The URL that paths are joined to.
    public nonisolated let baseURL: URL?
    /// What the client goes by where a call says nothing else.
    public nonisolated let configuration: Configuration
    /// The chain every request passes.
    public nonisolated let pipeline: Pipeline

    nonisolated let base: Result<BaseURL?, NetKitError>
    nonisolated let settings: CallSettings
    private nonisolated let configurationProblem: String?
    nonisolated let calls = CallRegistry()
    nonisolated let eventHub: EventHub

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that paths are joined to. One that cannot be used is an error of every call with a path.
    ///   - transport: What carries out the exchanges. It belongs to whoever made it; the client never closes it.
    ///   - interceptors: What every request passes, in any order. A list replaces `.standard`; `.standard + [mine]` extends it.
    ///   - configuration: Limits and policies.
    public init(
        baseURL: URL? = nil,
        transport: some Transport = .platformDefault,
        interceptors: InterceptorList = .standard,
        configuration: Configuration = Configuration()
    ) {
        self.baseURL = baseURL
        base = Result { () throws(NetKitError) in try baseURL.map { url throws(NetKitError) in try BaseURL(url) } }
        let always: InterceptorList = [RedirectInterceptor(configuration.redirects)]
        pipeline = Pipeline(always + interceptors, transport: transport)
        let refusing =
            configuration.addressGuard == nil
            ? nil : pipeline.actualTransport as? any AddressGuardRefusing
        configurationProblem = configuration.problem ?? refusing?.addressGuardProblem
        var configuration = configuration
        for (_, adder) in pipeline.adders { configuration.redaction.headerNames.formUnion(adder.secretHeaderNames) }
        self.configuration = configuration
        settings = CallSettings(
            clock: configuration.clock,
            random: configuration.random,
            redaction: configuration.redaction,
            addressGuard: configuration.addressGuard,
            json: configuration.json,
            baseURL: baseURL,
            baseOrigin: baseURL.flatMap { OriginMatcher($0) }
        )
        eventHub = EventHub(listeners: pipeline.listeners, clock: configuration.clock)
        for case let source as any EventSource in pipeline.interceptors { source.report(to: eventHub) }
    }

    /// Sends a request and gives the answer, whatever its status; the body is streamed unless the options say otherwise.
    @concurrent
    public nonisolated func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        if options.endsProgress, let progress = options.progress {
            return try await send(request, options, reportingTo: progress)
        }
        try Task.checkCancellation()
        let running = try begin(request, options: options)
        if let deadline = running.call.deadline {
            running.attach(running.call.clock.schedule(at: deadline) { running.stop(.deadline) })
        }
        let result: Result<HTTPResponse, any Error>
        do {
            let response = try await withTaskCancellationHandler {
                if running.call.deadline != nil { return try await Self.sendInheriting(running, through: pipeline) }
                return try await pipeline.send(running)
            } onCancel: {
                running.stop(.cancelled)
            }
            result = .success(response)
        } catch {
            result = .failure(error)
        }
        return try finish(running, result)
    }

    /// Whoever reads the progress has to be told when there is no more.
    private nonisolated func send(
        _ request: HTTPRequest,
        _ options: CallOptions,
        reportingTo progress: TransferUpdates
    ) async throws -> HTTPResponse {
        var options = options
        options.endsProgress = false
        do {
            let response = try await send(request, options: options)
            progress.end(isSuccess: response.status.isSuccess)
            return response
        } catch {
            progress.end(isSuccess: false)
            throw error
        }
    }

    /// Sends a call's request with its deadline as the one that calls inside inherit.
    private static func sendInheriting(
        _ running: RunningCall,
        through pipeline: Pipeline
    ) async throws -> HTTPResponse {
        let call = running.call
        let inherited = call.deadline.map { InheritedDeadline.Value(instant: $0, clock: call.clock) }
        return try await InheritedDeadline.$current.withValue(inherited ?? InheritedDeadline.current) {
            try await pipeline.send(running)
        }
    }

    /// What typed calls go by.
    public nonisolated var payloadSettings: PayloadSettings {
        var settings = configuration.payload
        (settings.clock, settings.random) = (configuration.clock, configuration.random)
        settings.baseURL = baseURL
        return settings
    }

    /// The calls in flight, those included whose body is still being read.
    public nonisolated var activeCalls: [ActiveCall] {
        let now = configuration.clock.now
        return calls.all.map { running in
            ActiveCall(
                id: running.call.id,
                requestLine: running.call.redaction.requestLine(for: running.request),
                age: running.started.duration(to: now),
                attempts: running.call.attemptCount
            )
        }
    }

    /// How many calls are in flight.
    public nonisolated var activeCallCount: Int { calls.count }

    /// Cancels a call, wherever it is; its caller gets `CancellationError`.
    ///
    /// False where no such call is in flight.
    @discardableResult
    public nonisolated func cancel(_ id: CallID) -> Bool {
        guard let running = calls[id] else { return false }
        running.stop(.cancelled)
        return true
    }

    /// Cancels every call that is in flight; new ones may begin.
    public nonisolated func cancelAll() {
        end(calls.all, .cancelled)
    }

    /// Lets no new call begin, waits for those in flight, and ends what is left after a bound with `.closed`.
    ///
    /// The transport belongs to whoever made it and is not closed.
    ///
    /// - Parameter bound: How long calls in flight may take.
    /// - Returns: Whether every call ended by itself.
    @discardableResult
    public func shutdown(within bound: Duration = .seconds(30)) async -> Bool {
        calls.close()
        let (clock, eventHub) = (configuration.clock, eventHub)
        let drained = DrainWait()
        calls.whenIdle {
            drained.end(isDrained: true)
            eventHub.finish()
        }
        let alarm = clock.scheduleWakeUp(at: clock.now.advanced(by: bound)) { drained.end(isDrained: false) }
        let isDrained = await drained.wait()
        alarm.cancel()
        if isDrained { return true }
        end(calls.all, .closed)
        return false
    }

    /// Ends calls, none of which waits for a cancellation handler of another one.
    private nonisolated func end(_ ending: [RunningCall], _ reason: RunningCall.StopReason) {
        for running in ending { configuration.clock.runAside { running.stop(reason) } }
    }

    /// What makes no sense about the settings, a sentence each, though calls are made all the same.
    ///
    /// `explain()` shows them; a test of yours may insist that there are none.
    public nonisolated var warnings: [String] {
        pipeline.warnings(
            ClientInspection(
                interceptors: pipeline.interceptors,
                timeouts: configuration.timeouts,
                baseURL: baseURL,
                redaction: configuration.redaction
            )
        )
    }

    /// The effective chain in words: what stands where, how often it runs, and why; and what makes no sense about it.
    public nonisolated func explain() -> String {
        var lines = ["HTTPClient for \(baseURL.map { configuration.redaction.redacted($0) } ?? "absolute URLs")"]
        if let configurationProblem { lines.append("unusable: \(configurationProblem)") }
        if case .failure(let error) = base { lines.append("unusable: \(error.message)") }
        lines += warnings.map { "warning: \($0)" }
        return (lines + [pipeline.explain()]).joined(separator: "\n")
    }

    private nonisolated func begin(
        _ request: HTTPRequest,
        options: CallOptions
    ) throws(NetKitError) -> RunningCall {
        do throws(NetKitError) {
            if let configurationProblem { throw NetKitError(.invalidConfiguration, configurationProblem) }
            var timeouts = options.timeouts ?? configuration.timeouts
            if options.timeouts == nil, !options.limitsAttempts { timeouts.attempt = nil }
            if options.timeouts == nil, !options.limitsIdleTime { timeouts.idle = nil }
            if options.timeouts != nil, let (name, value) = timeouts.problem {
                throw NetKitError(
                    .invalidRequest,
                    "The timeout \(name) is \(value.shortText); give more, or nil for none."
                )
            }
            if let timeout = options.timeout, timeout <= .zero {
                throw NetKitError(.invalidRequest, "The timeout is \(timeout.shortText); give more, or nil for none.")
            }
            var prepared = request
            try prepared.resolve(against: base.get())
            try prepared.prepare(json: configuration.json)
            let key = idempotencyKey(for: prepared, options: options)
            if let key { prepared.headers["Idempotency-Key"] = key }
            let now = configuration.clock.now
            let call = Call(
                options: options,
                delivery: options.delivery ?? .streamed,
                timeouts: timeouts,
                deadline: deadline(from: now, options: options, timeouts: timeouts),
                idempotencyKey: key,
                settings: settings,
                identity: pipeline.identity(for: prepared, tags: options.tags),
                uploadLength: prepared.body.map { $0.length } ?? 0,
                reporter: reporter(of: prepared, as: request, options)
            )
            if let required = options.requiredIdentity {
                guard case .known(let identity) = pipeline.identity(of: prepared, RequestContext(call: call)),
                    identity.continues(required)
                else { throw IdentityChange.error(outcome: .notSent) }
            }
            let running = RunningCall(call: call, request: prepared, started: now, onlyConnects: options.onlyConnects)
            try calls.add(running)
            call.reporter?.report(.callStarted, at: now)
            return running
        } catch {
            throw error.attaching(requestLine: configuration.redaction.requestLine(for: request), attempts: 0)
        }
    }

    /// The call's own key, the one the request carries, or a new one where options or policy ask for it.
    private nonisolated func idempotencyKey(for request: HTTPRequest, options: CallOptions) -> String? {
        if let wanted = options.idempotencyKey { return wanted.value ?? configuration.random.uuidText() }
        guard configuration.idempotencyKeyMethods.contains(request.method) else { return nil }
        return request.headers["Idempotency-Key"] ?? configuration.random.uuidText()
    }

    private nonisolated func deadline(
        from now: NetKitClock.Instant,
        options: CallOptions,
        timeouts: Timeouts
    ) -> NetKitClock.Instant? {
        var budget = options.timeout ?? timeouts.total
        if let total = timeouts.total, let own = budget { budget = min(own, total) }
        if let inherited = InheritedDeadline.current {
            let left = inherited.clock.now.duration(to: inherited.instant)
            budget = min(budget ?? left, left)
        }
        return budget.map { now.advanced(by: $0) }
    }

    private nonisolated func finish(
        _ running: RunningCall,
        _ result: Result<HTTPResponse, any Error>
    ) throws -> HTTPResponse {
        let calls = calls
        switch result {
        case .failure(let error):
            let outward = running.outward(error)
            running.end(error: outward)
            calls.remove(running.call.id)
            throw outward
        case .success(let response):
            if let body = response.body.buffered {
                let reason = running.end(response.status, count: Int64(body.count))
                calls.remove(running.call.id)
                if let reason { throw running.error(for: reason) }
                // Whoever decodes the body reports through it, and errors name the call.
                response.body.mapErrors { running.outward($0) }
                return response
            }
            let (timings, arrival) = (response.timings, running.call.clock.now)
            if let reason = running.beginStreaming(cancel: response.body.weakCanceller()) {
                response.body.discard()
                let stopped = running.attaching(timings, at: arrival, to: running.error(for: reason))
                running.end(response.status, error: stopped)
                calls.remove(running.call.id)
                throw stopped
            }
            response.body.mapErrors { running.attaching(timings, at: arrival, to: running.outward($0)) }
            let status = response.status
            response.onEnd { end in
                running.end(status, count: end.byteCount, error: end.error)
                calls.remove(running.call.id)
            }
            return response
        }
    }
}
