/// The rules by which a circuit opens, stays open, and closes again.
///
/// | setting | default | values outside of it are moved to its ends |
/// |---|---|---|
/// | `failureRatio` | 0.5 | 0.01…1; NaN is the default |
/// | `minimumThroughput` | 20 | 1…1,000,000 |
/// | `window` | 30 s | 10 ms…1 day |
/// | `breakDuration` | 5 s | 1 ms…1 day |
/// | `longestBreak` | 60 s, or `breakDuration` where that is longer | `breakDuration`…1 day |
/// | `halfOpenProbes` | 1 | 1…1000 |
/// | `patience` | 1 s | 0 s…1 day |
public struct CircuitBreakerPolicy: Sendable, Hashable {
    /// The share of failed exchanges in the window at which the circuit opens.
    public let failureRatio: Double
    /// The number of exchanges in the window from which the share counts.
    public let minimumThroughput: Int
    /// The time for which an exchange counts.
    public let window: Duration
    /// The time for which the circuit stays open at first; each failed probe doubles it.
    public let breakDuration: Duration
    /// The maximum time for which the circuit stays open.
    public let longestBreak: Duration
    /// The number of successful exchanges after which the circuit closes.
    public let halfOpenProbes: Int
    /// The statuses that count as failures of the server.
    public let failureStatusCodes: Set<Int>
    /// The duration from which an exchange counts against the server if the call's own deadline passes.
    public let patience: Duration

    /// Diagnostics about values out of range, one sentence each.
    let notes: [String]

    /// Makes a policy; what is not named has its default.
    public init(
        failureRatio: Double = 0.5,
        minimumThroughput: Int = 20,
        window: Duration = .seconds(30),
        breakDuration: Duration = .seconds(5),
        longestBreak: Duration? = nil,
        halfOpenProbes: Int = 1,
        failureStatusCodes: Set<Int> = [500, 502, 503, 504],
        patience: Duration = .seconds(1)
    ) {
        var check = SettingCheck()
        let day = Duration.seconds(86_400)
        self.failureRatio = check.number("failureRatio", failureRatio, in: 0.01...1, or: 0.5)
        self.minimumThroughput = check.count("minimumThroughput", minimumThroughput, in: 1...1_000_000)
        self.window = check.duration("window", window, in: .milliseconds(10)...day)
        let first = check.duration("breakDuration", breakDuration, in: .milliseconds(1)...day)
        self.breakDuration = first
        let longest = longestBreak ?? max(.seconds(60), first)
        self.longestBreak = check.duration("longestBreak", longest, in: first...day)
        self.halfOpenProbes = check.count("halfOpenProbes", halfOpenProbes, in: 1...1000)
        self.failureStatusCodes = failureStatusCodes
        self.patience = check.duration("patience", patience, in: .zero...day)
        notes = check.notes
    }

    /// The defaults.
    public static let standard = CircuitBreakerPolicy()

    /// Returns the time for which the circuit stays open after a number of consecutive failed probes.
    func breakDuration(afterFailedProbes count: Int) -> Duration {
        let nanoseconds = breakDuration.clampedNanoseconds
        let longest = longestBreak.clampedNanoseconds
        guard count < 40, nanoseconds < longest >> count else { return longestBreak }
        return .nanoseconds(nanoseconds << count)
    }
}
