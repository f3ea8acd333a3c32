public import Foundation

/// An HTTP client that a service can leave running.
///
/// ```swift
/// let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1"))
/// let user = try await client.send(.user("42"))
/// ```
/// Every argument is optional. Calls run concurrently; only the life cycle of the client is isolated to the actor. A
/// call throws a ``NetKitError`` or `CancellationError`, and nothing else.
public actor HTTPClient: RequestSending {
    /// The URL to which the paths of requests are joined.
    public nonisolated let baseURL: URL?
    /// The default configuration for calls.
    public nonisolated let configuration: Configuration
    /// The chain that every request passes.
    public nonisolated let pipeline: Pipeline

    private nonisolated let chain: Next
    nonisolated let base: Result<BaseURL?, NetKitError>
    nonisolated let settings: Call.Settings
    nonisolated let configurationProblem: String?
    nonisolated let calls = CallRegistry()
    nonisolated let eventHub: EventHub

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - baseURL: The URL to which paths are joined. If it cannot be used, every call with a path throws an error.
    ///   - transport: The transport that carries out the exchanges. The client does not close it.
    ///   - interceptors: The interceptors that every request passes, ordered by stage and, within a stage, as listed. A
    ///     list replaces `.standard`; `.standard + [mine]` extends it.
    ///   - configuration: The limits and policies.
    public init(
        baseURL: URL? = nil,
        transport: some Transport = .platformDefault,
        interceptors: InterceptorList = .standard,
        configuration: Configuration = Configuration()
    ) {
        self.baseURL = baseURL
        base = Result { () throws(NetKitError) in try baseURL.map { url throws(NetKitError) in try BaseURL(url) } }
        var always: InterceptorList = [RedirectInterceptor(configuration.redirects)]
        // Without retry of its own, a client still retries the calls that have a policy.
        if !interceptors.interceptors.flatMap(\.parts).contains(where: { $0 is RetryInterceptor }) {
            always.interceptors.append(RetryInterceptor(.none))
        }
        pipeline = Pipeline(always + interceptors, transport: transport)
        chain = pipeline.makeChain()
        let refusing =
            configuration.addressGuard == nil
            ? nil : pipeline.actualTransport as? any AddressGuardRefusing
        configurationProblem = configuration.problem ?? refusing?.addressGuardProblem
        var configuration = configuration
        for (_, adder) in pipeline.adders { configuration.redaction.headerNames.formUnion(adder.secretHeaderNames) }
        self.configuration = configuration
        settings = Call.Settings(
            clock: configuration.clock,
            random: configuration.random,
            redaction: configuration.redaction,
            addressGuard: configuration.addressGuard,
            json: configuration.json,
            baseURL: baseURL,
            calls: calls
        )
        eventHub = EventHub(listeners: pipeline.listeners, clock: configuration.clock)
        for case let source as any EventSource in pipeline.interceptors { source.report(to: eventHub) }
    }

    /// Sends a request and returns the response, whatever its status.
    ///
    /// The body is streamed unless the options say otherwise.
    @concurrent
    public nonisolated func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        if options.endsProgress, options.progress != nil { return try await sendEndingProgress(request, options) }
        try Task.checkCancellation()
        let call = try begin(request, options: options)
        let result: Result<HTTPResponse, any Error>
        do {
            let response = try await withTaskCancellationHandler {
                if call.deadline != nil { return try await Self.sendWithDeadline(call, through: chain) }
                return try await chain(call.request, RequestContext(call: call, taskScope: .none))
            } onCancel: {
                call.stop(.cancelled)
            }
            if let limit = call.delivery.maxBufferedBytes { try response.checkBuffered(upTo: limit) }
            result = .success(response)
        } catch {
            result = .failure(error)
        }
        return try finish(call, consume result)
    }

    /// Sends the request of a call with a deadline, which calls that are made inside inherit.
    @inline(never)
    private static func sendWithDeadline(_ call: Call, through chain: Next) async throws -> HTTPResponse {
        try await InheritedDeadline.$current.withValue(InheritedDeadline.Value(call)) {
            try await chain(call.request, RequestContext(call: call, taskScope: .none))
        }
    }

    /// Sends a request, and ends the sequence of its progress.
    @inline(never)
    private nonisolated func sendEndingProgress(
        _ request: HTTPRequest,
        _ options: CallOptions
    ) async throws -> HTTPResponse {
        try await options.endingProgress(isSuccess: \HTTPResponse.status.isSuccess) { options in
            try await send(request, options: options)
        }
    }

    /// Prepares the request of a call, adds the call to those in flight, and schedules its end at the deadline.
    ///
    /// A call that is not reported has no events and no metrics.
    @inline(never)
    nonisolated func begin(
        _ request: HTTPRequest,
        options: CallOptions,
        isReported: Bool = true
    ) throws(NetKitError) -> Call {
        do throws(NetKitError) {
            if let configurationProblem { throw NetKitError(.invalidConfiguration, configurationProblem) }
            let timeouts = try timeouts(options)
            var prepared = request
            try prepared.resolve(against: base.get())
            try prepared.prepare(json: configuration.json)
            if let key = idempotencyKey(for: prepared, options: options) { prepared.headers["Idempotency-Key"] = key }
            let now = configuration.clock.now
            let (deadline, limit) = deadline(from: now, options: options, timeouts: timeouts)
            let identity = pipeline.identity(for: prepared, options: options)
            let reporter = isReported ? reporter(of: prepared, as: request, options) : nil
            let call = Call(
                consume prepared,
                options: options,
                delivery: options.delivery ?? .streamed,
                timeouts: timeouts,
                deadline: deadline,
                limit: limit,
                settings: settings,
                start: now,
                identity: identity,
                reporter: reporter
            )
            if let required = options.requiredIdentity {
                guard case .known(let identity) = pipeline.identity(of: call.request, RequestContext(call: call)),
                    options.endsAtLogin ? identity == required : identity.continues(required)
                else { throw IdentityChange.error(outcome: .notSent) }
            }
            try calls.add(call)
            call.reporter?.report(.callStarted, at: now)
            if let deadline { call.scheduleEnd(at: deadline, now: now) }
            return call
        } catch {
            throw error.attaching(requestLine: configuration.redaction.requestLine(for: request), attempts: 0)
        }
    }

    /// Returns the limits of a call, or throws if one of its own cannot be used.
    private nonisolated func timeouts(_ options: CallOptions) throws(NetKitError) -> Timeouts {
        let own = options.timeouts
        if let (name, value) = own?.problem { throw Self.unusable("timeout \(name)", value) }
        if let timeout = options.timeout, timeout <= .zero { throw Self.unusable("timeout", timeout) }
        if let own { return own }
        var timeouts = configuration.timeouts
        if !options.limitsAttempts { timeouts.attempt = nil }
        if options.isEndless { (timeouts.idle, timeouts.total) = (nil, nil) }
        return timeouts
    }

    private static func unusable(_ name: String, _ value: Duration) -> NetKitError {
        NetKitError(.invalidRequest, "The \(name) is \(value.shortText). Set one above zero, or nil for no limit.")
    }

    /// Returns the key of the call, that of the request, or a new one if the options or the configuration ask for it.
    private nonisolated func idempotencyKey(for request: HTTPRequest, options: CallOptions) -> String? {
        let wanted = options.idempotencyKey
        if let key = wanted?.value { return key }
        guard wanted != nil || configuration.idempotencyKeyMethods.contains(request.method) else { return nil }
        return request.headers.idempotencyKey ?? configuration.random.uuidText()
    }

    /// Returns the earliest deadline of a call, and the setting that it comes from.
    private nonisolated func deadline(
        from now: NetKitClock.Instant,
        options: CallOptions,
        timeouts: Timeouts
    ) -> (NetKitClock.Instant?, CallLimit?) {
        let limit = CallLimit.shortest(timeout: options.timeout, total: timeouts.total)
        let own = limit.map { InheritedDeadline.Value($0, from: now, on: configuration.clock) }
        let deadline = own?.orInherited ?? InheritedDeadline.current(at: now, on: configuration.clock)
        return (deadline?.instant, deadline?.limit)
    }

    /// Passes the result of the pipeline to the caller.
    ///
    /// A call whose body is streamed ends with its body.
    @inline(never)
    nonisolated func finish(_ call: Call, _ result: consuming Result<HTTPResponse, any Error>) throws -> HTTPResponse {
        let calls = calls
        switch consume result {
        case .failure(let error):
            let outward = call.outward(error)
            call.finish(error: outward)
            calls.remove(call)
            throw outward
        case .success(var response):
            if let body = response.body.buffered {
                let reason = call.finish(response.status, count: Int64(body.count))
                calls.remove(call)
                if let reason { throw call.error(for: reason) }
                // An interceptor may return one response for several calls, and each of them reads its own body.
                response.body.becomeUnread(body)
                // Decoding errors name this call.
                response.body.mapErrors(json: call.json) { call.outward($0) }
                return response
            }
            let (status, timings, arrival) = (response.status, response.timings, call.clock.now)
            if let reason = call.cancellation.add(WaitCancellation(response.body.weakCanceller())) {
                let stopped = call.attaching(timings, at: arrival, to: call.error(for: reason))
                // Nothing gave the body up, so its end has the reason, for those that log or record it.
                response.body.cancel(stopped)
                call.finish(status, error: stopped)
                calls.remove(call)
                throw stopped
            }
            response.body.mapErrors(json: call.json) { call.attaching(timings, at: arrival, to: call.outward($0)) }
            response.onEnd { end in
                call.finish(status, count: end.byteCount, error: end.error)
                calls.remove(call)
            }
            return response
        }
    }
}
