/// A mark for a call whose request may be put into the offline queue if it cannot be sent.
///
/// It states how the queue treats the request.
public struct Deferrable: OwnCallTag, Hashable {
    /// The lane in which order is kept.
    public var lane: String
    /// The rank of the lane; higher is earlier.
    public var priority: Int
    /// The time after which the entry expires.
    public var expiresAfter: Duration?
    /// The maximum number of attempts.
    public var maxAttempts: Int?
    /// The key of the resource that the request changes; `coalescing` applies to a waiting entry with the same key.
    public var coalescingKey: String?
    /// The rule for a new entry if one with the same key is already waiting.
    public var coalescing: CoalescingRule
    /// The `ETag` of the version that was changed, with its quotes.
    ///
    /// It is sent as `If-Match` by the call and by its replays, unless the request has that field. If the server has
    /// another version, the call receives the response with the status 412, and nothing is queued. A weak one, such as
    /// `W/"v1"`, is never matched by a server that follows RFC 9110.
    public var baseETag: String?

    /// Creates the mark.
    public init(
        lane: String = QueuedRequest.defaultLane,
        priority: Int = 0,
        expiresAfter: Duration? = nil,
        maxAttempts: Int? = nil,
        coalescingKey: String? = nil,
        coalescing: CoalescingRule = .replace,
        baseETag: String? = nil
    ) {
        self.lane = lane
        self.priority = priority
        self.expiresAfter = expiresAfter
        self.maxAttempts = maxAttempts
        self.coalescingKey = coalescingKey
        self.coalescing = coalescing
        self.baseETag = baseETag
    }
}
