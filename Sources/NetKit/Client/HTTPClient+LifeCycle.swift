extension HTTPClient {
    /// The calls in flight, including those whose body is still being read.
    public nonisolated var activeCalls: [ActiveCall] {
        let now = configuration.clock.now
        return calls.all.map { ActiveCall($0, now: now) }
    }

    /// The number of calls in flight.
    public nonisolated var activeCallCount: Int { calls.count }

    /// Cancels a call, whose caller gets `CancellationError`.
    ///
    /// - Parameter id: The name of the call.
    /// - Returns: Whether the call was in flight.
    @discardableResult
    public nonisolated func cancel(_ id: CallID) -> Bool {
        guard let call = calls[id] else { return false }
        call.stop(.cancelled)
        return true
    }

    /// Cancels every call that is in flight; new ones may begin.
    public nonisolated func cancelAll() {
        stop(calls.all, .cancelled)
    }

    /// Refuses new calls, waits for those in flight, and ends the remaining ones with `.closed`.
    ///
    /// The transport is not closed.
    ///
    /// - Parameter bound: The time that calls in flight may take.
    /// - Returns: Whether every call ended by itself.
    @discardableResult
    public func shutdown(within bound: Duration = .seconds(30)) async -> Bool {
        calls.close()
        let (clock, eventHub) = (configuration.clock, eventHub)
        let drained = DrainWait()
        calls.whenIdle {
            drained.end(isDrained: true)
            eventHub.finish()
        }
        let alarm = clock.scheduleWakeUp(at: clock.now.advanced(by: bound)) { drained.end(isDrained: false) }
        let isDrained = await drained.wait()
        alarm.cancel()
        if isDrained { return true }
        stop(calls.all, .closed)
        return false
    }

    /// Ends calls, so that none waits for a cancellation handler of another.
    private nonisolated func stop(_ calls: [Call], _ reason: CallCancellation.Reason) {
        for call in calls { configuration.clock.runAside { call.stop(reason) } }
    }
}
