public import Foundation

extension QueuedRequest {
    /// Creates an entry from a typed call without a result, because the response to a queued request is not read.
    ///
    /// - Parameters:
    ///   - endpoint: What is called.
    ///   - id: The entry's name; nil makes one.
    ///   - lane: The lane in which order is kept.
    ///   - priority: Which lane comes first; higher is earlier.
    ///   - expiresAt: When it is too late.
    ///   - maxAttempts: How many attempts it has.
    ///   - coalescingKey: What it is about.
    ///   - coalescing: What happens where an entry with the same key waits already.
    ///   - idempotencyKey: A key of your own.
    ///   - baseETag: The version that was changed.
    ///   - baseData: The version that was changed, as data.
    ///   - timestamp: When the change was made; nil is the time of enqueueing.
    ///   - tags: Values of your own.
    ///   - takesFile: Whether the body's file becomes the queue's own instead of being copied.
    ///   - identity: The name of the identity under which it is sent; `nil` asks the queue's client when it is enqueued.
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
