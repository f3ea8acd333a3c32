/// What a `MetricsCollector` has counted up to a moment.
public struct NetworkMetrics: Sendable {
    /// Calls that are over.
    public var totalRequests: Int { successfulRequests + failedRequests }
    /// Calls with a whole answer and a status below 400.
    public internal(set) var successfulRequests = 0
    /// All other calls that are over, cancelled ones included.
    public internal(set) var failedRequests = 0
    /// How often something was tried again.
    public internal(set) var retryCount = 0
    /// Calls in flight.
    public internal(set) var activeRequests = 0
    /// The exchanges by endpoint and result, in no order: a bounded number of series, and one for all the rest.
    public internal(set) var series: [Series] = []

    var calls = DurationRecord()
    var counts: [Count: Int] = [:]

    /// Something that is only counted.
    struct Count: Hashable {
        let kind: ClientEvent.Kind
        let label: String
    }

    init() {}

    /// How long the calls took together, to the ends of their bodies.
    public var totalDuration: Duration { calls.total }

    /// The share of successful calls; 0 where there were none.
    public var successRate: Double {
        totalRequests > 0 ? Double(successfulRequests) / Double(totalRequests) : 0
    }

    /// How long a call took on average; zero where there were none.
    public var averageDuration: Duration { calls.count > 0 ? calls.total / calls.count : .zero }

    /// What a share of the latest 1,000 to 2,000 calls did not take longer than, at most an eighth too long.
    ///
    /// - Parameter share: 0.5 for the median, 0.99 for all but the slowest hundredth.
    /// - Returns: The duration; nil where there were no calls.
    public func percentile(_ share: Double) -> Duration? { calls.latest.percentile(share) }

    /// How often something happened: `.cache` as `hit`, `revalidated`, `miss` or `bypass`, `.refreshEnded` as `success` or
    /// `failure`, `.breaker` by its state, `.queue` by what became of an entry.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - label: What became of it; nil for all together.
    /// - Returns: The number.
    public func count(of kind: ClientEvent.Kind, as label: String? = nil) -> Int {
        counts.reduce(0) { sum, entry in
            entry.key.kind == kind && (label == nil || entry.key.label == label) ? sum + entry.value : sum
        }
    }

    /// The exchanges with one endpoint of one server that ended alike.
    public struct Series: Sendable {
        /// What such exchanges have in common.
        struct Key: Hashable {
            var method = HTTPMethod.get.rawValue
            var origin: Origin?
            var template: String?
            var result = ""
            var isOverflow = false
        }

        let key: Key
        let record: DurationRecord

        /// The method, or `_OTHER` where it is none of the usual ones.
        public var method: String { key.method }
        /// The server.
        public var origin: Origin? { key.origin }
        /// The path as it was written, with `{}` for each value; nil where it was no literal.
        public var template: String? { key.template }
        /// The status code, or the code of the error; `cancelled` where that is what it was.
        public var result: String { key.result }
        /// Whether these are the exchanges for which there was no room.
        public var isOverflow: Bool { key.isOverflow }
        /// How many there were.
        public var count: Int { record.count }
        /// How long they took together.
        public var totalDuration: Duration { record.total }

        /// What a share of the latest 1,000 to 2,000 did not take longer than.
        public func percentile(_ share: Double) -> Duration? { record.latest.percentile(share) }
    }
}

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
