extension RetryPolicy {
    /// The shortest delay that a server can ask for.
    ///
    /// It gives a pause to a server that closes each connection at once.
    private static var minReconnectionTime: Duration { .milliseconds(100) }

    /// Returns the delay before an interrupted transfer continues; `nil` if it must not continue, as after a login of
    /// another user or if the delay would end after the deadline of the whole transfer, or after the inherited one.
    ///
    /// `attempt` counts the attempts since the transfer last succeeded, including that one. The delay that the server
    /// has named before, `reconnectionTime`, replaces the first delay, and later ones are not shorter.
    func delay(
        afterInterruption error: NetKitError,
        attempt: Int,
        previous: Duration?,
        reconnectionTime: Duration? = nil,
        settings: PayloadSettings,
        deadline: InheritedDeadline.Value?
    ) -> Duration? {
        guard attempt < maxAttempts, !error.isOfDeadline, !(error.cause is IdentityChange) else { return nil }
        let longest = max(.zero, maxServerDelay)
        var delay = backOff(
            attempt: attempt,
            previous: attempt > 1 ? previous : nil,
            isThrottled: error.code == .server && error.status == .tooManyRequests,
            random: settings.random.unitInterval()
        )
        if let reconnectionTime {
            let asked = min(max(reconnectionTime, Self.minReconnectionTime), longest)
            delay = attempt <= 1 ? asked : max(asked, delay)
        }
        if error.code == .server, let response = error.response {
            guard retryableStatusCodes.contains(response.status.code) else { return nil }
            let asked = ServerDelay.read(status: response.status, headers: response.headers, now: settings.clock.date)
            if let asked {
                guard asked <= longest else { return nil }
                delay = max(asked, delay)
            }
        } else if let wait = error.retryAfter ?? (error.code == .queueFull ? .zero : nil) {
            // A circuit breaker or a limit of the client has refused the attempt, and may let the next one through.
            guard wait <= longest else { return nil }
            delay = max(wait, delay)
        } else if !retryableErrorCodes.contains(error.code) {
            return nil
        }
        if let deadline = deadline?.orInherited ?? InheritedDeadline.current, delay >= deadline.timeLeft { return nil }
        return delay
    }
}

extension PayloadSettings {
    /// Waits before an interrupted transfer continues.
    ///
    /// In a client, the pause is a call in flight with the identifier of the transfer: it can be cancelled, and a
    /// shutdown ends it. Another sender has no such calls.
    func pause(
        for delay: Duration,
        after interruption: NetKitError,
        of request: HTTPRequest,
        id: CallID?
    ) async throws {
        guard let callSettings, let calls = callSettings.calls else { return try await clock.sleep(for: delay) }
        let call = Call(
            resolved(request),
            options: CallOptions(id: id),
            delivery: .streamed,
            timeouts: .none,
            settings: callSettings,
            start: clock.now,
            isPause: true
        )
        do {
            try calls.add(call)
            defer { calls.remove(call) }
            let result = await Result.catching { try await BackoffWait.wait(delay, in: call) }
            if let reason = call.finish() { throw call.error(for: reason) }
            try result.get()
        } catch let error as NetKitError {
            // The pause itself has sent nothing.
            throw error.with(outcome: interruption.outcome)
                .attaching(
                    requestLine: call.redaction.requestLine(for: call.request),
                    attempts: interruption.attempts,
                    attemptLog: interruption.attemptLog,
                    call: call.id
                )
        }
    }
}
