/// The response times of one server, and the second attempts that may still be sent to it.
struct HedgeRecord: Sendable {
    private let delay: HedgeDelay
    private let share: Double
    private let reserve: Double
    private var tokens: Double
    private var latencies: LatencyHistogram?
    /// The percentile, which is computed again from time to time.
    private var threshold: Duration?
    private var sinceThreshold = 0

    /// Makes a record with a full reserve.
    init(delay: HedgeDelay, share: Double, reserve: Int) {
        self.delay = delay
        self.share = share
        self.reserve = Double(reserve)
        tokens = Double(reserve)
        if case .percentile = delay.kind { latencies = LatencyHistogram() }
    }

    /// A call begins: what it may wait before a second attempt; nil where none may be sent.
    mutating func begin() -> Duration? {
        tokens = min(reserve, tokens + share)
        guard tokens >= 1 else { return nil }
        switch delay.kind {
        case .fixed(let delay): return delay
        case .percentile(_, let least, _): return threshold.map { max($0, least) }
        }
    }

    /// Takes what a second attempt costs; false where too little is left.
    mutating func withdraw() -> Bool {
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// A call had its answer after a time, or had none yet when the second attempt had.
    mutating func note(_ duration: Duration) {
        guard case .percentile(let share, _, let samples) = delay.kind else { return }
        latencies?.add(duration)
        sinceThreshold += 1
        guard let latencies, latencies.count >= samples, threshold == nil || sinceThreshold >= 16 else { return }
        threshold = latencies.percentile(share)
        sinceThreshold = 0
    }
}
