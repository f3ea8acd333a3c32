/// When a circuit opens, how long it stays open, and what closes it again.
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
    /// Which share of the exchanges in the window has to fail for the circuit to open.
    public let failureRatio: Double
    /// How many exchanges there have to be in the window before the share counts.
    public let minimumThroughput: Int
    /// How long an exchange counts.
    public let window: Duration
    /// How long the circuit stays open first; each probe that fails doubles it.
    public let breakDuration: Duration
    /// How long it stays open at most.
    public let longestBreak: Duration
    /// How many exchanges have to succeed, one behind the other or side by side, for the circuit to close.
    public let halfOpenProbes: Int
    /// Which statuses are failures of the server.
    public let failureStatusCodes: Set<Int>
    /// How long an exchange must have taken for the call's own deadline to count against the server.
    public let patience: Duration

    /// What was outside its range, a sentence each.
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

    /// How long the circuit stays open after a number of probes in a row have failed.
    func breakDuration(afterFailedProbes count: Int) -> Duration {
        let nanoseconds = breakDuration.clampedNanoseconds
        let longest = longestBreak.clampedNanoseconds
        guard count < 40, nanoseconds < longest >> count else { return longestBreak }
        return .nanoseconds(nanoseconds << count)
    }
}
