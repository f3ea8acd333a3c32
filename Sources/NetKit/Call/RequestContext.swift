/// What travels beside a request through the pipeline: the call it belongs to and the exchange it is in.
public struct RequestContext: Sendable {
    /// The logical call.
    public let call: Call
    /// The current exchange.
    public var attempt: Attempt { begun ?? call.noAttempt }
    private let begun: Attempt?
    /// What ends with the task that the code with this context runs in.
    let reach: TaskReach

    /// What a task of its own lets end: it is cancelled, and left behind if need be.
    enum TaskReach: Sendable {
        /// Nothing: it is the task of the call's caller.
        case none
        /// The call.
        case call
        /// The attempt, and the call with it.
        case attempt
    }

    /// Creates the context of a call before its first exchange.
    init(call: Call, reach: TaskReach = .call) {
        self.call = call
        self.reach = reach
        begun = nil
    }

    init(_ context: RequestContext, reach: TaskReach) {
        call = context.call
        begun = context.begun
        self.reach = reach
    }

    init(_ context: RequestContext, attempt: Attempt) {
        call = context.call
        // A task that was made for an earlier attempt is over.
        reach = context.reach == .none ? .none : .call
        begun = attempt
    }

    /// The call's name.
    public var id: CallID { call.id }
    /// The clock everything in this call goes by.
    public var clock: NetKitClock { call.clock }
    /// Where randomness comes from.
    public var random: RandomSource { call.random }
    /// How the body is delivered.
    public var delivery: Delivery { call.delivery }
    /// The limits in time.
    public var timeouts: Timeouts { call.timeouts }
    /// When the whole call has to be over, if ever.
    public var deadline: NetKitClock.Instant? { call.deadline }
    /// Values of the caller's.
    public var tags: CallTags { call.tags }

    /// Whether a cache may answer, where the call says so.
    public var cachePolicy: CachePolicy? { call.cachePolicy }

    /// How much time the exchange has left; nil where nothing limits it.
    public var timeLeft: Duration? {
        (begun?.deadline ?? call.deadline).map { call.clock.now.duration(to: $0) }
    }

    /// When the attempt has used up its own time; nil where it has no limit, or the call's deadline comes first.
    var attemptEnd: NetKitClock.Instant? {
        guard let end = begun?.deadline else { return nil }
        if let deadline = call.deadline, deadline <= end { return nil }
        return end
    }

    /// How long an attempt may take.
    var attemptLimit: Duration { call.timeouts.attempt ?? .zero }

    /// A context for testing an interceptor or a transport alone.
    public static func test(
        delivery: Delivery = .buffered(upTo: PayloadSettings.usualBufferLimit),
        timeouts: Timeouts = .standard,
        clock: NetKitClock = .system,
        random: RandomSource = .system,
        addressGuard: AddressGuard? = nil,
        options: CallOptions = CallOptions()
    ) -> RequestContext {
        let deadline = (options.timeout ?? timeouts.total).map { clock.now.advanced(by: $0) }
        let call = Call(
            options: options,
            delivery: delivery,
            timeouts: timeouts,
            deadline: deadline,
            idempotencyKey: options.idempotencyKey?.value,
            settings: clock.isSystem && random.isSystem && addressGuard == nil
                ? .standard : CallSettings(clock: clock, random: random, addressGuard: addressGuard)
        )
        return RequestContext(call: call)
    }
}
