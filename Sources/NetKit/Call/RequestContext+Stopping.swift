extension RequestContext {
    /// Runs code that may take its time, and ends it with the call.
    ///
    /// The code is cancelled when the call is cancelled, when its deadline passes, and when the attempt's time is up. If it
    /// does not end within half a second, it is left behind and its result is dropped. In a type that adopts
    /// ``EndsWithCall``, everything that waits for something of its own belongs in here.
    ///
    /// - Parameter operation: The code, which may run in a task of its own.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws, or the reason why the call ended.
    public func endingWithCall<Success: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        guard let inner = leavable else { return try await operation() }
        return try await LeavableTask.run(in: inner, operation)
    }

    /// The context for code in a task that can be left behind; `nil` if the code that asks runs in one.
    var leavable: RequestContext? {
        let isOfAttempt = attemptEnd != nil
        guard isOfAttempt ? reach != .attempt : reach == .none else { return nil }
        return RequestContext(self, reach: isOfAttempt ? .attempt : .call)
    }

    /// Reads from a body inside the pipeline, so that the read ends when the call is ended.
    func readingToEnd<Success>(
        of body: ResponseBody,
        _ read: () async throws -> Success
    ) async throws -> Success {
        let waiter = BodyWaiter(body)
        call.cancellation.add(waiter)
        defer { call.cancellation.remove(waiter) }
        return try await read()
    }
}

/// Ends a body when the call is ended.
private final class BodyWaiter: CallCancellation.Waiter {
    private let body: ResponseBody

    init(_ body: ResponseBody) {
        self.body = body
    }

    func stop(_ reason: any Error) {
        body.cancel(reason)
    }
}
