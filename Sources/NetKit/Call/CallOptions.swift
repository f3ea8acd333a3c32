/// What one call may set for itself; everything else comes from the client's configuration.
public struct CallOptions: Sendable {
    /// The call's name, to cancel it by; calls that run side by side have one each.
    public var id: CallID
    /// The urgency of the call.
    ///
    /// A priority that is set here, also `.medium`, counts before the endpoint's. By default it is the endpoint's, or `.medium`.
    public var priority: TaskPriority {
        get { TaskPriority(rawValue: rawPriority ?? TaskPriority.medium.rawValue) }
        set { rawPriority = newValue.rawValue }
    }
    /// The priority as a number, or `nil` if none was set.
    ///
    /// Its size is known when the library is compiled: options are copied for each call.
    private(set) var rawPriority: UInt8?
    /// The limit for the whole call; the nearest deadline wins.
    public var timeout: Duration?
    /// The single limits, where they differ from the client's.
    public var timeouts: Timeouts?
    /// How the body is delivered; nil lets the kind of call decide: typed calls are buffered, plain ones streamed.
    public var delivery: Delivery?
    /// The key under which a server recognises repetitions of this call.
    public var idempotencyKey: IdempotencyKey?
    /// Who the call is made for.
    public var principal: Principal?
    /// Whether a cache may answer; nil leaves that to the endpoint and the cache.
    public var cachePolicy: CachePolicy?
    /// Values of your own that travel along.
    public var tags: CallTags
    /// Who is told how far the call's transfer has come: that of the request's body, or of a download.
    public var progress: TransferUpdates?
    /// The identity under which the call has to be made: the call ends before anything is sent if the client has another one.
    var requiredIdentity: CredentialIdentity?
    /// Whether the bytes of the request's body are what `progress` counts.
    var countsSentBytes = true
    /// Whether `progress` is over when the call has its answer; what consists of several steps says so itself.
    var endsProgress = true
    /// Whether the client's attempt limit holds: a big file takes as long as it takes, and the idle limit watches it.
    var limitsAttempts = true
    /// Whether the client's idle limit holds: a stream of events may be silent for as long as it likes.
    var limitsIdleTime = true
    /// Whether the request passes no interceptor, because all it is for is its connection.
    var onlyConnects = false

    /// Makes options; what is not named has its default.
    public init(
        id: CallID = CallID(),
        priority: TaskPriority? = nil,
        timeout: Duration? = nil,
        timeouts: Timeouts? = nil,
        delivery: Delivery? = nil,
        idempotencyKey: IdempotencyKey? = nil,
        principal: Principal? = nil,
        cachePolicy: CachePolicy? = nil,
        tags: CallTags = CallTags(),
        progress: TransferUpdates? = nil
    ) {
        self.id = id
        rawPriority = priority?.rawValue
        self.timeout = timeout
        self.timeouts = timeouts
        self.delivery = delivery
        self.idempotencyKey = idempotencyKey
        self.principal = principal
        self.cachePolicy = cachePolicy
        self.tags = tags
        self.progress = progress
    }
}

/// The key under which a server recognises repetitions of one logical call.
public struct IdempotencyKey: Hashable, Sendable {
    /// The key, or nil where the client mints one.
    let value: String?

    /// A key minted once for the logical call, the same for every attempt of it.
    public static let automatic = IdempotencyKey(value: nil)

    /// A key of your own.
    public static func value(_ key: String) -> IdempotencyKey { IdempotencyKey(value: key) }
}
