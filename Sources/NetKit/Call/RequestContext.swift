/// The context of a request on its way through the pipeline: the call it belongs to, and the current exchange.
public struct RequestContext: Sendable {
    /// The logical call.
    public let call: Call
    /// The current exchange.
    public var attempt: Attempt { begun ?? call.noAttempt }
    private let begun: Attempt?
    /// The part of the call with which the task that runs the current code ends.
    let taskScope: TaskScope

    /// The part of a call with which a task ends: the task is cancelled, and abandoned if necessary.
    enum TaskScope: Sendable {
        /// The task belongs to the caller, and does not end with the call.
        case none
        /// The task ends with the call.
        case call
        /// The task ends with the attempt, or with the call.
        case attempt
    }

    /// Creates the context of a call before its first exchange.
    init(call: Call, taskScope: TaskScope = .call) {
        self.call = call
        self.taskScope = taskScope
        begun = nil
    }

    /// Creates the context for code that runs in another task.
    init(_ context: RequestContext, taskScope: TaskScope) {
        call = context.call
        begun = context.begun
        self.taskScope = taskScope
    }

    /// Creates the context of an exchange that begins.
    init(_ context: RequestContext, attempt: Attempt) {
        call = context.call
        // A task that was created for an earlier attempt is over.
        taskScope = context.taskScope == .none ? .none : .call
        begun = attempt
    }

    /// The identifier of the call.
    public var id: CallID { call.id }
    /// The clock of the client.
    public var clock: NetKitClock { call.clock }
    /// The source of randomness.
    public var random: RandomSource { call.random }
    /// The way in which the body is delivered.
    public var delivery: Delivery { call.delivery }
    /// The time limits.
    public var timeouts: Timeouts { call.timeouts }
    /// The time at which the whole call has to be over; `nil` if there is no limit.
    public var deadline: NetKitClock.Instant? { call.deadline }
    /// The values that the caller added.
    public var tags: CallTags { call.tags }
    /// The cache policy that the call sets; `nil` if it sets none.
    public var cachePolicy: CachePolicy? { call.cachePolicy }

    /// The remaining time of the exchange; `nil` if there is no limit.
    public var timeLeft: Duration? {
        earlier(call.deadline, begun?.deadline).map { call.clock.now.duration(to: $0) }
    }

    /// The time at which the attempt's limit expires; `nil` if it has none, or if the call's deadline comes first.
    var attemptEnd: NetKitClock.Instant? {
        guard let end = begun?.deadline else { return nil }
        // If the call ends first, its own alarm ends everything; a shared call has none.
        if !call.isShared, let deadline = call.deadline, deadline <= end { return nil }
        return end
    }

    /// The time that an attempt may take.
    var attemptLimit: Duration { call.timeouts.attempt ?? .zero }

    /// Creates a context for testing an interceptor or a transport alone.
    public static func test(
        delivery: Delivery = .buffered(upTo: PayloadSettings.defaultMaxBufferedBytes),
        timeouts: Timeouts = .standard,
        clock: NetKitClock = .system,
        random: RandomSource = .system,
        addressGuard: AddressGuard? = nil,
        options: CallOptions = CallOptions()
    ) -> RequestContext {
        let start = clock.now
        let isStandard = clock.isSystem && random.isSystem && addressGuard == nil
        var request = HTTPRequest(.get, "/")
        request.headers["Idempotency-Key"] = options.idempotencyKey?.value
        let call = Call(
            request,
            options: options,
            delivery: delivery,
            timeouts: timeouts,
            deadline: (options.timeout ?? timeouts.total).map { start.advanced(by: $0) },
            settings: isStandard
                ? .standard : Call.Settings(clock: clock, random: random, addressGuard: addressGuard),
            start: start
        )
        return RequestContext(call: call)
    }
}

// MARK: - Code that may take a long time

extension RequestContext {
    /// Runs code that may take a long time, and ends it with the call.
    ///
    /// The code is cancelled when the call is cancelled, when its deadline passes, and when the attempt's time is up.
    /// If it does not end within half a second, it is abandoned and its result is dropped. A type that adopts
    /// ``CallBound`` uses this function for all code that waits for anything other than `next`.
    ///
    /// - Parameter operation: The code, which may run in a task of its own.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation, or the reason why the call ended.
    public func endingWithCall<Success: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        guard let inner = contextForSeparateTask else { return try await operation() }
        return try await AbandonableTask.run(in: inner, operation)
    }

    /// The context for code in a task that can be abandoned; `nil` if the current code already runs in one.
    var contextForSeparateTask: RequestContext? {
        let isOfAttempt = attemptEnd != nil
        guard isOfAttempt ? taskScope != .attempt : taskScope == .none else { return nil }
        return RequestContext(self, taskScope: isOfAttempt ? .attempt : .call)
    }

    /// Reads from a body inside the pipeline, and cancels the body when the call ends or the attempt's time is up.
    func readingToEnd<Success: Sendable>(
        of body: ResponseBody,
        _ read: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        guard body.buffered == nil else { return try await read() }
        return try await endingWithCall {
            try await withTaskCancellationHandler(operation: read) { body.cancel(CancellationError()) }
        }
    }
}

extension RequestContext: CustomReflectable {
    /// A mirror with the request of the call, whose secrets are masked, for `dump` and test reports.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "request": call.request, "attempt": attempt.number])
    }
}
