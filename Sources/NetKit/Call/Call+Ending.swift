extension Call {
    /// Whether the call was ended from outside.
    var isStopped: Bool { cancellation.reason != nil }

    /// Throws the reason if the call was ended from outside, or `CancellationError` if the task is cancelled.
    func checkStopped() throws {
        if let reason = cancellation.reason { throw error(for: reason) }
        try Task.checkCancellation()
    }

    /// Notifies a waiter when the call is ended from outside, or at once if it already was.
    func addWaiter(_ waiter: any CallCancellation.Waiter) {
        if let reason = cancellation.add(waiter) { waiter.stop(error(for: reason)) }
    }

    /// Removes a waiter after its wait.
    func removeWaiter(_ waiter: any CallCancellation.Waiter) { cancellation.remove(waiter) }

    /// Waits for a promise.
    ///
    /// If the call is ended from outside or the task is cancelled, `leave` receives the error; it has to resolve the
    /// promise.
    func wait<Value: Sendable>(
        for promise: Promise<Value>,
        leaving leave: @escaping @Sendable (any Error) -> Void
    ) async throws -> Value {
        let cancellation = WaitCancellation(leave)
        addWaiter(cancellation)
        defer { removeWaiter(cancellation) }
        return try await withTaskCancellationHandler {
            try await promise.value()
        } onCancel: {
            leave(CancellationError())
        }
    }

    /// Ends the call from outside at its deadline, or at once if it has passed.
    func scheduleEnd(at deadline: NetKitClock.Instant, now: NetKitClock.Instant) {
        // An alarm for the past goes off on another thread, and the request could leave before.
        if deadline <= now { return stop(.deadline) }
        cancellation.attach(clock.schedule(at: deadline) { self.stop(.deadline) })
    }

    /// Ends the call from outside; only the first reason counts.
    func stop(_ reason: CallCancellation.Reason) {
        guard let waiters = cancellation.stop(reason), !waiters.isEmpty else { return }
        let error = error(for: reason)
        for waiter in waiters { waiter.stop(error) }
    }

    /// Marks the call as over, with a response or an error, and reports it.
    ///
    /// - Returns: The reason why the call was ended from outside; `nil` if it ended by itself.
    @discardableResult
    func finish(
        _ status: HTTPStatus? = nil,
        count: Int64? = nil,
        error: (any Error)? = nil
    ) -> CallCancellation.Reason? {
        let reason = cancellation.finish()
        reporter?.report(.callEnded, at: clock.now) { event in
            event.attempt = attemptCount
            event.duration = start.duration(to: event.instant)
            event.status = status ?? (error as? NetKitError)?.ownStatus
            event.count = count
            event.error = error ?? reason.map { self.error(for: $0) }
        }
        return reason
    }
}
