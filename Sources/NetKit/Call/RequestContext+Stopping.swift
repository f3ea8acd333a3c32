extension RequestContext {
    /// Runs something that may take its time and does not know the call, such as a function of the user's, so that it is
    /// cancelled when the call is ended.
    ///
    /// It costs a task: what an `EndsWithCall` interceptor does for every call goes without.
    func endingWithCall<Success: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        try call.stopSignal.check()
        let task = startImmediately(operation)
        let waiter = TaskWaiter(task)
        call.stopSignal.add(waiter)
        defer { call.stopSignal.remove(waiter) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Reads from a body inside the pipeline, so that the read ends when the call is ended.
    func readingToEnd<Success>(
        of body: ResponseBody,
        _ read: () async throws -> Success
    ) async throws -> Success {
        let waiter = BodyWaiter(body)
        call.stopSignal.add(waiter)
        defer { call.stopSignal.remove(waiter) }
        return try await read()
    }
}

/// Cancels a task when the call is ended.
private final class TaskWaiter<Success: Sendable>: StopSignal.Waiter {
    private let task: Task<Success, any Error>

    init(_ task: Task<Success, any Error>) {
        self.task = task
    }

    func stop(_ reason: any Error) {
        task.cancel()
    }
}

/// Ends a body when the call is ended.
private final class BodyWaiter: StopSignal.Waiter {
    private let body: ResponseBody

    init(_ body: ResponseBody) {
        self.body = body
    }

    func stop(_ reason: any Error) {
        body.cancel(reason)
    }
}
