/// A wait between two attempts that ends with the call, even if the call has no task of its own to cancel.
final class BackoffWait: CallCancellation.Waiter {
    private let task: Task<Void, any Error>

    private init(_ delay: Duration, clock: NetKitClock) {
        task = startImmediately { try await clock.sleep(for: delay) }
    }

    /// Ends the wait; the call itself keeps the reason.
    func stop(_ reason: any Error) { task.cancel() }

    /// Waits on the call's clock, or throws as soon as the call or the task is ended.
    static func wait(_ delay: Duration, in call: Call) async throws {
        try call.checkStopped()
        guard delay > .zero else { return }
        let wait = BackoffWait(delay, clock: call.clock)
        call.addWaiter(wait)
        defer { call.removeWaiter(wait) }
        let result = await withTaskCancellationHandler {
            await wait.task.result
        } onCancel: {
            wait.task.cancel()
        }
        try call.checkStopped()
        try result.get()
    }
}
