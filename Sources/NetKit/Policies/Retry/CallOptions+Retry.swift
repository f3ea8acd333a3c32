// The policy of one call, kept among its tags: a call without one carries nothing.

extension CallOptions {
    /// The retry policy of the call, instead of that of the client.
    ///
    /// ```swift
    /// try await client.send(.user("42"), options: CallOptions(retry: .none))
    /// ```
    /// A policy that is set here counts before the endpoint's, and that before the client's. If none is set here, the value is
    /// ``RetryPolicy/standard``, and the call has the endpoint's or the client's. The budget is always that of the client.
    public var retry: RetryPolicy {
        get { tags[CallRetry.self]?.policy ?? .standard }
        set { tags[CallRetry.self] = CallRetry(newValue) }
    }

    /// Creates options with a retry policy; a setting that is not named has its default.
    public init(
        id: CallID? = nil,
        priority: TaskPriority? = nil,
        timeout: Duration? = nil,
        timeouts: Timeouts? = nil,
        retry: RetryPolicy,
        delivery: Delivery? = nil,
        idempotencyKey: IdempotencyKey? = nil,
        principal: Principal? = nil,
        cachePolicy: CachePolicy? = nil,
        tags: CallTags = CallTags(),
        progress: TransferUpdates? = nil
    ) {
        self.init(
            id: id,
            priority: priority,
            timeout: timeout,
            timeouts: timeouts,
            delivery: delivery,
            idempotencyKey: idempotencyKey,
            principal: principal,
            cachePolicy: cachePolicy,
            tags: tags,
            progress: progress
        )
        self.retry = retry
    }
}

/// The retry policy of a client, an endpoint or a call, in one object: calls share it.
final class CallRetry: CallTag {
    let policy: RetryPolicy
    let maxAttempts: Int
    /// The lowest status that can be a failure.
    private let lowestStatus: Int

    init(_ policy: RetryPolicy) {
        self.policy = policy
        maxAttempts = policy.maxAttempts
        lowestStatus = min(400, policy.retryableStatusCodes.min() ?? 400)
    }

    /// Returns whether a response with a status is a failure to the policy.
    func concerns(_ status: HTTPStatus) -> Bool {
        status.code >= lowestStatus && policy.concerns(status)
    }
}
