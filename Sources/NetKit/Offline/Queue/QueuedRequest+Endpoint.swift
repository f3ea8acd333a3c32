public import Foundation

extension QueuedRequest {
    /// Creates an entry from a typed call without a result, because the response to a queued request is not read.
    ///
    /// The entry has the endpoint's request and its idempotency key. The rest is not kept: the configuration of the
    /// queue decides about limits and attempts, and only a status in 200…299 is a delivery, even if `acceptedStatuses`
    /// contains others.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - id: The entry's identifier; `nil` generates one.
    ///   - lane: The lane in which order is kept.
    ///   - priority: The rank of the lane; higher is earlier.
    ///   - expiresAt: The time after which no attempt begins.
    ///   - maxAttempts: The maximum number of attempts; `nil` leaves it to the queue's policy.
    ///   - coalescingKey: The key of the resource that the request changes; `coalescing` applies to a waiting entry
    ///     with the same key.
    ///   - coalescing: The rule for the entry if one with the same key is already waiting.
    ///   - idempotencyKey: The idempotency key; `nil` uses the endpoint's, or generates one when the request is
    ///     enqueued.
    ///   - baseETag: The `ETag` of the version that was changed.
    ///   - baseData: The version that was changed, as data.
    ///   - timestamp: The time of the change; `nil` stands for the time of enqueueing.
    ///   - tags: Custom values that are kept with the request.
    ///   - takesFile: Whether the body's file becomes the queue's own instead of being copied.
    ///   - identity: The name of the identity under which it is sent; `nil` asks the queue's client when it is
    ///     enqueued.
    public init(
        _ endpoint: Endpoint<Void>,
        id: UUID? = nil,
        lane: String = QueuedRequest.defaultLane,
        priority: Int = 0,
        expiresAt: Date? = nil,
        maxAttempts: Int? = nil,
        coalescingKey: String? = nil,
        coalescing: CoalescingRule = .replace,
        idempotencyKey: String? = nil,
        baseETag: String? = nil,
        baseData: Data? = nil,
        timestamp: Date? = nil,
        tags: [String: String] = [:],
        takesFile: Bool = false,
        identity: String? = nil
    ) {
        self.init(
            endpoint.request,
            id: id,
            lane: lane,
            priority: priority,
            expiresAt: expiresAt,
            maxAttempts: maxAttempts,
            coalescingKey: coalescingKey,
            coalescing: coalescing,
            idempotencyKey: idempotencyKey ?? endpoint.idempotencyKey?.value,
            baseETag: baseETag,
            baseData: baseData,
            timestamp: timestamp,
            tags: tags,
            takesFile: takesFile,
            identity: identity
        )
    }
}
