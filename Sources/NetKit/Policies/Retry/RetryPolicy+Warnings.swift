extension RetryPolicy {
    /// Returns diagnostics about the values, given the limits in time of a call.
    func warnings(timeouts: Timeouts) -> [String] {
        var warnings = backoffStrategy.problems + (throttlingBackoffStrategy?.problems ?? [])
        if maxAttempts < 1 { warnings.append("maxAttempts is \(maxAttempts); it counts as 1.") }
        if let problem = jitter.problem { warnings.append(problem) }
        for (name, value) in [("maxServerDelay", maxServerDelay), ("maxElapsed", maxElapsed ?? .zero)]
        where value < .zero {
            warnings.append("\(name) is \(value.shortText); it counts as none, and nothing is retried for it.")
        }
        for code in retryableErrorCodes.intersection(Self.finalErrorCodes).map(\.description).ordered() {
            warnings.append("retryableErrorCodes lists \(code), which is never retried.")
        }
        for status in retryableStatusCodes.filter({ $0 < 400 }).orderedByNumber({ Int64($0) }) {
            warnings.append("retryableStatusCodes lists \(status), which is no failure.")
        }
        return warnings + longWaits(timeouts)
    }

    private func longWaits(_ timeouts: Timeouts) -> [String] {
        guard maxAttempts > 1, timeouts.total == nil, maxElapsed == nil else { return [] }
        let longest = [backoffStrategy, throttlingBackoffStrategy ?? backoffStrategy]
            .map { longestWait(by: $0) }.reduce(maxServerDelay, max)
        guard longest > .seconds(3600) else { return [] }
        return [
            "A retry may wait for \(longest.shortText), and nothing limits the call. "
                + "Set a cap, maxElapsed or timeouts.total."
        ]
    }

    private func longestWait(by strategy: BackoffStrategy) -> Duration {
        let last = maxAttempts - 1
        return max(
            strategy.delay(forAttempt: last),
            strategy.delay(forAttempt: last, previous: nil, jitter: jitter, random: 1)
        )
    }
}
