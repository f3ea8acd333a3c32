/// How long things took: how many, how much in all, in buckets that only grow, and the latest as percentiles.
struct DurationRecord: Sendable {
    /// Upper bounds in seconds, as OpenTelemetry advises for HTTP; what is longer has a bucket of its own behind them.
    static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

    private(set) var count = 0
    private(set) var total = Duration.zero
    /// How many fell between one bound and the next.
    private(set) var buckets = Array(repeating: 0, count: Self.bounds.count + 1)
    private(set) var latest = LatencyHistogram()

    mutating func add(_ duration: Duration) {
        let seconds = duration.inSeconds
        count += 1
        total += duration
        buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        latest.add(duration)
    }
}
