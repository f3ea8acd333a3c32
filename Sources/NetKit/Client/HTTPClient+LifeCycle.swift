public import Foundation

extension HTTPClient {
    /// The calls in flight, including those whose body is still being read, and transfers that wait to continue.
    public nonisolated var activeCalls: [ActiveCall] {
        let now = configuration.clock.now
        return calls.all.map { ActiveCall($0, now: now) }
    }

    /// The number of calls in flight.
    public nonisolated var activeCallCount: Int { calls.count }

    /// Cancels the calls with an identifier; their callers get `CancellationError`.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: Whether a call with the identifier was in flight.
    @discardableResult
    public nonisolated func cancel(_ id: CallID) -> Bool {
        let calls = calls.named(id)
        stop(calls, .cancelled)
        return !calls.isEmpty
    }

    /// Cancels every call that is in flight; new ones may begin.
    public nonisolated func cancelAll() { stop(calls.all, .cancelled) }

    /// Refuses new calls, waits for those in flight, and ends the remaining ones with `.closed`.
    ///
    /// While calls are in flight, the requests of a token refresh may still begin, because these calls may be waiting
    /// for the token. A download or a stream of events that waits to continue after an interruption is ended at once.
    /// The calls that are ended have another second to report their end to exporters. The transport is not closed.
    /// A cancellation of the calling task does not shorten the wait, because a service often stops in such a task.
    ///
    /// - Parameter bound: The time that calls in flight may take.
    /// - Returns: Whether every call ended by itself.
    @discardableResult
    public func shutdown(within bound: Duration = .seconds(30)) async -> Bool {
        let pauses = calls.drain()
        calls.whenIdle { [eventHub] in eventHub.finish() }
        // The exchange after a pause would be refused.
        stop(pauses, .closed)
        // Another shutdown, with a shorter bound, may have ended calls meanwhile.
        if await idleness().value(or: false, after: bound, configuration.clock) { return !calls.hasEndedCalls }
        calls.close()
        stop(calls.all, .closed)
        _ = await idleness().value(or: false, after: Self.endingBound, onSystemOr: configuration.clock)
        return false
    }

    /// Returns a promise that ends once no call is in flight.
    private func idleness() -> Promise<Bool> {
        let idle = Promise<Bool>()
        calls.whenIdle { idle.resolve(.success(true)) }
        return idle
    }

    /// The time that calls have from their end by `shutdown(within:)` until it returns; code that does not end is
    /// abandoned after half of it.
    private static var endingBound: Duration { .seconds(1) }

    /// Ends calls separately, so that no call waits for the cancellation handlers of another.
    private nonisolated func stop(_ calls: [Call], _ reason: CallCancellation.Reason) {
        for call in calls { configuration.clock.runAside { call.stop(reason) } }
    }
}

extension HTTPClient {
    /// Opens connections to a server ahead of the calls that will use them.
    ///
    /// ```swift
    /// try await client.connect()                  // when the service starts
    /// try await client.connect(to: partner, count: 4)
    /// ```
    /// A connection begins with an `OPTIONS` request, because no transport can open one without a request. The request
    /// passes no interceptor, carries no credential and is not reported to listeners, and every response counts as a
    /// success. The transport keeps the connections like any other idle ones. Over HTTP/2, one connection serves all
    /// calls.
    ///
    /// - Parameters:
    ///   - url: The server. The default is that of the base URL.
    ///   - count: The number of connections.
    ///   - timeout: The time that opening them may take.
    /// - Throws: `NetKitError` if a connection cannot be opened, or `CancellationError`.
    @concurrent
    public nonisolated func connect(to url: URL? = nil, count: Int = 1, timeout: Duration = .seconds(10)) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<max(0, count) {
                group.addTask { try await self.openConnection(to: url, timeout) }
            }
            try await group.waitForAll()
        }
    }

    private nonisolated func openConnection(to url: URL?, _ timeout: Duration) async throws {
        var request = if let url { HTTPRequest(.options, url) } else { HTTPRequest(.options, "/") }
        request.requiresAuth = false
        try Task.checkCancellation()
        // Not reported, because it is no call of a user: its response may be a refusal of the method.
        let options = CallOptions(timeout: timeout, delivery: .streamed)
        let call = try begin(request, options: options, isReported: false)
        let result = await Result.catching {
            try await withTaskCancellationHandler {
                try await InheritedDeadline.$current.withValue(InheritedDeadline.Value(call)) {
                    try await pipeline.connect(call.request, context: RequestContext(call: call, taskScope: .none))
                }
            } onCancel: {
                call.stop(.cancelled)
            }
        }
        let response = try finish(call, result)
        // A connection is free again once the response has been read.
        _ = try await response.body.prefix(upTo: Self.connectBodyLimit)
    }

    /// The length of a response above which its connection is closed instead of kept.
    private static var connectBodyLimit: Int { 64 << 10 }
}
