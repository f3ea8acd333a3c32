// The policy of one call, kept among its tags: a call without one carries nothing.

extension CallOptions {
    /// The retry policy of the call, instead of that of the client.
    ///
    /// ```swift
    /// try await client.send(.user("42"), options: CallOptions(retry: .none))
    /// ```
    /// The policy of the call takes precedence over the endpoint's, and the endpoint's over the client's. If no policy
    /// is set here, the value is ``RetryPolicy/standard``, and the call uses the endpoint's or the client's. The budget
    /// is always the client's.
    public var retry: RetryPolicy {
        get { tags.retry }
        set { tags.retry = newValue }
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
        self.init(id: id, priority: priority, timeout: timeout, timeouts: timeouts, delivery: delivery, tags: tags)
        (self.idempotencyKey, self.principal, self.cachePolicy) = (idempotencyKey, principal, cachePolicy)
        (self.progress, self.retry) = (progress, retry)
    }
}

extension Call {
    /// Whether the call may share its exchanges with other calls.
    ///
    /// An exchange has the retries of the call that makes it, does not end at the login that it waits for, and calls
    /// outside a token refresh may wait for it.
    var mayShareExchanges: Bool {
        (tags.isEmpty || tags[CallRetry.self] == nil && !endsAtLogin) && Call.refreshingSources.isEmpty
    }
}

extension CallTags {
    /// The retry policy among the tags; if there is none, the value is ``RetryPolicy/standard``.
    var retry: RetryPolicy {
        get { self[CallRetry.self]?.policy ?? .standard }
        set { self[CallRetry.self] = CallRetry(newValue) }
    }
}

/// The retry policy of a client, an endpoint or a call, in one object: calls share it.
final class CallRetry: OwnCallTag {
    let policy: RetryPolicy
    /// The lowest status that can be a failure.
    private let lowestStatus: Int

    init(_ policy: RetryPolicy) {
        self.policy = policy
        lowestStatus = min(400, policy.retryableStatusCodes.min() ?? 400)
    }

    /// Returns whether a response with a status is a failure to the policy.
    func concerns(_ status: HTTPStatus) -> Bool {
        status.code >= lowestStatus && policy.concerns(status)
    }
}
