/// Marks a call whose request may be put into the offline queue where it cannot be sent, and says how it is treated there.
public struct Deferrable: CallTag, Hashable {
    /// The lane in which order is kept.
    public var lane: String
    /// The rank of the lane; higher is earlier.
    public var priority: Int
    /// After how long it is too late.
    public var expiresAfter: Duration?
    /// The maximum number of attempts.
    public var maxAttempts: Int?
    /// The subject of the request.
    public var coalescingKey: String?
    /// The rule for a new entry if one with the same key waits already.
    public var coalescing: CoalescingRule
    /// The version that was changed.
    public var baseETag: String?

    /// Makes the mark.
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
