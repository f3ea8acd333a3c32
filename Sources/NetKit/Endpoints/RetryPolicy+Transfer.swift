import Foundation

extension RetryPolicy {
    /// The shortest delay that a server can ask for; without one, a server that closes at once would be asked without
    /// a pause.
    private static var minReconnectionTime: Duration { .milliseconds(100) }

    /// Returns the delay before an interrupted transfer continues, which ends before the deadline of the whole; `nil`
    /// if it must not.
    ///
    /// `attempt` is the number of attempts since the transfer last succeeded, including that one, and `previous` is the
    /// delay before the last of them. `reconnectionTime` is the delay that the server has named before, which replaces
    /// the first one.
    func delay(
        afterInterruption error: NetKitError,
        attempt: Int,
        previous: Duration?,
        reconnectionTime: Duration? = nil,
        settings: PayloadSettings,
        deadline: InheritedDeadline.Value?
    ) -> Duration? {
        guard attempt < maxAttempts, error.timeoutPhase != .deadline else { return nil }
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
        } else if !retryableErrorCodes.contains(error.code) {
            return nil
        }
        if let deadline, delay >= deadline.timeLeft { return nil }
        return delay
    }
}
