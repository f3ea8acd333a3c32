/// The rules by which a circuit opens, stays open, and closes again.
///
/// | setting | default | range, to which other values are clamped |
/// |---|---|---|
/// | `failureRatio` | 0.5 | 0.01…1; NaN is the default |
/// | `minThroughput` | 20 | 1…1,000,000 |
/// | `window` | 30 s | 10 ms…1 day |
/// | `breakDuration` | 5 s | 1 ms…1 day |
/// | `maxBreakDuration` | 60 s, or `breakDuration` if that is longer | `breakDuration`…1 day |
/// | `halfOpenProbes` | 1 | 1…1000 |
/// | `minFailureDuration` | 1 s | 0 s…1 day |
public struct CircuitBreakerPolicy: Sendable, Hashable {
    /// The share of failed exchanges in the window at which the circuit opens.
    public let failureRatio: Double
    /// The minimum number of exchanges in the window at which the circuit can open.
    public let minThroughput: Int
    /// The time for which an exchange counts.
    public let window: Duration
    /// The time for which the circuit stays open at first; each failed probe doubles it.
    public let breakDuration: Duration
    /// The maximum time for which the circuit stays open.
    public let maxBreakDuration: Duration
    /// The number of successful exchanges after which the circuit closes.
    public let halfOpenProbes: Int
    /// The statuses that count as failures of the server.
    public let failureStatusCodes: Set<Int>
    /// The minimum duration of an exchange that counts as a failure if the call's own deadline passes.
    public let minFailureDuration: Duration

    /// Diagnostics about values out of range, one sentence each.
    let notes: [String]

    /// Creates a policy.
    public init(
        failureRatio: Double = 0.5,
        minThroughput: Int = 20,
        window: Duration = .seconds(30),
        breakDuration: Duration = .seconds(5),
        maxBreakDuration: Duration? = nil,
        halfOpenProbes: Int = 1,
        failureStatusCodes: Set<Int> = [500, 502, 503, 504],
        minFailureDuration: Duration = .seconds(1)
    ) {
        var check = SettingCheck()
        let day = Duration.seconds(86_400)
        self.failureRatio = check.number("failureRatio", failureRatio, in: 0.01...1, or: 0.5)
        self.minThroughput = check.count("minThroughput", minThroughput, in: 1...1_000_000)
        self.window = check.duration("window", window, in: .milliseconds(10)...day)
        let first = check.duration("breakDuration", breakDuration, in: .milliseconds(1)...day)
        self.breakDuration = first
        let longest = maxBreakDuration ?? max(.seconds(60), first)
        self.maxBreakDuration = check.duration("maxBreakDuration", longest, in: first...day)
        self.halfOpenProbes = check.count("halfOpenProbes", halfOpenProbes, in: 1...1000)
        self.failureStatusCodes = failureStatusCodes
        self.minFailureDuration = check.duration("minFailureDuration", minFailureDuration, in: .zero...day)
        notes = check.notes
    }

    /// The defaults.
    public static let standard = CircuitBreakerPolicy()

    /// Returns the time for which the circuit stays open after a number of consecutive failed probes.
    func breakDuration(afterFailedProbes count: Int) -> Duration {
        let nanoseconds = breakDuration.clampedNanoseconds
        let longest = maxBreakDuration.clampedNanoseconds
        guard count < 40, nanoseconds < longest >> count else { return maxBreakDuration }
        return .nanoseconds(nanoseconds << count)
    }
}

extension CircuitBreakerPolicy {
    /// Returns the verdict on the server for the status of a response.
    func verdict(of status: HTTPStatus) -> Circuit.Verdict {
        failureStatusCodes.contains(status.code) ? .failure : .success
    }

    /// Returns the verdict on the server for an exchange that ended without a response.
    ///
    /// Only results from the network count. A call that its caller cancelled does not count. A call whose deadline has
    /// passed counts if the request was sent and the server had at least `minFailureDuration`.
    func verdict(of error: any Error, _ end: ExchangeEnd) -> Circuit.Verdict {
        let isStopped = error is CancellationError || (error as? NetKitError)?.timeoutPhase == .deadline
        guard isStopped else { return verdict(ofBroken: error) }
        return end.isPastDeadline && end.wasSent && end.elapsed >= minFailureDuration ? .failure : .nothing
    }

    /// Returns the verdict on the server for a failed exchange, or for a body that failed after its head.
    func verdict(ofBroken error: any Error) -> Circuit.Verdict {
        guard let error = error as? NetKitError, !error.isLocalShortage, !error.isOfOtherRequest else {
            return .nothing
        }
        switch error.code {
        case .connect, .tls, .connectionLost, .invalidResponse: return .failure
        case .timeout: return error.timeoutPhase == .deadline || error.timeoutPhase == .queue ? .nothing : .failure
        default: return .nothing
        }
    }
}

/// The progress of an exchange at the time it ended without a response.
struct ExchangeEnd: Sendable {
    /// Whether the call's own deadline has passed.
    var isPastDeadline = false
    /// Whether the request may have been sent.
    var wasSent = false
    /// The duration of the exchange, without the wait for permits.
    var elapsed = Duration.zero
}
