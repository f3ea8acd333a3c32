/// A snapshot of the counts of a `MetricsCollector`.
public struct NetworkMetrics: Sendable {
    /// The number of calls that ended.
    public var totalRequests: Int { successfulRequests + failedRequests }
    /// The number of calls with a response whose status is below 400 and whose body did not fail.
    ///
    /// A body that its reader gave up before the end has not failed.
    public internal(set) var successfulRequests = 0
    /// The number of all other calls that ended, including cancelled ones.
    public internal(set) var failedRequests = 0
    /// The number of retries.
    public internal(set) var retryCount = 0
    /// The number of calls in flight.
    public internal(set) var activeRequests = 0
    /// The exchanges by endpoint and result, in no particular order.
    ///
    /// The number of series is bounded. One overflow series counts the remaining exchanges.
    public internal(set) var series: [Series] = []

    /// The metrics of the objects that were added to the collector; empty in a `snapshot()`.
    public internal(set) var samples: [MetricSample] = []

    var calls = DurationRecord()
    var counts: [Count: Int] = [:]

    /// The key of a counter.
    struct Count: Hashable {
        let kind: ClientEvent.Kind
        let label: String
    }

    /// The total duration of all calls, including their bodies.
    public var totalDuration: Duration { calls.total }

    /// The fraction of calls that succeeded, or 0 if there were none.
    public var successRate: Double {
        totalRequests > 0 ? Double(successfulRequests) / Double(totalRequests) : 0
    }

    /// The average duration of a call, or zero if there were none.
    public var averageDuration: Duration { calls.count > 0 ? calls.total / calls.count : .zero }

    /// Returns a percentile of the durations of the latest 1,000 to 2,000 calls.
    ///
    /// The result is at most one eighth too long.
    ///
    /// - Parameter share: The fraction of calls, such as 0.5 for the median or 0.99 for the 99th percentile.
    /// - Returns: The duration, or `nil` if there were no calls.
    public func percentile(_ share: Double) -> Duration? { calls.latest.percentile(share) }

    /// Returns the number of events of a kind.
    ///
    /// The labels are `hit`, `revalidated`, `miss`, `bypass` and `failure` for `.cache`, `success` and `failure` for
    /// `.refreshEnded`, the new state for `.breaker`, `away` and `back` for `.limit`, and the outcome of an entry for
    /// `.queue`. A response counts as `revalidated` if the server confirmed it, and as a `hit` if it was used because
    /// the server failed. A request without a response counts as a `failure`.
    ///
    /// - Parameters:
    ///   - kind: The kind of event.
    ///   - label: The label of the events, or `nil` for the sum of all labels.
    /// - Returns: The number of events.
    public func count(of kind: ClientEvent.Kind, as label: String? = nil) -> Int {
        counts.reduce(0) { sum, entry in
            entry.key.kind == kind && (label == nil || entry.key.label == label) ? sum + entry.value : sum
        }
    }

    /// The exchanges with one endpoint that had the same result.
    public struct Series: Sendable {
        /// The properties that the exchanges have in common.
        struct Key: Hashable {
            var method = HTTPMethod.get.rawValue
            var origin: Origin?
            var template: String?
            var result = ""
            var isOverflow = false
        }

        let key: Key
        let record: DurationRecord

        /// The method, or `_OTHER` for an unknown method.
        public var method: String { key.method }
        /// The origin of the server.
        public var origin: Origin? { key.origin }
        /// The path with `{}` in place of each value, or `nil` if the path was not written as a literal.
        public var template: String? { key.template }
        /// The status code, the code of the error, or `cancelled`.
        public var result: String { key.result }
        /// Whether this is the overflow series, for exchanges beyond the maximum number of series.
        public var isOverflow: Bool { key.isOverflow }
        /// The number of exchanges.
        public var count: Int { record.count }
        /// The total duration of the exchanges.
        public var totalDuration: Duration { record.total }

        /// Returns a percentile of the durations of the latest 1,000 to 2,000 exchanges.
        public func percentile(_ share: Double) -> Duration? { record.latest.percentile(share) }
    }
}

/// Statistics of durations: count, sum, buckets, and percentiles of the latest durations.
struct DurationRecord: Sendable {
    /// The upper bounds of the buckets in seconds, as OpenTelemetry recommends for HTTP.
    ///
    /// One more bucket has no bound.
    static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

    private(set) var count = 0
    private(set) var total = Duration.zero
    /// The number of durations in each bucket.
    private(set) var buckets = Array(repeating: 0, count: Self.bounds.count + 1)
    private(set) var latest = LatencyHistogram()

    mutating func add(_ duration: Duration) {
        let seconds = duration.inSeconds
        count += 1
        // A few absurd durations would not fit otherwise.
        total += .nanoseconds(duration.clampedNanoseconds)
        buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        latest.add(duration)
    }
}
